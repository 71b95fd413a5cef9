"""What a picture of a solution shows: cells with colours, texts and pieces, and lines.

A family describes its solutions so, and `nqbench.show.boards` draws them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum, auto
from math import cos, pi, sin
from typing import Any

Point = tuple[float, float]
"""x to the right and y down, in cells."""


class Piece(StrEnum):
    """What stands on a cell."""

    WHITE_QUEEN = auto()
    BLACK_QUEEN = auto()
    DOT = auto()


@dataclass(frozen=True, slots=True)
class Cell:
    """A text, a piece, and the number of a colour, or none. `is_given`: the problem placed it."""

    text: str = ""
    colour: int | None = None
    piece: Piece | None = None
    is_given: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """Cells by their centres, with lines between points, on a ground of this width and height.

    `is_chequered`: light and dark cells alternate. `is_round`: cells are discs. `frames` are
    rectangles (x, y, width, height) with thick borders. `label` says in words what it shows.
    """

    label: str
    width: float
    height: float
    cells: Mapping[Point, Cell]
    lines: tuple[tuple[Point, Point], ...] = ()
    frames: tuple[tuple[float, float, float, float], ...] = ()
    is_chequered: bool = False
    is_round: bool = False


Square = tuple[int, int]


def grid_text(n: int, symbols: Mapping[Any, str], empty: str = ".") -> str:
    """The same as text: n rows of n symbols, by row and column, and what is without one empty."""
    return "\n".join(
        " ".join(symbols.get((row, column), empty) for column in range(n)) for row in range(n)
    )


def grid(
    label: str,
    rows: int,
    columns: int,
    cells: Mapping[Square, Cell],
    *,
    is_chequered: bool = False,
    box: int = 0,
) -> Picture:
    """Rows of square cells, those without anything included; `cells` by row and column. With `box`,
    boxes of so many rows and columns have frames.
    """
    squares = ((row, column) for row in range(rows) for column in range(columns))
    starts = [
        (x, y) for y in range(0, rows, box or rows) for x in range(0, columns, box or columns)
    ]
    return Picture(
        label,
        columns,
        rows,
        {(column + 0.5, row + 0.5): cells.get((row, column), Cell()) for row, column in squares},
        frames=tuple((x, y, box or columns, box or rows) for x, y in starts),
        is_chequered=is_chequered,
    )


def strip(label: str, cells: Iterable[Cell], columns: int = 24) -> Picture:
    """A row of cells, which continues below after so many."""
    row = list(cells)
    used = min(columns, len(row))
    by_square = {divmod(place, used): cell for place, cell in enumerate(row)}
    picture = grid(label, -(-len(row) // used), used, by_square)
    last = len(row) % used or used
    kept = {
        (x, y): cell for (x, y), cell in picture.cells.items() if y < picture.height - 1 or x < last
    }
    return Picture(label, picture.width, picture.height, kept)


def circle(label: str, cells: Iterable[Cell], edges: Iterable[tuple[int, int]]) -> Picture:
    """Vertices on a circle, and lines for the edges between them, whose ends are numbers of
    vertices.
    """
    vertices = list(cells)
    radius = max(1.0, 0.24 * len(vertices))
    turns = [2 * pi * vertex / len(vertices) for vertex in range(len(vertices))]
    places = [(radius * (1 + sin(turn)) + 0.6, radius * (1 - cos(turn)) + 0.6) for turn in turns]
    side = 2 * radius + 1.2
    lines = tuple((places[one], places[other]) for one, other in edges)
    return Picture(
        label, side, side, dict(zip(places, vertices, strict=True)), lines, is_round=True
    )
