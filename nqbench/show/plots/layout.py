"""The layout of a page: title and campaign on top, then panels, a key and a caption.

A stack is such a page for each family, one below the other.
"""

import io
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Final

import matplotlib.figure
import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase, SubFigure
from matplotlib.gridspec import GridSpec
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from nqbench.common import metrics
from nqbench.show.paper import Paper
from nqbench.show.plots import labels
from nqbench.show.plots.style import DASHED, GREY, PALE, Look, Looks
from nqbench.summary import description

_COLUMNS: Final = {1: 1, 2: 2, 3: 3, 4: 2, 5: 3, 6: 3, 9: 3}
"""Panels per row that fill a wide page, by the number of panels; four for other numbers."""

_HEIGHTS: Final = {1: 3.2, 2: 2.25, 3: 2.0, 4: 1.7}
"""The height of a panel on a wide page, in inches, by the number of panels per row."""

_LEFT: Final = 0.008
_LINE: Final = 1.3
_KEY_LINE: Final = 1.45
_KEY_SPACE: Final = 8
"""Line heights in font sizes, and the characters that a key's line takes beside its name."""

_TEXT: Final[dict[str, Any]] = {"linespacing": _LINE - 0.15, "ha": "left"}

MOST_PANELS: Final = 12
"""More panels do not fit a page, so only the best are shown."""


class Figure(matplotlib.figure.Figure):
    """A figure that shows itself in a notebook, even if Matplotlib is not set up for notebooks.

    `heading` is its title, whether it is written above the panels or not, and `records` are what it
    shows.
    """

    heading: str
    records: pl.DataFrame

    @property
    def caption(self) -> str:
        """What a paper says below the figure: its title, the campaign, the limits of a run, and the
        machine.
        """
        measured = description.campaign_on_problems(self.records)
        return f"{self.heading}: {measured}. {description.conditions(self.records)}"

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
        sheet: "Sheet",
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
        self._own = Figure(figsize=(paper.inches, self.height), dpi=paper.dpi, layout="constrained")
        self.figure = sheet.stack.place() if sheet.stack else self._own
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
        letters = int(72 * self.panel_inches / (0.6 * self.sheet.paper.points))
        lines = [name] if len(name) <= letters else name.replace(" x ", "\nx ").split("\n")
        axes.set_title("\n".join(labels.shortened(line, letters) for line in lines))

    def finish(self, title: str, key: Sequence[Artist] = (), notes: Sequence[str] = ()) -> Figure:
        """Add title, campaign, key and caption around the panels, and return the figure."""
        paper = self.sheet.paper
        around = Around(
            paper,
            title if self.sheet.titled else "",
            self.sheet.campaign if self.sheet.titled else "",
            key,
            [*notes, *self.sheet.notes],
        )
        if self.sheet.stack:
            self.sheet.stack.finish(self, title, around)
            return self.sheet.stack.figure
        beside = bool(self.spare) and len(key) <= self.panel_points / (_KEY_LINE * paper.small)
        if beside:
            _break_names(key, paper.characters(paper.small) // self.columns - _KEY_SPACE)
            self.spare[0].legend(handles=key, loc="upper left", borderaxespad=0.2)
            around = replace(around, key=())
        head, foot = around.head, around.foot
        points = 72 * self.height + head + foot
        self._own.heading = title
        self._own.set_size_inches(paper.inches, points / 72)
        around.write_head(self._own, points)
        around.write_foot(self._own, points)
        rect = (0, foot / points, 1, 72 * self.height / points)
        self._own.set_layout_engine("constrained", rect=rect)
        return self._own


@dataclass(frozen=True, slots=True)
class Around:
    """What is written around the panels of a page. Heights are in points."""

    paper: Paper
    title: str
    campaign: str
    key: Sequence[Artist]
    notes: Sequence[str]

    @property
    def titles(self) -> list[str]:
        """The lines of the title."""
        return _wrap_lines(self.title, self.paper.characters(1.25 * self.paper.points))

    @property
    def described(self) -> list[str]:
        """The lines about the campaign."""
        return _wrap_lines(self.campaign, self.paper.characters(self.paper.small))

    @property
    def caption(self) -> list[str]:
        """The lines of the caption."""
        text = " ".join(f"{note}." for note in self.notes)
        return _wrap_lines(text, self.paper.characters(self.paper.small))

    @property
    def columns(self) -> int:
        """The number of columns of the key."""
        labels = [str(handle.get_label()) for handle in self.key]
        return _key_columns(labels, self.paper.characters(self.paper.small))

    @property
    def head(self) -> float:
        """The height of title and campaign."""
        lines = 1.1 * self.paper.points * len(self.titles) + self.paper.small * len(self.described)
        return _LINE * (lines + 0.4 * self.paper.small) if lines else 0.0

    @property
    def foot(self) -> float:
        """The height of key and caption."""
        key = _KEY_LINE * self.paper.small * -(-len(self.key) // self.columns)
        return key + _LINE * self.paper.small * (len(self.caption) + 0.6)

    def write_head(self, figure: FigureBase, points: float) -> None:
        """Write title and campaign at the top of a figure of this height."""
        if not self.head:
            return
        size, top = 1.1 * self.paper.points, 1 - 0.3 * self.paper.points / points
        look: dict[str, Any] = {"va": "top"} | _TEXT
        figure.text(_LEFT, top, "\n".join(self.titles), size=size, weight="bold", **look)
        below = top - _LINE * size * len(self.titles) / points
        look |= {"size": self.paper.small, "color": GREY}
        figure.text(_LEFT, below, "\n".join(self.described), **look)

    def write_foot(self, figure: FigureBase, points: float) -> None:
        """Write key and caption at the bottom of a figure of this height."""
        if self.key:
            where: dict[str, Any] = {"loc": "upper left", "borderaxespad": 0.2}
            corner = (_LEFT, self.foot / points)
            figure.legend(handles=self.key, ncols=self.columns, bbox_to_anchor=corner, **where)
        bottom = 0.3 * self.paper.small / points
        look: dict[str, Any] = {"size": self.paper.small, "color": GREY, "va": "bottom"} | _TEXT
        figure.text(_LEFT, bottom, "\n".join(self.caption), **look)


@dataclass(frozen=True, slots=True)
class _Part:
    """One page of a stack: its name, its subfigures, and what is written around its panels."""

    name: str
    subfigures: Sequence[SubFigure]
    page: Page
    title: str
    around: Around


class Stack:
    """A figure with a page for each of these names, one below the other. What is equal in all of
    them is written once: the title on top, key and notes at the bottom.
    """

    def __init__(self, paper: Paper, names: Sequence[str]) -> None:
        self.figure = Figure(figsize=(paper.inches, 1), dpi=paper.dpi, layout="constrained")
        self._paper = paper
        self._names = names
        # A strip for the title, for head, panels and foot of each page, and for key and notes.
        count = 3 * len(names) + 2
        self._grid = GridSpec(count, 1, figure=self.figure)
        self._strips = [self.figure.add_subfigure(self._grid[row]) for row in range(count)]
        self._parts: list[_Part] = []

    def _own(self) -> Sequence[SubFigure]:
        """The places of the head, the panels and the foot of the next page."""
        start = 3 * len(self._parts) + 1
        return self._strips[start : start + 3]

    def place(self) -> SubFigure:
        """The place for the panels of the next page."""
        return self._own()[1]

    def finish(self, page: Page, title: str, around: Around) -> None:
        """Take a page whose panels are drawn. With the last one, write around all of them."""
        name = self._names[len(self._parts)]
        self._parts.append(_Part(name, self._own(), page, title, around))
        if len(self._parts) == len(self._names):
            self._write()

    def _write(self) -> None:
        arounds = [part.around for part in self._parts]
        titled = {around.title for around in arounds}
        labels = {tuple(str(handle.get_label()) for handle in around.key) for around in arounds}
        shared = [note for note in arounds[0].notes if all(note in a.notes for a in arounds)]
        once = len(titled) == 1
        self.figure.heading = self._parts[0].title
        key = arounds[0].key if len(labels) == 1 else ()
        common = Around(self._paper, titled.pop() if once else "", "", key, shared)
        heights = [common.head]
        common.write_head(self._strips[0], common.head or 1)
        for part in self._parts:
            own = replace(
                part.around,
                title=part.name if once else f"{part.title}: {part.name}",
                key=() if key else part.around.key,
                notes=[note for note in part.around.notes if note not in shared],
            )
            head, _, foot = part.subfigures
            own.write_head(head, own.head)
            own.write_foot(foot, own.foot)
            heights += [own.head, 72 * part.page.height, own.foot]
        common.write_foot(self._strips[-1], common.foot)
        heights.append(common.foot)
        self._grid.set_height_ratios([max(height, 0.1) for height in heights])
        self.figure.set_size_inches(self._paper.inches, sum(heights) / 72)


def _break_names(key: Sequence[Artist], width: int) -> None:
    """Break the names of a key that are wider than a panel."""
    for handle in key:
        handle.set_label(textwrap.fill(str(handle.get_label()), max(12, width)))


def _key_columns(labels: Sequence[str], characters: int) -> int:
    """Number of columns, filled one after the other, in which a key of these labels fits."""
    widths = [len(label) + _KEY_SPACE for label in labels]
    for count in range(len(labels), 1, -1):
        longer, shortest = len(labels) % count, len(labels) // count
        sizes = [shortest + 1] * longer + [shortest] * (count - longer)
        ends = list(accumulate(sizes))
        if (
            sum(max(widths[end - size : end]) for size, end in zip(sizes, ends, strict=True))
            <= characters
        ):
            return count
    return 1


def _wrap_lines(text: str, width: int) -> list[str]:
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


def bands(table: pl.DataFrame, unit: str, label: str) -> list[Patch]:
    """The key entry of the bands of a table, from `low_` to `high_` in this unit; none if all are
    points, as those of single runs.
    """
    return [band(label)] if (table[f"low_{unit}"] < table[f"high_{unit}"]).any() else []


def cross(label: str) -> Line2D:
    """The key entry of a cross."""
    return line(label, {"color": GREY, "marker": "x", "ls": "none", "ms": 5})


def limits(near: Sequence[float], time: str) -> list[Line2D]:
    """The key entry of the dashed lines at limits of a column of times, if there are any."""
    return [line(labels.limits(near, time), DASHED)] if near else []


@dataclass(frozen=True, slots=True)
class Sheet:
    """Settings that the figures of one campaign share. Without `titled`, title and campaign are
    left out. `notes` are added to each caption. With a `stack`, the figure becomes one part of it.
    """

    paper: Paper
    looks: Looks
    campaign: str
    titled: bool = True
    notes: Sequence[str] = ()
    stack: Stack | None = None


MOST_ROWS: Final = 40
"""More rows do not fit a page, so only the best are shown."""

_INCHES: Final = 0.18
_AXIS_INCHES: Final = 0.45


def row_height(count: int) -> float:
    """The height of `count` rows and their axis, in inches."""
    return _AXIS_INCHES + _INCHES * max(3, count)


def name_rows(axes: Axes, pairs: Sequence[tuple[str, str]], sheet: Sheet) -> None:
    """Name the rows, the first on top, without space above or below them."""
    most = 40 if sheet.paper.wide else 28
    names = [labels.shortened(sheet.looks.label(*pair), most) for pair in pairs]
    axes.set_yticks(range(len(names)), names)
    for pair, label in zip(pairs, axes.get_yticklabels(), strict=True):
        if pair in sheet.looks.highlighted:
            label.set(weight="bold", color=sheet.looks.combination(*pair)["color"])
    axes.set_ylim(max(len(names), 1) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)


def notes_on_rows(count: int, time: str = metrics.USUAL, most: int = MOST_ROWS) -> list[str]:
    """The note for the caption if not all combinations are shown, but only the best by `time`."""
    return [f"The {most} {labels.best(time)} of {count} combinations"] if count > most else []
