"""PySAT's Ergo deletes clauses in its proofs that it never added.

Expected: each clause that a proof deletes was given to the solver, or added by the proof.
Happens:  the proof deletes clauses that explain what a constraint propagated. They are among the
          clauses that the constraints stand for, so a checker that has these deletes them, and
          refuses the rest of the proof if it needs them. CaDiCaL 1.9.5 and 3.0.0 do the same.
Seen:     python-sat 1.9.dev24.
Status:   1 if the fault is present, 0 if not.
"""

import platform
import sys
from importlib.metadata import version

from pysat.solvers import Ergo

HOLES = 5
pigeons = [[HOLES * i + j + 1 for j in range(HOLES)] for i in range(HOLES + 1)]
solver = Ergo(with_proof=True)
solver.activate_atmost()
for pigeon in pigeons:
    solver.add_clause(pigeon)
for hole in zip(*pigeons, strict=True):
    solver.add_atmost(list(hole), 1)
assert not solver.solve()

there = {frozenset(pigeon) for pigeon in pigeons}
wrong = set()
for line in solver.get_proof():
    *literals, _ = map(int, line.removeprefix("d ").split())
    clause = frozenset(literals)
    if not line.startswith("d"):
        there.add(clause)
    elif clause not in there:
        wrong.add(clause)

print("python-sat", version("python-sat"), "Python", platform.python_version())
print("expected: 0 clauses deleted that were never added")
print(f"got:      {len(wrong)} clauses, such as {sorted(min(wrong, key=sorted)) if wrong else []}")
sys.exit(1 if wrong else 0)
