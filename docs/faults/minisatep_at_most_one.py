"""PySAT's MinisatEP crashes on at-most-one constraints with negative literals.

Expected: an answer. All other solvers of PySAT that take such constraints give one.
Happens:  the process dies of SIGSEGV. `nqbench shrink` made the formula and this program.
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

from pysat.formula import CNFPlus
from pysat.solvers import Solver

FORMULA = """\
p cnf+ 6 4
5 -4 -2 <= 1
4 -5 -3 <= 1
-6 -5 2 <= 1
-1 6 5 <= 1
"""


def solve(path):
    """Return the literals of a model, or None, and the number of conflicts."""
    formula = CNFPlus(from_fp=open(path, errors="replace"))
    with Solver(name="minisatep") as solver:
        solver.append_formula(formula.clauses)
        solver.activate_atmost()
        for literals, most in formula.atmosts:
            solver.add_atmost(literals, most)
        model = solver.get_model() if solver.solve() else None
        return model, solver.accum_stats()["conflicts"]


if sys.argv[1:]:
    print(solve(sys.argv[1]))
    sys.exit(0)
print("python-sat", version("python-sat"), "Python", platform.python_version())
path = str(Path(tempfile.mkdtemp(), "small.cnf+"))
Path(path).write_text(FORMULA)
call = [sys.executable, __file__, path]
child = subprocess.run(call, capture_output=True, text=True, check=False)
code = child.returncode
got = signal.Signals(-code).name if code < 0 else f"status {code}"
print("expected: an answer")
print("got:     ", got, *child.stderr.splitlines()[-1:])
sys.exit(1 if code else 0)
