"""Pictures of solutions as data: pieces and marks of boards, shapes of others, colours."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from nqbench.common.errors import InputError
from nqbench.problems.picture import Cell, Picture, Piece, Point
from nqbench.problems.queens import Placement, Queens, Square

LIGHT: Final = "#f2e6d0"
DARK: Final = "#c9a77c"
BLOCKED: Final = "#5b5b5b"
ATTACKED: Final = "#d55e00"
ATTACKED_OPACITY: Final = 0.4
ATTACKED_GROUND: Final = ("#f08c58", "#c8652f")
"""Colours of attacked light and dark squares on a terminal. With transparency, a terminal with 256
colours would show them like other squares.
"""
LINE: Final = "#0072b2"
DOT: Final = "#009e73"
GIVEN: Final = "#111111"
"""A queen that the problem placed: black."""
FOUND: Final = "#ffffff"
"""A queen that a search placed: white, with a black outline."""
LABEL: Final = "#808080"
"""Readable on white and on black."""

EMPTY: Final = "#fffdf7"
"""The ground of a cell of a picture without chequers."""

PALETTE: Final = (
    "#9fd0f0", "#f5c26b", "#8fd3b6", "#f6ee9c", "#dfb3cf", "#eda37a", "#c9cdd2", "#b5b8ee",
)  # fmt: skip
"""Grounds for black text: the colours of M. Okabe and K. Ito for all kinds of sight, made lighter.
There may be more groups, so the text says which it is.
"""

CROWN: Final = (
    (-0.32, 0.30), (-0.40, -0.20), (-0.19, 0.04), (-0.15, -0.32), (0.0, 0.02),
    (0.15, -0.32), (0.19, 0.04), (0.40, -0.20), (0.32, 0.30),
)  # fmt: skip
"""Outline of a queen, relative to the centre of a square with side 1; y points down."""

LARGEST_LABELLED: Final = 26
"""The largest labelled board: beyond it the letters run out and squares are too small for them."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A problem with queens, which may include the queens that it placed.

    `attacked` marks all attacked squares. `lines_of` draws the lines on which a queen on this
    square attacks, `conflict` the line between two queens that attack each other. `dots` are
    squares to mark with a dot. `width` is the width of the picture in CSS, such as "360px" or
    "60%".
    """

    problem: Queens
    queens: Placement = ()
    attacked: bool = False
    lines_of: Square | None = None
    dots: tuple[Square, ...] = ()
    width: str = "360px"
    conflict: tuple[Square, Square] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.problem, Queens):
            raise InputError(
                f"{self.problem!r:.40} is not a board of queens: give Queens(8), for instance, or "
                "a problem of nqbench.problems_of, which reads files too"
            )

    @property
    def found(self) -> set[Square]:
        """The queens that the problem did not place."""
        return set(self.queens).difference(self.problem.placed)

    @property
    def attacked_squares(self) -> set[Square]:
        """The squares to mark as attacked: those on a line with a queen, except squares with queens
        and blocked squares; and those of the two queens of the conflict.
        """
        if not self.attacked:
            return set(self.conflict or ())
        queens = {*self.problem.placed, *self.queens}
        lines = (line for queen in queens for line in lines_of(self.problem, queen))
        free = {square for line in lines for square in line}.difference(
            queens, self.problem.blocked
        )
        return free.union(self.conflict or ())

    @property
    def attack_lines(self) -> list[list[Square]]:
        """The lines through `lines_of`, and the one of the conflict, in unbroken pieces, each as
        its squares in order.
        """
        # On a torus a diagonal continues at the opposite edge, in another piece.
        lines = [] if self.lines_of is None else lines_of(self.problem, self.lines_of)
        if self.conflict is not None:
            lines += _between(self.problem, *self.conflict)
        return [piece for line in lines for piece in _pieces(line)]


def lines_of(problem: Queens, square: Square) -> list[list[Square]]:
    """The row, column, falling and rising diagonal through a square, each as squares sorted by
    column; the column is sorted by row.
    """
    n, (row, column) = problem.n, square
    diagonals = [[(row + direction * (c - column), c) for c in range(n)] for direction in (1, -1)]
    if problem.wraps:
        diagonals = [[(r % n, c) for r, c in diagonal] for diagonal in diagonals]
    return [
        [(row, c) for c in range(n)],
        [(r, column) for r in range(n)],
        *([(r, c) for r, c in diagonal if 0 <= r < n] for diagonal in diagonals),
    ]


def _between(problem: Queens, one: Square, other: Square) -> list[list[Square]]:
    """The squares from one to the other, on the lines that they share."""
    shared = [line for line in lines_of(problem, one) if other in line]
    return [line[slice(*_range(line.index(one), line.index(other)))] for line in shared]


def _range(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other) + 1


def _pieces(line: Iterable[Square]) -> list[list[Square]]:
    pieces: list[list[Square]] = []
    for square in line:
        if pieces and max(abs(a - b) for a, b in zip(pieces[-1][-1], square, strict=True)) == 1:
            pieces[-1].append(square)
        else:
            pieces.append([square])
    return pieces


_TEXT_SIZE: Final = 0.5
_QUEENS: Final = {
    Piece.WHITE_QUEEN: (FOUND, GIVEN),
    Piece.BLACK_QUEEN: (GIVEN, FOUND),
}


@dataclass(frozen=True, slots=True)
class Polygon:
    """Corners in order, filled; with the colour and width of its outline, if it has one."""

    corners: tuple[Point, ...]
    fill: str | None
    outline: str = ""
    outline_width: float = 0.0


@dataclass(frozen=True, slots=True)
class Disc:
    """A filled disc with an outline."""

    centre: Point
    radius: float
    fill: str
    outline: str = ""
    outline_width: float = 0.0


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line."""

    start: Point
    end: Point
    colour: str
    width: float


@dataclass(frozen=True, slots=True)
class Text:
    """A text around its centre, so many cells high."""

    centre: Point
    text: str
    size: float
    is_bold: bool


Shape = Polygon | Disc | Line | Text


def shapes(picture: Picture) -> Iterator[Shape]:
    """What to draw, the lowest first. Lengths are in cells."""
    for start, end in picture.lines:
        yield Line(start, end, LABEL, 0.03)
    for place, cell in picture.cells.items():
        yield _ground(picture, place, cell)
    for x, y, width, height in picture.frames:
        corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
        yield Polygon(corners, None, GIVEN, 0.06)
    for place, cell in picture.cells.items():
        yield from _on(place, cell)


def _ground(picture: Picture, place: Point, cell: Cell) -> Shape:
    x, y = place
    is_dark = picture.is_chequered and int(x) % 2 != int(y) % 2
    fill = DARK if is_dark else LIGHT if picture.is_chequered else EMPTY
    if cell.colour is not None:
        fill = PALETTE[cell.colour % len(PALETTE)]
    if picture.is_round:
        return Disc(place, 0.42, fill, GIVEN, 0.03)
    corners = tuple(
        (x + dx, y + dy) for dx, dy in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
    )
    return Polygon(corners, fill, *(() if picture.is_chequered else (LABEL, 0.02)))


def _on(place: Point, cell: Cell) -> Iterator[Shape]:
    x, y = place
    if cell.piece is Piece.DOT:
        yield Disc(place, 0.26, GIVEN)
    elif cell.piece is not None:
        fill, outline = _QUEENS[cell.piece]
        yield Polygon(tuple((x + dx, y + dy) for dx, dy in CROWN), fill, outline, 0.05)
    if cell.text:
        size = _TEXT_SIZE * min(1.0, 2.4 / (1 + len(cell.text)))
        yield Text(place, cell.text, size, cell.is_given)
