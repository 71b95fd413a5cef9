"""A short proof of the pigeonhole principle: n queens, one in each row and at most one in each
column, are in all n columns.

S. Cook, "A short proof of the pigeon hole principle using extended resolution", SIGACT News 8,
1976. By resolution alone, proofs are exponentially long (A. Haken, TCS 39, 1985). Here each step
moves the queen of the last row, if it is in the way, and leaves one row and one column fewer: about
n^5 / 3 clauses for all columns, 83,000 at n = 12.
"""

from collections.abc import Iterator
from itertools import count
from typing import Final

import numpy as np

from nqbench.encodings.pairwise import pairs
from nqbench.instances.cnf import CNF, Block, CNFBuilder

LARGEST_N: Final = 16
"""The largest n for which the proof is used; longer proofs take too long to check."""

Squares = dict[tuple[int, int], int]
"""The variable of each queen, by pigeon and hole."""


def claim(board: Block) -> CNF:
    """A formula without a model: each row of `board`, shape (n, n), has a queen, no column has two,
    and one column has none.
    """
    n = len(board)
    cnf = CNFBuilder(board=n * n)
    cnf.add(board)
    cnf.add(pairs(board.T))
    empty = cnf.fresh_array(n)
    for row in board:
        cnf.add_each(-empty, -row)
    cnf.add(empty[np.newaxis])
    return cnf.build()


def proof(board: Block) -> str:
    """A DRAT proof that `claim` has no model."""
    n = len(board)
    fresh = count(n * n + n + 1)
    lines = []
    for column in range(n):
        empty = n * n + column + 1
        others = np.delete(board, column, axis=1)
        queens = {(i, j): int(others[i, j]) for i in range(n) for j in range(n - 1)}
        lines += [" ".join(map(str, step)) for step in _refuted(queens, n - 1, empty, fresh)]
    return "".join(f"{line} 0\n" for line in [*lines, ""])


def _refuted(queens: Squares, holes: int, empty: int, fresh: Iterator[int]) -> Iterator[list[int]]:
    """Yield clauses that end with the clause that the column is not `empty`.

    There is one pigeon more than there are holes.
    """
    while holes > 1:
        last, holes = holes, holes - 1
        fewer = {(i, j): next(fresh) for i in range(last) for j in range(holes)}
        for (i, j), new in fewer.items():
            old, moved, mover = queens[i, j], queens[i, holes], queens[last, j]
            # The definition: pigeon i is in hole j, or in the last one, and the last pigeon in j.
            yield from ([new, -old], [new, -moved, -mover], [-new, old, moved], [-new, old, mover])
        for i in range(last):
            yield [*(fewer[i, j] for j in range(holes)), -empty]
        for (i, j), new in fewer.items():
            yield from ([-new, -queens[h, j]] for h in range(last) if h != i)
        for (i, j), new in fewer.items():
            yield from ([-new, -fewer[h, j]] for h in range(i))
        queens = fewer
    yield [-empty]
