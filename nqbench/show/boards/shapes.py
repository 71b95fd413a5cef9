"""The shapes of a picture, once for SVG and PNG."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from nqbench.problems.picture import Cell, Picture, Piece, Point
from nqbench.show.boards import look

_TEXT_SIZE: Final = 0.5
_QUEENS: Final = {
    Piece.WHITE_QUEEN: (look.FOUND, look.GIVEN),
    Piece.BLACK_QUEEN: (look.GIVEN, look.FOUND),
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
        yield Line(start, end, look.LABEL, 0.03)
    for place, cell in picture.cells.items():
        yield _ground(picture, place, cell)
    for x, y, width, height in picture.frames:
        corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
        yield Polygon(corners, None, look.GIVEN, 0.06)
    for place, cell in picture.cells.items():
        yield from _on(place, cell)


def _ground(picture: Picture, place: Point, cell: Cell) -> Shape:
    x, y = place
    is_dark = picture.is_chequered and int(x) % 2 != int(y) % 2
    fill = look.DARK if is_dark else look.LIGHT if picture.is_chequered else look.EMPTY
    if cell.colour is not None:
        fill = look.PALETTE[cell.colour % len(look.PALETTE)]
    if picture.is_round:
        return Disc(place, 0.42, fill, look.GIVEN, 0.03)
    corners = tuple(
        (x + dx, y + dy) for dx, dy in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
    )
    return Polygon(corners, fill, *(() if picture.is_chequered else (look.LABEL, 0.02)))


def _on(place: Point, cell: Cell) -> Iterator[Shape]:
    x, y = place
    if cell.piece is Piece.DOT:
        yield Disc(place, 0.26, look.GIVEN)
    elif cell.piece is not None:
        fill, outline = _QUEENS[cell.piece]
        yield Polygon(tuple((x + dx, y + dy) for dx, dy in look.CROWN), fill, outline, 0.05)
    if cell.text:
        size = _TEXT_SIZE * min(1.0, 2.4 / (1 + len(cell.text)))
        yield Text(place, cell.text, size, cell.is_given)
