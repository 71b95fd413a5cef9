"""PySAT's Lingeling aborts when a clause has a variable that only assumptions have had.

Expected: an answer. PySAT freezes the variables of clauses, but not those of assumptions.
Happens:  the process dies of SIGABRT. `nqbench shrink` made the sequence and this program.
Seen:     python-sat 1.9.dev16, 1.9.dev17 and 1.9.dev24.
Status:   1 if the fault is present, 0 if not.
"""

import platform
import signal
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from pysat.solvers import Solver

FORMULA = """\
p icnf
q -2 0
q -1 0
i 2 0
q 0
"""


def solve(path):
    """Return what is wrong with an answer, or None, and the number of conflicts."""
    clauses, flaw = [], None
    with Solver(name="lingeling") as solver:
        for line in Path(path).read_text().splitlines():
            letter, *words = line.split()
            literals = [int(word) for word in words[:-1]]
            if letter == "i":
                clauses.append(literals)
                solver.add_clause(literals)
            elif letter == "q":
                solver.solve(assumptions=literals)
        return flaw, solver.accum_stats()["conflicts"]


if sys.argv[1:]:
    print(solve(sys.argv[1]))
    sys.exit(0)
print("python-sat", version("python-sat"), "Python", platform.python_version())
path = str(Path(tempfile.mkdtemp(), "small.icnf"))
Path(path).write_text(FORMULA)
call = [sys.executable, __file__, path]
child = subprocess.run(call, capture_output=True, text=True, check=False)
code = child.returncode
got = signal.Signals(-code).name if code < 0 else f"status {code}"
print("expected: an answer")
print("got:     ", got, *child.stderr.splitlines()[-1:])
sys.exit(1 if code else 0)
