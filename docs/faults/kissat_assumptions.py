"""PySAT's Kissat ignores assumptions and answers another question.

Expected: False, since the assumptions falsify the only clause; or NotImplementedError, which PySAT
          raises for everything else that Kissat cannot do.
Happens:  True, with a RuntimeWarning, and a model that contradicts both assumptions.
Seen:     python-sat 1.9.dev16 and 1.9.dev17.
Status:   1 if the fault is present, 0 if not.
"""

import platform
import sys
from importlib.metadata import version

from pysat.solvers import Solver

print("python-sat", version("python-sat"), "Python", platform.python_version())
with Solver("kissat404", bootstrap_with=[[1, 2]]) as solver:
    try:
        got = solver.solve(assumptions=[-1, -2])
    except NotImplementedError as error:
        got = repr(error)
    print("expected: False, or NotImplementedError")
    print("got:     ", got, "with the model", solver.get_model())
sys.exit(1 if got is True else 0)
