"""PySAT's MinisatEP crashes on at-most-one constraints with negative literals.

Expected: False: each of the 16 assignments makes two literals of a constraint true. All other
          solvers of PySAT that take such constraints say so.
Happens:  the process dies of SIGSEGV in solve().
Seen:     python-sat 1.9.dev16 and 1.9.dev17.
Status:   1 if the fault is present, 0 if not.
"""

import platform
import signal
import subprocess
import sys
from importlib.metadata import version

CALL = """
from pysat.solvers import MinisatEP
solver = MinisatEP()
solver.activate_atmost()
for literals in ([-1, -4, 2, 3], [4, 1], [1, -3, -2, -4]):
    solver.add_atmost(literals, 1)
print(solver.solve())
"""

print("python-sat", version("python-sat"), "Python", platform.python_version())
child = subprocess.run([sys.executable, "-c", CALL], stdout=subprocess.PIPE, text=True, check=False)
crashed = child.returncode < 0
got = signal.Signals(-child.returncode).name if crashed else child.stdout.strip()
print("expected: False")
print("got:     ", got)
sys.exit(0 if got == "False" else 1)
