"""`product`: the variables form a grid, whose shadows on its sides are constrained in the same way.

J. Chen, "A new SAT encoding of the at-most-one constraint", ModRef 2010 (2-product); for any bound,
A. Frisch, P. Giannaros, "SAT encodings of the at-most-k constraint: some old, some new, some fast,
some slow", ModRef 2010. With a bound of b, the grid has b + 1 dimensions. A shadow leaves out one
of them; each variable implies its place in each shadow, and at most b places of a shadow are used.
Of any b + 1 variables, one shadow shows all: that is where too many are noticed. For a bound of 1,
the shadows are the rows and the columns.

The grid is as near to a cube as it can be: for a bound of 1, it has p = ceil(sqrt k) rows and
q = ceil(k / p) columns. At most b of k: all subsets of b + 1, as in `pairwise`, where they are no
more; otherwise, with shadows of k1, ... places, V(k) = k1 + ... + V(k1) + ... auxiliary variables
and C(k) = (b + 1)k + C(k1) + ... clauses. For a bound of 1, pairs are used for k <= 6, and C(k) is
2k + 4 sqrt(k) + O(k^(1/4)). For larger bounds it is of use for small ones only: a grid of fewer
than 2^(b+1) places has a side of 1, and the shadow without it is no smaller.

>>> from nqbench.clauses import dimacs
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
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.encodings.counting import CountingEncoding
from nqbench.encodings.pairwise import subsets


class Product(CountingEncoding):
    """The variables as a grid, with the same constraint on each of its shadows."""

    reference = "J. Chen, ModRef 2010; A. Frisch, P. Giannaros, ModRef 2010"

    def limit(self, cnf: CNFBuilder, x: Block, most: int) -> None:
        n = len(x)
        clauses = _num_clauses(n, most)
        self.check_size(clauses, most, n)
        if clauses == math.comb(n, most + 1):
            cnf.add(-x[subsets(n, most + 1)])
            return
        places = _shadows(n, most)
        shadows = [cnf.fresh_array(int(positions.max()) + 1) for positions in places]
        for shadow, place in zip(shadows, places, strict=True):
            cnf.add_each(-x, shadow[place])
        for shadow in shadows:
            self.limit(cnf, shadow, most)


@lru_cache(maxsize=1024)
def _num_clauses(n: int, most: int) -> int:
    all_subsets = math.comb(n, most + 1)
    if _sides(n, most + 1)[-1] == 1:
        return all_subsets
    sizes = [int(positions.max()) + 1 for positions in _shadows(n, most)]
    return min(all_subsets, (most + 1) * n + sum(_num_clauses(size, most) for size in sizes))


def _shadows(n: int, most: int) -> list[NDArray[np.int_]]:
    """The place of each variable in each shadow of the grid: most + 1 arrays of shape (n,). The
    first leaves out the last dimension.
    """
    sides = _sides(n, most + 1)
    at = np.unravel_index(np.arange(n), sides)
    shadows = []
    for out in reversed(range(most + 1)):
        kept_sides = [side for d, side in enumerate(sides) if d != out]
        place = np.ravel_multi_index([along for d, along in enumerate(at) if d != out], kept_sides)
        shadows.append(np.unique(place, return_inverse=True)[1])
    return shadows


def _sides(n: int, dimensions: int) -> list[int]:
    """The sides of the smallest grid that is nearly a cube and has n places."""
    sides = []
    for d in range(dimensions, 0, -1):
        side = next(side for side in range(1, n + 1) if side**d >= n)
        sides.append(side)
        n = -(-n // side)
    return sides
