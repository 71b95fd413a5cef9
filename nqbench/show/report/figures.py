"""The charts of a page as elements of SVG, with texts under the pointer."""

import io
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element, SubElement

import matplotlib.style
import numpy as np
import polars as pl
from markupsafe import Markup
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from numpy.typing import NDArray

from nqbench.show import plots
from nqbench.show.plots.kind import Chart
from nqbench.show.plots.layout import Figure
from nqbench.show.plots.tooltips import COLOURED_BY_VALUE, TOOLTIPS, Tooltip
from nqbench.show.report import inline_svg
from nqbench.show.report.inline_svg import AS_DRAWN, SVG

_MOST_POINTS: Final = 2000
"""The most points of a chart with a text. Of more, every second, third or so has one."""

_MOST_MARKS: Final = 20_000
"""The most marks of a panel that are shapes, of about 100 bytes each. More are one picture."""

_REACH: Final = "4"
"""How far from a point its text is shown, in points of a printer."""


def drawing(records: pl.DataFrame, chart: Chart, name: str) -> Markup:
    """A chart of these records of one family, as an element with ids that begin with the name. A
    chart beside another one is as wide as a column of a paper, so that its text has the same size.
    """
    figure = plots.draw(records, chart.kind, width="two" if chart.wide else "one", title=False)
    for axes in figure.axes:
        if _count_marks(axes) > _MOST_MARKS:
            for artist in (*axes.lines, *axes.collections):
                artist.set_rasterized(True)
    known = [a for a in figure.findobj() if a in TOOLTIPS or a in COLOURED_BY_VALUE]
    for place, artist in enumerate(known):
        artist.set_gid(f"{name}-{place}")
    file = io.BytesIO()
    with matplotlib.style.context(plots.STYLE):
        plots.lay_out(figure)
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    root = inline_svg.read(file.getvalue())
    elements = {element.get("id"): element for element in root.iter()}
    count = sum(len(TOOLTIPS[artist].points) for artist in known if artist in TOOLTIPS)
    every = max(1, -(-count // _MOST_POINTS))
    for artist in known:
        # What is part of a picture, or invisible, has no element.
        if (element := elements.get(artist.get_gid())) is not None:
            _mark(element, artist, figure, every)
    return Markup(inline_svg.written(root, name, chart.title))


def _count_marks(axes: Axes) -> int:
    """The number of marks that lines have at each of their points."""
    marked = (line for line in axes.lines if line.get_marker() not in ("None", "", None))
    return sum(len(np.asarray(line.get_xdata())) for line in marked if line.get_markevery() is None)


def _mark(element: Element, artist: Artist, figure: Figure, every: int) -> None:
    """Say in the element of an artist how its colours were chosen, and add its texts."""
    if artist in COLOURED_BY_VALUE:
        for part in element.iter():
            part.set("class", AS_DRAWN)
    if tooltip := TOOLTIPS.get(artist):
        if tooltip.text:
            element.set("class", "mark")
            _add_text(element, tooltip.text)
        if tooltip.points and isinstance(artist.axes, Axes):
            _add_points(element, figure, artist.axes, tooltip, every)


def _add_text(element: Element, text: str) -> None:
    title = Element(f"{SVG}title")
    title.text = inline_svg.plain(text)
    element.insert(0, title)


def _add_points(element: Element, figure: Figure, axes: Axes, tooltip: Tooltip, every: int) -> None:
    """Add what the pointer meets in place of points: circles, or the cells of a table."""
    points = tooltip.points[::every]
    middles = np.array([(x, y) for x, y, _ in points], float)
    if tooltip.cells:
        corners = (_places(figure, axes, middles + side) for side in (-0.5, 0.5))
        for (x, y), (to_x, to_y), (*_, of) in zip(*corners, points, strict=True):
            cell = {"x": min(x, to_x), "y": min(y, to_y), "width": abs(to_x - x)}
            shape = cell | {"height": abs(to_y - y)}
            _add_text(SubElement(element, f"{SVG}rect", _attributes(shape)), tooltip.describe(of))
        return
    for (x, y), (*_, of) in zip(_places(figure, axes, middles), points, strict=True):
        if np.isfinite(x) and np.isfinite(y):  # a logarithmic axis has no place for 0
            circle = _attributes({"cx": x, "cy": y}) | {"r": _REACH}
            _add_text(SubElement(element, f"{SVG}circle", circle), tooltip.describe(of))


def _places(
    figure: Figure, axes: Axes, points: NDArray[np.float64]
) -> Iterator[tuple[float, float]]:
    """Where points of some axes are in the file: in points of a printer, from its upper left."""
    width, height = 72 * figure.get_size_inches()
    shares = figure.transFigure.inverted().transform(axes.transData.transform(points))
    return ((float(x * width), float((1 - y) * height)) for x, y in shares)


def _attributes(shape: dict[str, float]) -> dict[str, str]:
    return {"class": "hit"} | {name: f"{value:.2f}" for name, value in shape.items()}
