"""`product`: the squares of a line form a grid; at most one of its rows and columns is used.

J. Chen, "A new SAT encoding of the at-most-one constraint", ModRef 2010 (2-product). The grid has
p = ceil(sqrt k) rows and q = ceil(k / p) columns. Each square implies its row and its column, which
are constrained in the same way. At most one of k: pairs for k <= 6, where they are smaller; for
larger k, V(k) = p + q + V(p) + V(q) auxiliary variables and C(k) = 2k + C(p) + C(q) clauses, which
is 2k + 4 sqrt(k) + O(k^(1/4)).

>>> from nqbench.instances import dimacs
>>> print(dimacs.text(Product("product").at_most_one(7)))
p cnf 13 20
-1 8 0
-2 8 0
-3 8 0
-4 9 0
-5 9 0
-6 9 0
-7 10 0
-1 11 0
-2 12 0
-3 13 0
-4 11 0
-5 12 0
-6 13 0
-7 11 0
-8 -9 0
-8 -10 0
-9 -10 0
-11 -12 0
-11 -13 0
-12 -13 0
"""

import math
from typing import Final

import numpy as np

from nqbench.encodings.lines import LineEncoding
from nqbench.encodings.pairwise import pairs
from nqbench.instances.cnf import Block, CNFBuilder

_PAIRS_UP_TO: Final = 6


class Product(LineEncoding):
    """The squares of a line as a grid, with at most one of its rows and one of its columns."""

    reference = "J. Chen, ModRef 2010"

    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        k = len(x)
        if k <= _PAIRS_UP_TO:
            cnf.add(pairs(x))
            return
        p = math.isqrt(k - 1) + 1
        q = -(-k // p)
        rows, columns = cnf.fresh_array(p), cnf.fresh_array(q)
        row_of, column_of = np.divmod(np.arange(k), q)
        cnf.add_each(-x, rows[row_of])
        cnf.add_each(-x, columns[column_of])
        self.constrain(cnf, rows)
        self.constrain(cnf, columns)
