"""`sequential`: a counter along the line that remembers whether a queen has passed.

C. Sinz, "Towards an optimal CNF encoding of Boolean cardinality constraints", CP 2005, LT-SEQ with
k = 1. At most one of k > 2: k - 1 auxiliary variables, 3k - 4 clauses; for k = 2, one clause.

>>> from nqbench.instances import dimacs
>>> print(dimacs.text(Sequential("sequential").at_most_one(3)))
p cnf 5 5
-1 4 0
-2 5 0
-4 5 0
-2 -4 0
-3 -5 0
"""

from nqbench.encodings.lines import LineEncoding
from nqbench.instances.cnf import Block, CNFBuilder


class Sequential(LineEncoding):
    """A counter that remembers whether a queen has passed."""

    reference = "C. Sinz, CP 2005"

    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        # s[i]: one of x[0..i] is true.
        s = cnf.fresh_array(len(x) - 1)
        cnf.add_each(-x[:-1], s)
        cnf.add_each(-s[:-1], s[1:])
        cnf.add_each(-x[1:], -s)
