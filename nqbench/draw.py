"""Boards as text."""

from collections.abc import Iterable

from nqbench.problem import Square


def text_board(n: int, placement: Iterable[Square]) -> str:
    """The board, one row a line.

    >>> print(text_board(4, [(0, 1), (1, 3), (2, 0), (3, 2)]))
    . Q . .
    . . . Q
    Q . . .
    . . Q .
    """
    queens = set(placement)
    return "\n".join(
        " ".join("Q" if (row, column) in queens else "." for column in range(n)) for row in range(n)
    )
