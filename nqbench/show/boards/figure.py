"""Boards and pictures of solutions in Matplotlib figures, for PNG, animations, and windows."""

from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib import patches
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.path import Path as Outline
from numpy.typing import NDArray

from nqbench.common import files
from nqbench.problems.picture import Picture
from nqbench.problems.queens import Square
from nqbench.show.boards import scene
from nqbench.show.boards.scene import Disc, Line, Polygon, Scene, Shape, shapes

_INCHES: Final = 4.0
_CROWN: Final = Outline([*((x, -y) for x, y in scene.CROWN), (0, 0)], closed=True)


def write_png(drawn: Scene | Picture, path: Path, pixels: int = 800) -> None:
    """Write a board or a picture, its longer side with so many pixels, whatever the name of the
    file. Raises `InputError` as `files.written` does.
    """
    if isinstance(drawn, Scene):
        figure = Figure(figsize=(_INCHES, _INCHES), dpi=pixels / _INCHES)
        draw(figure.add_axes((0.07, 0.07, 0.92, 0.92)), drawn)
    else:
        figure = figure_of(drawn, pixels)
    FigureCanvasAgg(figure)
    with files.written(path) as file:
        figure.savefig(file, format="png", transparent=True)


def draw(axes: Axes, board: Scene) -> None:
    """Clear the axes and draw the board, with the first row on top."""
    n = board.problem.n
    axes.clear()
    axes.imshow(_squares(board), extent=(-0.5, n - 0.5, n - 0.5, -0.5), interpolation="nearest")
    for piece in board.attack_lines:
        _line(axes, piece[0], piece[-1])
    _marks(axes, board.problem.blocked, "x", 0.5, color="white", linewidths=_points(axes, 0.06))
    _marks(axes, board.problem.placed, _CROWN, 0.8, color=scene.GIVEN)
    draw_found(axes, board)
    axes.set_xlim(-0.5, n - 0.5)
    axes.set_ylim(n - 0.5, -0.5)
    _label(axes, n)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _line(axes: Axes, start: Square, end: Square) -> None:
    rows, columns = zip(start, end, strict=True)
    style: Any = {"alpha": 0.75, "solid_capstyle": "round"}
    axes.plot(columns, rows, color=scene.LINE, linewidth=_points(axes, 0.16), **style)


def _label(axes: Axes, n: int) -> None:
    axes.tick_params(length=0, labelsize=8, colors=scene.LABEL)
    labelled = list(range(n)) if n <= scene.LARGEST_LABELLED else []
    axes.set_xticks(labelled, [chr(ord("a") + column) for column in labelled])
    axes.set_yticks(labelled, [str(n - row) for row in labelled])


def draw_found(axes: Axes, board: Scene) -> list[Artist]:
    """Add the queens and dots of a search to a drawn board. Returns the added artists."""
    return [
        *_marks(axes, board.dots, "o", 0.24, color=scene.DOT),
        *_marks(
            axes,
            board.found,
            _CROWN,
            0.8,
            color=scene.FOUND,
            edgecolors=scene.GIVEN,
            linewidths=_points(axes, 0.05),
        ),
    ]


def _squares(board: Scene) -> NDArray[np.float64]:
    """The colour of each square, shape (n, n, 3), each channel from 0 to 1."""
    rows, columns = np.indices((board.problem.n, board.problem.n))
    dark = (rows + columns) % 2 == 1
    colours = np.where(dark[..., np.newaxis], to_rgb(scene.DARK), to_rgb(scene.LIGHT))
    for square in board.attacked_squares:
        veil = scene.ATTACKED_OPACITY
        colours[square] = (1 - veil) * colours[square] + veil * np.array(to_rgb(scene.ATTACKED))
    for square in board.problem.blocked:
        colours[square] = to_rgb(scene.BLOCKED)
    return colours


def _marks(axes: Axes, squares: Any, marker: Any, size: float, **look_of_it: Any) -> list[Artist]:
    """Draw the same mark on each square; `size` is a share of the square's side."""
    if not squares:
        return []
    rows, columns = zip(*squares, strict=True)
    area = _points(axes, size) ** 2
    return [axes.scatter(columns, rows, s=area, marker=marker, zorder=3, **look_of_it)]


def _points(axes: Axes, squares: float) -> float:
    """Convert a length in squares to typographic points."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    width = axes.get_position().width * figure.get_figwidth() * 72
    n = abs(axes.get_xlim()[1] - axes.get_xlim()[0])
    return squares * float(width / n)


_MARGIN: Final = 0.05
_POINTS_PER_INCH: Final = 72


def figure_of(picture: Picture, pixels: int) -> Figure:
    """The picture as a figure, its longer side with so many pixels."""
    sides = picture.width + 2 * _MARGIN, picture.height + 2 * _MARGIN
    inches = _INCHES / max(sides)
    figure = Figure(figsize=(sides[0] * inches, sides[1] * inches), dpi=pixels / _INCHES)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(-_MARGIN, picture.width + _MARGIN)
    axes.set_ylim(picture.height + _MARGIN, -_MARGIN)
    for layer, shape in enumerate(shapes(picture)):
        _draw(axes, shape, layer, inches * _POINTS_PER_INCH)
    return figure


def _draw(axes: Axes, shape: Shape, layer: int, points: float) -> None:
    """Draw a shape in this layer; a cell is so many typographic points wide."""

    def look_of(fill: str | None, outline: str, width: float) -> dict[str, Any]:
        edge = {"edgecolor": outline or "none", "linewidth": points * width, "zorder": layer}
        return {"facecolor": fill or "none", **edge}

    match shape:
        case Line((x, y), (x2, y2), colour, width):
            axes.plot([x, x2], [y, y2], color=colour, linewidth=points * width, zorder=layer)
        case Disc(centre, radius, fill, outline, width):
            axes.add_patch(patches.Circle(centre, radius, **look_of(fill, outline, width)))
        case Polygon(corners, fill, outline, width):
            axes.add_patch(patches.Polygon(corners, **look_of(fill, outline, width)))
        case _:
            style: dict[str, Any] = {"ha": "center", "va": "center_baseline", "color": scene.GIVEN}
            weight = "bold" if shape.is_bold else "normal"
            axes.text(
                *shape.centre, shape.text, size=points * shape.size, weight=weight,
                zorder=layer, **style,
            )  # fmt: skip
