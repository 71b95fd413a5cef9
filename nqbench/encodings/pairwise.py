"""`pairwise`: of every two options of an item, at most one is chosen.

The naive or binomial encoding. At most one of k: k(k-1)/2 clauses, no auxiliary variables. At most
k of n: a clause for every k + 1 of them, which are C(n, k + 1).

>>> from nqbench.clauses import dimacs
>>> print(dimacs.text(Pairwise("pairwise").at_most_one(3)))
p cnf 3 3
-1 -2 0
-1 -3 0
-2 -3 0

On the whole board, with at least one queen in each row and column: 2n + n(n-1)(5n-1)/3 clauses, 84
at n = 4, 744 at n = 8.
"""

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.clauses.stamp import Copies, record_copies
from nqbench.encodings.counting import CountingEncoding
from nqbench.problems.cover import Items


class Pairwise(CountingEncoding):
    """A clause for every two options of an item."""

    reference = "folklore; the 'naive' or 'binomial' encoding"
    tightens = True

    def limit(self, cnf: CNFBuilder, x: Block, most: int) -> None:
        self.check_size(math.comb(len(x), most + 1), most, len(x))
        cnf.add(-x[subsets(len(x), most + 1)])

    def constrain_items(self, cnf: CNFBuilder, items: Items) -> None:
        cnf.add(pairs(items))  # no auxiliary variables, so there is no need to stamp
        if items.shape[1] > 1:
            record_copies(cnf, Copies(self.at_most_one(items.shape[1]), 1, items, items[:, :0]))


def pairs(groups: Block) -> Block:
    """The clauses (-a or -b) of every two variables of a group.

    `groups` has shape (k,) or (m, k); the result (k(k-1)/2, 2) or (m * k(k-1)/2, 2).
    """
    return -groups.take(two_of(groups.shape[-1]), axis=-1).reshape(-1, 2)


def subsets(n: int, size: int) -> NDArray[np.int_]:
    """All sets of so many of n positions in lexicographic order, shape (C(n, size), size).

    >>> subsets(4, 3).tolist()
    [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]
    """
    if size == 2:
        return two_of(n)
    every = itertools.chain.from_iterable(itertools.combinations(range(n), size))
    return np.fromiter(every, dtype=np.int_, count=math.comb(n, size) * size).reshape(-1, size)


def two_of(k: int) -> NDArray[np.int_]:
    """All positions i < j of k, row by row, shape (k(k-1)/2, 2).

    >>> two_of(3).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    i = np.arange(k)
    first = np.repeat(i, k - 1 - i)
    row_starts = i * k - i * (i + 1) // 2
    second = np.arange(len(first)) - (row_starts - i - 1)[first]
    return np.array([first, second]).T
