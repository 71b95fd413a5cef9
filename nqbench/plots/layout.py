"""The layout of a page: title and campaign on top, then panels, a key and a caption."""

import io
import textwrap
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final

import matplotlib.figure
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from nqbench.plots import words
from nqbench.plots.looks import DASHED, GREY, PALE, Look
from nqbench.plots.sheet import Sheet

_COLUMNS: Final = {1: 1, 2: 2, 3: 3, 4: 2, 5: 3, 6: 3, 9: 3}
"""Panels per row that fill a wide page, by the number of panels; four for other numbers."""

_HEIGHTS: Final = {1: 3.2, 2: 2.25, 3: 2.0, 4: 1.7}
"""The height of a panel on a wide page, in inches, by the number of panels per row."""

_LEFT: Final = 0.008
_LINE: Final = 1.3
_KEY_LINE: Final = 1.45
_KEY_SPACE: Final = 7
"""Line heights in font sizes, and the characters that a key's line takes beside its name."""

MOST_PANELS: Final = 12
"""More panels do not fit a page, so only the best are shown."""


class Figure(matplotlib.figure.Figure):
    """A figure that shows itself in a notebook, even if Matplotlib is not set up for notebooks."""

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png")
        return file.getvalue()


class Page:
    """A figure with `count` panels that is being drawn. `most_columns` keeps panels wide. `height`
    is the height of all panels together, in inches (default: the usual height).
    """

    def __init__(
        self,
        sheet: Sheet,
        count: int = 1,
        *,
        share_y: bool = True,
        share_x: bool = True,
        most_columns: int = 4,
        height: float | None = None,
    ) -> None:
        paper = sheet.paper
        self.sheet = sheet
        self.columns = min(_COLUMNS.get(count, 4) if paper.wide else min(count, 2), most_columns)
        self.rows = -(-count // self.columns)
        usual = _HEIGHTS[self.columns] if paper.wide else (2.3, 1.5)[self.columns - 1]
        self.height = height or self.rows * usual
        self.figure = Figure(
            figsize=(paper.inches, self.height), dpi=paper.dpi, layout="constrained"
        )
        grid = self.figure.subplots(
            self.rows, self.columns, sharex=share_x, sharey=share_y, squeeze=False
        )
        cells = grid.flatten().tolist()
        self.panels: list[Axes] = cells[:count]
        self.spare: list[Axes] = cells[count:]
        for cell, above in zip(self.spare, cells[count - self.columns :], strict=False):
            cell.set_axis_off()
            above.xaxis.set_tick_params(labelbottom=True)

    @property
    def panel_inches(self) -> float:
        """Approximate width of a panel between its axes."""
        return 0.8 * self.sheet.paper.inches / self.columns

    @property
    def panel_points(self) -> float:
        """Approximate height of a panel between its axes, in points."""
        return 72 * self.height / self.rows - 4 * self.sheet.paper.points

    def name_axes(self, x: str, y: str) -> None:
        """Name the shared axes: x below each column, y at the left of each row."""
        for position, axes in enumerate(self.panels):
            if position + self.columns >= len(self.panels):
                axes.set_xlabel(x)
            if position % self.columns == 0:
                axes.set_ylabel(y)

    def name_panel(self, axes: Axes, name: str) -> None:
        """Write the title of a panel, in two lines if a combination is too long for one."""
        letters = 72 * self.panel_inches / (0.6 * self.sheet.paper.points)
        axes.set_title(name if len(name) <= letters else name.replace(" x ", "\nx "))

    def finish(self, title: str, key: Sequence[Artist] = (), notes: Sequence[str] = ()) -> Figure:
        """Add title, campaign, key and caption around the panels, and return the figure."""
        paper = self.sheet.paper
        caption = _wrapped(" ".join(f"{note}." for note in notes), paper.characters(paper.small))
        titles = _wrapped(title, paper.characters(1.25 * paper.points))
        campaign = _wrapped(self.sheet.campaign, paper.characters(paper.small))
        beside = bool(self.spare) and len(key) <= self.panel_points / (_KEY_LINE * paper.small)
        if beside:
            _break_names(key, paper.characters(paper.small) // self.columns - _KEY_SPACE)
        ncols = _key_columns(
            [str(handle.get_label()) for handle in key], paper.characters(paper.small)
        )
        key_height = 0.0 if beside else _KEY_LINE * paper.small * -(-len(key) // ncols)
        head = _LINE * (1.1 * paper.points * len(titles) + paper.small * (len(campaign) + 0.4))
        foot = key_height + _LINE * paper.small * (len(caption) + 0.6)
        points = 72 * self.height + head + foot
        self.figure.set_size_inches(paper.inches, points / 72)
        self._write(titles, campaign, caption, points)
        if key:
            where: dict[str, Any] = {"loc": "upper left", "borderaxespad": 0.2}
            if beside:
                self.spare[0].legend(handles=key, **where)
            else:
                corner = (_LEFT, foot / points)
                self.figure.legend(handles=key, ncols=ncols, bbox_to_anchor=corner, **where)
        rect = (0, foot / points, 1, 72 * self.height / points)
        self.figure.set_layout_engine("constrained", rect=rect)
        return self.figure

    def _write(
        self, titles: Sequence[str], campaign: Sequence[str], caption: Sequence[str], points: float
    ) -> None:
        """Write the title and the campaign at the top, and the caption at the bottom."""
        paper = self.sheet.paper
        size, top = 1.1 * paper.points, 1 - 0.3 * paper.points / points
        style: dict[str, Any] = {"linespacing": _LINE - 0.15, "ha": "left"}
        self.figure.text(_LEFT, top, "\n".join(titles), size=size, weight="bold", va="top", **style)
        below = top - _LINE * size * len(titles) / points
        small: dict[str, Any] = {"size": paper.small, "color": GREY} | style
        self.figure.text(_LEFT, below, "\n".join(campaign), va="top", **small)
        bottom = 0.3 * paper.small / points
        self.figure.text(_LEFT, bottom, "\n".join(caption), va="bottom", **small)


def _break_names(key: Sequence[Artist], width: int) -> None:
    """Break the names of a key that are wider than a panel."""
    for handle in key:
        handle.set_label(textwrap.fill(str(handle.get_label()), max(12, width)))


def _key_columns(labels: Sequence[str], characters: int) -> int:
    """Number of columns, filled one after the other, in which a key of these labels fits."""
    widths = [len(label) + _KEY_SPACE for label in labels]
    for count in range(len(labels), 1, -1):
        longer, rest = len(labels) % count, len(labels) // count
        sizes = [rest + 1] * longer + [rest] * (count - longer)
        ends = list(accumulate(sizes))
        if (
            sum(max(widths[end - size : end]) for size, end in zip(sizes, ends, strict=True))
            <= characters
        ):
            return count
    return 1


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False)


def line(label: str, look: Look) -> Line2D:
    """The key entry of a line."""
    return Line2D([], [], label=label, **look)


def others(label: str) -> Line2D:
    """The key entry of the grey lines."""
    return line(label, {"color": PALE})


def band(label: str) -> Patch:
    """The key entry of a band around a line."""
    return Patch(color=GREY, alpha=0.25, lw=0, label=label)


def cross(label: str) -> Line2D:
    """The key entry of a cross."""
    return line(label, {"color": GREY, "marker": "x", "ls": "none", "ms": 5})


def limits(near: Sequence[float], time: str) -> list[Line2D]:
    """The key entry of the dashed lines at limits of a column of times, if there are any."""
    return [line(words.limits(near, time), DASHED)] if near else []
