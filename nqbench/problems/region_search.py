"""Finds the solutions of queens in regions, by backtracking.

The generator of puzzles uses it. Answers are checked against the rules, and counts come from
`nqbench.checking`. A set of squares is an integer with a bit for each.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product

from nqbench.problems.region_shapes import squares

Regions = Sequence[Sequence[int]]
"""The number of the region of each square, row by row."""

Columns = tuple[int, ...]
"""The column of the queen in each row."""


def solutions(regions: Regions) -> Iterator[Columns]:
    """Yield the solutions.

    >>> sorted(solutions([[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3], [2, 2, 3, 3]]))
    [(1, 3, 0, 2), (2, 0, 3, 1)]
    """
    n = len(regions)
    lines = [sum(1 << r * n + c for r, c in region) for region in squares(regions)]
    lines += [sum(1 << row * n + k for k in range(n)) for row in range(n)]
    lines += [sum(1 << k * n + column for k in range(n)) for column in range(n)]
    for queens in _below(n, lines, (1 << n * n) - 1, 0):
        yield tuple((queens >> row * n & (1 << n) - 1).bit_length() - 1 for row in range(n))


def _below(n: int, lines: Sequence[int], free: int, queens: int) -> Iterator[int]:
    """Yield the solutions with these queens: one more in each of these rows, columns and regions,
    on free squares.
    """
    if not lines:
        yield queens
        return
    fewest = min([line & free for line in lines], key=int.bit_count)
    while fewest:
        queen = fewest & -fewest
        fewest ^= queen
        left = [line for line in lines if not line & queen]
        excluded = _touching(n, queen)
        for line in lines:
            if line & queen:
                excluded |= line
        yield from _below(n, left, free & ~excluded, queens | queen)


@lru_cache(maxsize=1024)
def _touching(n: int, queen: int) -> int:
    """The squares that touch the square of a queen diagonally."""
    row, column = divmod(queen.bit_length() - 1, n)
    around = product((row - 1, row + 1), (column - 1, column + 1))
    return sum(1 << r * n + c for r, c in around if 0 <= r < n and 0 <= c < n)
