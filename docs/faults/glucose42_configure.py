"""PySAT's Glucose 4.2 takes only one of several options.

Expected: two options in one call of configure() have the same effect as in two calls.
Happens:  configure() is a chain of `elif`: it takes the first option that it knows, and no other.
Seen:     python-sat 1.9.dev16 and 1.9.dev17.
Status:   1 if the fault is present, 0 if not.
"""

import platform
import sys
from importlib.metadata import version

from pysat.examples.genhard import PHP
from pysat.solvers import Solver


def conflicts(*calls):
    """Solve six pigeons' holes after these calls of configure()."""
    with Solver("glucose42", bootstrap_with=PHP(nof_holes=6)) as solver:
        for options in calls:
            solver.configure(options)
        solver.solve()
        return solver.accum_stats()["conflicts"]


print("python-sat", version("python-sat"), "Python", platform.python_version())
seed, frequency = {"rnd-seed": 7}, {"rnd-freq": 0.5}
expected, got, first = conflicts(seed, frequency), conflicts(seed | frequency), conflicts(seed)
print("expected:", expected, "conflicts")
print("got:     ", got, "conflicts; with the first option only:", first)
sys.exit(0 if got == expected else 1)
