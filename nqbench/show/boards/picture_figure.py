"""Pictures of solutions in Matplotlib figures."""

from typing import Any, Final

from matplotlib import patches
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nqbench.problems.picture import Picture
from nqbench.show.boards import look
from nqbench.show.boards.shapes import Disc, Line, Polygon, Shape, shapes

_INCHES: Final = 4.0
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
            style: dict[str, Any] = {"ha": "center", "va": "center_baseline", "color": look.GIVEN}
            weight = "bold" if shape.is_bold else "normal"
            axes.text(
                *shape.centre, shape.text, size=points * shape.size, weight=weight,
                zorder=layer, **style,
            )  # fmt: skip
