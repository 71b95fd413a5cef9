"""Excluded diagonals, problem 079 of CSPLib: some diagonals must stay empty.

I. Gent, C. Jefferson, P. Nightingale, "Complexity of n-queens completion", Journal of Artificial
Intelligence Research 59, 2017. The pair (k, 1) is the sum diagonal, with the squares where
row + column = k; (k, 0) is the difference diagonal, where row - column = k - (n - 1).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from nqbench.errors import InputError
from nqbench.problems.queens import LARGEST_N, Queens, Square

FAMILY: Final = "excluded-diagonals"

MOST_SQUARES: Final = 1 << 22
"""The largest n times the number of excluded diagonals. Excluding every diagonal of a board of
1000 rows stays below it.
"""

Diagonal = tuple[int, int]
"""(k, kind): k from 0 to 2n - 2, kind 1 for a sum diagonal and 0 for a difference diagonal."""


def excluding(n: int, diagonals: Sequence[Diagonal], name: str) -> Queens:
    """The board without these diagonals; its density is their number divided by n."""
    count = len(diagonals)
    if n > LARGEST_N or n * count > MOST_SQUARES:
        raise InputError(f"n is {n}: too large a board for {count} excluded diagonals")
    blocked = tuple(square for diagonal in diagonals for square in squares(n, diagonal))
    return Queens(n, FAMILY, (), blocked, f"{name} d={count}".strip(), density=count / n)


def squares(n: int, diagonal: Diagonal) -> Iterator[Square]:
    """Yield the squares of a diagonal, from top to bottom."""
    k, kind = diagonal
    for row in range(n):
        column = k - row if kind else row - (k - (n - 1))
        if 0 <= column < n:
            yield row, column
