"""Boards as text."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from nqbench.problem import Problem, Square


class Style(StrEnum):
    """How a board is written."""

    UNICODE = "unicode"
    ASCII = "ascii"
    BINARY = "binary"
    ALGEBRAIC = "algebraic"


_SYMBOLS: Final = {
    Style.UNICODE: ("♛", "·", "▒", " "),
    Style.ASCII: ("Q", ".", "#", " "),
    Style.BINARY: ("1", "0", "0", ""),
}
"""Queen, empty square, blocked square, and what stands between two squares."""


def text_board(problem: Problem, placement: Iterable[Square], style: Style = Style.ASCII) -> str:
    """The board, one row a line; in algebraic notation the squares of the queens by column.

    >>> solution = [(0, 1), (1, 3), (2, 0), (3, 2)]
    >>> print(text_board(Problem(4, blocked=((0, 0),)), solution))
    # Q . .
    . . . Q
    Q . . .
    . . Q .
    >>> text_board(Problem(4), solution, Style.ALGEBRAIC)
    'a2 b4 c1 d3'
    """
    if style is Style.ALGEBRAIC:
        by_column = sorted(placement, key=lambda square: (square[1], square[0]))
        return " ".join(algebraic(square, problem.n) for square in by_column)
    queen, empty, blocked, between = _SYMBOLS[style]
    symbols = dict.fromkeys(problem.blocked, blocked) | dict.fromkeys(placement, queen)
    rows = range(problem.n)
    return "\n".join(
        between.join(symbols.get((row, column), empty) for column in rows) for row in rows
    )


def algebraic(square: Square, n: int) -> str:
    """The square as chess players write it: a letter for the column, 1 for the lowest row.

    Columns after z are aa, ab and so on, as in spreadsheets.

    >>> algebraic((4, 3), 8), algebraic((0, 26), 30)
    ('d4', 'aa30')
    """
    row, column = square
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return f"{letters}{n - row}"
