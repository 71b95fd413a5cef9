"""PyEDA's satisfy_one crashes on Python 3.12 and later.

Expected: (1, 1), as on Python 3.11, and as on every Python with PYTHONMALLOC=malloc.
Happens:  the process dies of SIGSEGV. PicoSAT allocates memory by PyMem_Malloc while picosat_sat
          runs without the GIL, which PyMem_Malloc needs.
Seen:     pyeda 0.29.0 on Python 3.12.1 and 3.13.0.
Status:   1 if the fault is present, 0 if not.
"""

import os
import platform
import signal
import subprocess
import sys
from importlib.metadata import version

CALL = "from pyeda.boolalg import picosat; print(picosat.satisfy_one(2, [(1, 2)]))"


def outcome(allocator):
    """Return what the call prints, or the signal of which it dies."""
    environment = os.environ | {"PYTHONMALLOC": allocator}
    call = [sys.executable, "-c", CALL]
    child = subprocess.run(call, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    crashed = child.returncode < 0
    return signal.Signals(-child.returncode).name if crashed else child.stdout.strip()


print("pyeda", version("pyeda"), "Python", platform.python_version())
got = outcome("default")
print("expected: (1, 1)")
print("got:     ", got)
print("got with PYTHONMALLOC=malloc:", outcome("malloc"))
if got == "(1, 1)":
    print("This Python is not affected.")
sys.exit(0 if got == "(1, 1)" else 1)
