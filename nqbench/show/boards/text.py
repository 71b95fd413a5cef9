"""Boards as text."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from nqbench.problems.queens import Queens, Square
from nqbench.show.boards.scene import Scene


class Style(StrEnum):
    """A style of writing boards."""

    UNICODE = "unicode"
    ASCII = "ascii"
    BINARY = "binary"
    ALGEBRAIC = "algebraic"


_SYMBOLS: Final = {
    Style.UNICODE: ("♛", "·", "▒", " "),
    Style.ASCII: ("Q", ".", "#", " "),
    Style.BINARY: ("1", "0", "0", ""),
}
"""Queen, empty square, blocked square, and the separator of squares."""

_MARKS: Final = {Style.UNICODE: ("\N{MULTIPLICATION SIGN}", "+"), Style.ASCII: ("x", "+")}
"""Attacked square, and square on a line of attack. Other styles are for programs and have none."""


def text_board(problem: Queens, placement: Iterable[Square], style: Style = Style.ASCII) -> str:
    """The board with one row per line; in algebraic notation, the squares of the queens by column.

    >>> solution = [(0, 1), (1, 3), (2, 0), (3, 2)]
    >>> print(text_board(Queens(4, blocked=((0, 0),)), solution))
    # Q . .
    . . . Q
    Q . . .
    . . Q .
    >>> text_board(Queens(4), solution, Style.ALGEBRAIC)
    'a2 b4 c1 d3'
    """
    return _write_board(problem, placement, style, {})


def text_scene(board: Scene, style: Style = Style.ASCII) -> str:
    """The board with its marks, if the style shows them.

    >>> print(text_scene(Scene(Queens(4), ((0, 1),), attacked=True)))
    x Q x x
    x x x .
    . x . x
    . x . .
    """
    queens = (*board.problem.placed, *board.found)
    marks: dict[Square, str] = {}
    if style in _MARKS:
        attacked, on_line = _MARKS[style]
        marks |= dict.fromkeys(board.attacked_squares, attacked)
        marks |= {square: on_line for piece in board.attack_lines for square in piece}
    return _write_board(board.problem, queens, style, marks)


def _write_board(
    problem: Queens, placement: Iterable[Square], style: Style, marks: Mapping[Square, str]
) -> str:
    if style is Style.ALGEBRAIC:
        by_column = sorted(placement, key=lambda square: (square[1], square[0]))
        return " ".join(algebraic(square, problem.n) for square in by_column)
    queen, empty, blocked, between = _SYMBOLS[style]
    standing = dict.fromkeys(problem.blocked, blocked) | dict.fromkeys(placement, queen)
    symbols = {**marks, **standing}
    rows = range(problem.n)
    return "\n".join(
        between.join(symbols.get((row, column), empty) for column in rows) for row in rows
    )


def algebraic(square: Square, n: int) -> str:
    """The square in chess notation: a letter for the column, and 1 for the lowest row.

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
