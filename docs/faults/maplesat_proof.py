"""PySAT's MapleSAT numbers the variables in its proofs one too high.

Expected: the proof of a formula with the variables 1 and 2 has no other variable.
Happens:  it has the variable 3, and not the one that it means. A proof checker refuses it.
Seen:     python-sat 1.9.dev16 and 1.9.dev17.
Status:   1 if the fault is present, 0 if not.
"""

import platform
import sys
from importlib.metadata import version

from pysat.solvers import Solver

print("python-sat", version("python-sat"), "Python", platform.python_version())
with Solver("maplesat", with_proof=True) as solver:
    solver.append_formula([[1, 2], [1, -2], [-1, 2], [-1, -2]])
    solver.solve()
    proof = solver.get_proof()
highest = max(abs(int(word)) for line in proof for word in line.split() if word != "d")
print("expected: no variable above 2")
print("got:      variable", highest, "in", proof)
sys.exit(1 if highest > 2 else 0)
