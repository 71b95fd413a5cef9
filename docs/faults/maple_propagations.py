"""PySAT's MapleSAT and MapleCM count no propagations, and so ignore a limit on them.

Expected: as from MapleChrono: a limit of one propagation ends the search without an answer.
Happens:  the search goes on to its end, and accum_stats() reports 0 propagations.
Seen:     python-sat 1.9.dev16 and 1.9.dev17.
Status:   1 if the fault is present, 0 if not.
"""

import platform
import sys
from importlib.metadata import version

from pysat.examples.genhard import PHP
from pysat.solvers import Solver


def limited(name):
    """Return the answer of a search limited to one propagation, and how many it reports."""
    with Solver(name, bootstrap_with=PHP(nof_holes=6)) as solver:
        solver.prop_budget(1)
        return solver.solve_limited(), solver.accum_stats()["propagations"]


print("python-sat", version("python-sat"), "Python", platform.python_version())
got = {name: limited(name) for name in ("maplesat", "maplecm")}
print("expected:", limited("maplechrono"))
print("got:     ", got)
sys.exit(1 if any(answer is not None for answer, _ in got.values()) else 0)
