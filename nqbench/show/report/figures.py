"""The charts of a page as elements of SVG, with texts under the pointer.

Charts are drawn once, for white paper. Every colour in them is a variable of CSS, which a dark page
sets to another one.
"""

import io
import re
from collections.abc import Iterable, Iterator
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import matplotlib.style
import numpy as np
import polars as pl
from markupsafe import Markup
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from numpy.typing import NDArray

from nqbench.show import plots
from nqbench.show.plots.kind import Chart
from nqbench.show.plots.labels import COLOURED_BY_VALUE, TOOLTIPS, Tooltip
from nqbench.show.plots.layout import Figure
from nqbench.show.plots.style import lighter

SVG: Final = "{http://www.w3.org/2000/svg}"
AS_DRAWN: Final = "as-drawn"
"""The class of elements that keep their colours on a dark page."""

_LINK: Final = "{http://www.w3.org/1999/xlink}href"
_OWN_ID: Final = re.compile("[hmp][0-9a-f]{10}")
"""An id that something refers to: of a marker, a clip path or hatches."""

_REFERENCE: Final = re.compile(rf"#(?={_OWN_ID.pattern}\b)")
_PLACES: Final = ("d", "x", "y", "transform")
_DIGITS: Final = re.compile(r"(\.\d\d)\d+")
_FONT: Final = re.compile("font-family: [^;]*;? ?")
_NOT_XML: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ONLY_IN_FILES: Final = ("width", "height", "version")

ElementTree.register_namespace("", SVG.strip("{}"))
ElementTree.register_namespace("xlink", _LINK.partition("}")[0].strip("{"))


def plain(text: str) -> str:
    """The text without characters that no document can have, as names of solvers may."""
    return _NOT_XML.sub("", text)


def read(content: bytes) -> Element:
    """The root of a file that Matplotlib wrote."""
    return ElementTree.fromstring(plain(content.decode()))


def written(root: Element, name: str, title: str) -> str:
    """The text of the element, which has this title. Its ids begin with the name. A second pair of
    colours for each is in a style of its own.
    """
    _leave_out_what_files_need(root)
    root.attrib |= {"role": "img", "aria-label": plain(title)}
    for element in root.iter():
        _share_style(element)
        _rename(element, name)
        _shorten(element)
        if AS_DRAWN not in element.get("class", "") and (style := element.get("style")):
            element.set("style", with_variables(style))
    colours = Element(f"{SVG}style")
    colours.text = dark_rule(element.get("style", "") for element in root.iter())
    root.insert(0, colours)
    return ElementTree.tostring(root, encoding="unicode")


def _leave_out_what_files_need(root: Element) -> None:
    for part in root.findall(f"{SVG}metadata") + root.findall(f"{SVG}defs"):
        if part.tag == f"{SVG}metadata" or part.find(f"{SVG}style") is not None:
            root.remove(part)
    for attribute in _ONLY_IN_FILES:
        root.attrib.pop(attribute, None)


def _rename(element: Element, name: str) -> None:
    """Put the name before an id and references to one; remove an id that nothing refers to."""
    if _OWN_ID.fullmatch(own := element.attrib.pop("id", "")):
        element.set("id", f"{name}-{own}")
    for key in (_LINK, "clip-path", "style"):
        if reference := element.get(key):
            element.set(key, _REFERENCE.sub(f"#{name}-", reference))


def _shorten(element: Element) -> None:
    """Leave out space, digits that nobody sees, and the fonts, which are those of the page."""
    for key in _PLACES:
        if place := element.get(key):
            element.set(key, _DIGITS.sub(r"\1", " ".join(place.split())))
    if style := element.get("style"):
        element.set("style", _FONT.sub("", style))
    element.tail = None
    if element.text and not element.text.strip():
        element.text = None


def _share_style(element: Element) -> None:
    """Put the style of markers on the element around them, if it is the same in all of them."""
    styles = {child.get("style") for child in element}
    if {child.tag for child in element} == {f"{SVG}use"} and len(styles) == 1:
        element.set("style", styles.pop() or "")
        for child in element:
            child.attrib.pop("style", None)


_PAGE: Final = to_rgb("#161616")
_INK: Final = to_rgb("#e8e8e8")
_CONTRAST: Final = 4.5
"""The least contrast of texts that WCAG 2 asks for, in its criterion 1.4.3."""

_COLOUR: Final = re.compile("#([0-9a-f]{6})")


def with_variables(style: str) -> str:
    """The declarations of CSS with a variable in place of each colour.

    >>> with_variables("fill: none; stroke: #0072b2")
    'fill: none; stroke: var(--c0072b2,#0072b2)'
    """
    return _COLOUR.sub(r"var(--c\1,#\1)", style)


def dark_rule(styles: Iterable[str]) -> str:
    """The rule of CSS that sets the variables in these styles on a dark page. Paper is white."""
    colours = {colour for style in styles for colour in re.findall(r"--c([0-9a-f]{6})", style)}
    pairs = " ".join(f"--c{colour}:{dark(f'#{colour}')};" for colour in sorted(colours))
    return f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {pairs} }} }}"


def dark(colour: str) -> str:
    """The colour in place of this one on a dark page: greys change sides, and other colours get as
    much lighter as they need to be seen.

    >>> dark("#ffffff"), dark("#000000"), dark("#e69f00"), dark("#661144")
    ('#161616', '#e8e8e8', '#e69f00', '#a3708f')
    """
    red, green, blue = to_rgb(colour)
    if red == green == blue:
        page, ink = _PAGE[0], _INK[0]
        grey = page + (ink - page) * (1 - red)
        return to_hex((grey, grey, grey))
    steps = (lighter(colour, 1 - step / 100) for step in range(100))
    return next(c for c in steps if _light(c) + 0.05 >= _CONTRAST * (_light(to_hex(_PAGE)) + 0.05))


def _light(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in to_rgb(colour)
    )
    return sum(part * share for part, share in zip(parts, (0.2126, 0.7152, 0.0722), strict=True))


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
    root = read(file.getvalue())
    elements = {element.get("id"): element for element in root.iter()}
    count = sum(len(TOOLTIPS[artist].points) for artist in known if artist in TOOLTIPS)
    every = max(1, -(-count // _MOST_POINTS))
    for artist in known:
        # What is part of a picture, or invisible, has no element.
        if (element := elements.get(artist.get_gid())) is not None:
            _mark(element, artist, figure, every)
    return Markup(written(root, name, chart.title))


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
    title.text = plain(text)
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
