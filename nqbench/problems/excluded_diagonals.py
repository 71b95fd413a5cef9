"""Excluded diagonals, problem 079 of CSPLib: some diagonals must stay empty.

I. Gent, C. Jefferson, P. Nightingale, "Complexity of n-queens completion", Journal of Artificial
Intelligence Research 59, 2017. The pair (k, 1) is the sum diagonal, with the squares where
row + column = k; (k, 0) is the difference diagonal, where row - column = k - (n - 1).
"""

import random
from collections.abc import Iterator, Sequence
from typing import Final

from nqbench.errors import InputError
from nqbench.problems.base import LARGEST_N, Problem, Square

FAMILY: Final = "excluded-diagonals"

FREE_SQUARES: Final = 4
"""Free squares that a random list leaves in each row and column, as in CSPLib's instances."""

MOST_SQUARES: Final = 1 << 22
"""The largest n times the number of excluded diagonals. Excluding every diagonal of a board of
1000 rows stays below it.
"""

Diagonal = tuple[int, int]
"""(k, kind): k from 0 to 2n - 2, kind 1 for a sum diagonal and 0 for a difference diagonal."""


def excluding(n: int, diagonals: Sequence[Diagonal], name: str) -> Problem:
    """The board without these diagonals; its density is their number divided by n."""
    count = len(diagonals)
    if n > LARGEST_N or n * count > MOST_SQUARES:
        raise InputError(f"n is {n}: too large a board for {count} excluded diagonals")
    blocked = tuple(square for diagonal in diagonals for square in squares(n, diagonal))
    return Problem(n, FAMILY, (), blocked, f"{name} d={count}".strip(), density=count / n)


def squares(n: int, diagonal: Diagonal) -> Iterator[Square]:
    """Yield the squares of a diagonal, from top to bottom."""
    k, kind = diagonal
    for row in range(n):
        column = k - row if kind else row - (k - (n - 1))
        if 0 <= column < n:
            yield row, column


def random_list(n: int, source: random.Random) -> list[Diagonal]:
    """All diagonals that can be excluded in a random order such that every row and column keeps
    `FREE_SQUARES` squares.

    The first d diagonals are an instance for every d (CSPLib 079, the generator of its instances).
    """
    waiting = [(k, kind) for k in range(2 * n - 1) for kind in (0, 1)]
    source.shuffle(waiting)
    taken: list[Diagonal] = []
    blocked: set[Square] = set()
    in_row, in_column = [0] * n, [0] * n
    most = n - FREE_SQUARES
    for diagonal in waiting:
        # A diagonal has at most one square in each row and column, so these counts grow by 1.
        new = set(squares(n, diagonal)) - blocked
        if all(in_row[row] < most and in_column[column] < most for row, column in new):
            taken.append(diagonal)
            blocked |= new
            for row, column in new:
                in_row[row] += 1
                in_column[column] += 1
    return taken
