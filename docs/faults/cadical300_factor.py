"""PySAT's CaDiCaL 3 aborts in get_model() if bounded variable addition has added a variable.

Expected: a model of the 40 variables of the formula, which the pool has reserved as documented.
Happens:  PySAT also asks for the value of variable 41, which CaDiCaL added. CaDiCaL refuses that
          and aborts the process (SIGABRT).
Seen:     python-sat 1.9.dev16 and 1.9.dev17.
Status:   1 if the fault is present, 0 if not.
"""

import platform
import signal
import subprocess
import sys
from importlib.metadata import version

CALL = """
from pysat.formula import IDPool
from pysat.solvers import Cadical300
clauses = [[i, j] for i in range(1, 21) for j in range(21, 41)]
solver = Cadical300(bootstrap_with=clauses, sync_with=IDPool(start_from=41))
solver.configure({"factor": 1, "lucky": 0})
solver.solve()
print(len(solver.get_model()) >= 40)
"""

print("python-sat", version("python-sat"), "Python", platform.python_version())
child = subprocess.run([sys.executable, "-c", CALL], stdout=subprocess.PIPE, text=True, check=False)
crashed = child.returncode < 0
got = signal.Signals(-child.returncode).name if crashed else child.stdout.strip()
print("expected: True")
print("got:     ", got)
sys.exit(0 if got == "True" else 1)
