"""PySAT's MapleSAT crashes on a formula without clauses.

Expected: True, as from every other solver of PySAT.
Happens:  the process dies of SIGSEGV.
Seen:     python-sat 1.9.dev16 and 1.9.dev17.
Status:   1 if the fault is present, 0 if not.
"""

import platform
import signal
import subprocess
import sys
from importlib.metadata import version

CALL = "from pysat.solvers import Solver; print(Solver('maplesat').solve())"

print("python-sat", version("python-sat"), "Python", platform.python_version())
child = subprocess.run([sys.executable, "-c", CALL], stdout=subprocess.PIPE, text=True, check=False)
crashed = child.returncode < 0
got = signal.Signals(-child.returncode).name if crashed else child.stdout.strip()
print("expected: True")
print("got:     ", got)
sys.exit(0 if got == "True" else 1)
