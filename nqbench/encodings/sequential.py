"""`sequential`: a counter along the line that remembers whether a queen has passed.

C. Sinz, "Towards an optimal CNF encoding of Boolean cardinality constraints", CP 2005, LT-SEQ. At
most one of k > 2: k - 1 auxiliary variables, 3k - 4 clauses; for k = 2, one clause. At most k of
n > k + 1: (n - 1)k auxiliary variables, 2nk + n - 3k - 1 clauses.

>>> from nqbench.clauses import dimacs
>>> print(dimacs.text(Sequential("sequential").at_most_one(3)))
p cnf 5 5
-1 4 0
-2 5 0
-4 5 0
-2 -4 0
-3 -5 0
"""

import numpy as np

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.encodings.counting import CountingEncoding


class Sequential(CountingEncoding):
    """A counter that remembers how many queens have passed."""

    reference = "C. Sinz, CP 2005"

    def limit(self, cnf: CNFBuilder, x: Block, most: int) -> None:
        # s[i, j]: more than j of x[0..i] are true.
        s = cnf.fresh_array((len(x) - 1) * most).reshape(-1, most)
        cnf.add_each(-x[:-1], s[:, 0])
        cnf.add_each(-s[:-1].ravel(), s[1:].ravel())
        passing = np.repeat(x[1:-1], most - 1)
        cnf.add_each(-passing, -s[:-1, :-1].ravel(), s[1:, 1:].ravel())
        cnf.add_each(-s[0, 1:])
        cnf.add_each(-x[1:], -s[:, -1])
