"""Draws trends as a picture: a panel for each line, those with the largest steps first."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.lines import Line2D

from nqbench.addons.trends.lines import Line, Trends
from nqbench.addons.trends.points import COMMITS
from nqbench.common.units import counted
from nqbench.show.paper import paper
from nqbench.show.plots import labels, layout, scales, style_of
from nqbench.show.plots.layout import Figure, Page, Sheet
from nqbench.show.plots.style import COLOURS, GREY, Looks

_TICKS = 3


def chosen(trends: Trends, most: int) -> list[Line]:
    """The lines with the largest steps, then those that change without one, then the others."""
    return sorted(trends.lines, key=lambda line: (-line.size, not line.changes, line.name))[:most]


def draw(trends: Trends, width: str = "two") -> Figure:
    """Draw up to twelve lines. Dots are values; a horizontal line is the median between steps."""
    lines = chosen(trends, layout.MOST_PANELS)
    sheet_of = paper(width)
    with style_of(sheet_of):
        looks, described = Looks("encoding", "backend", [], []), _described(trends, _common(lines))
        sheet = Sheet(sheet_of, looks, described)
        page = Page(sheet, len(lines), share_y=False, share_x=True, most_columns=3)
        common, letters = _common(lines), int(72 * page.panel_inches / (0.55 * sheet_of.points))
        for axes, line in zip(page.panels, lines, strict=True):
            _panel(axes, line, trends)
            axes.set_title(labels.shortened(line.name.removeprefix(common), letters))
        page.name_axes(_axis_label(trends), labels.time_label(trends.metric))
        notes = []
        if len(trends.lines) > len(lines):
            notes.append(f"{len(lines)} of {len(trends.lines)} lines: those with the largest steps")
        key = [
            layout.line("median between steps", {"color": GREY, "lw": 1.6}),
            Line2D([], [], label="value", color=COLOURS[0], marker="o", ls="none", ms=3),
        ]
        title = f"{labels.time_label(trends.metric)} over {trends.axis}s"
        figure = page.finish(labels.title(title), key, notes)
        FigureCanvasAgg(figure)
    return figure


def _axis_label(trends: Trends) -> str:
    if trends.axis not in COMMITS or not trends.dates:
        return trends.axis
    return f"{trends.axis} (date of the commit)"


def _described(trends: Trends, common: str) -> str:
    counts = ((trends.points, trends.axis), (trends.lines, "line"), (trends.stepping, "step"))
    return common + ", ".join(counted(len(these), noun) for these, noun in counts)


def _common(lines: Sequence[Line]) -> str:
    """The combination with which the names of all lines begin; empty if they differ."""
    combinations = {"".join(line.name.rpartition(": ")[:2]) for line in lines}
    return combinations.pop() if len(combinations) == 1 else ""


def _panel(axes: Axes, line: Line, trends: Trends) -> None:
    for start, end, median in line.levels:
        axes.plot([start - 0.3, end + 0.3], [median, median], color=GREY, lw=1.6, zorder=1)
    axes.plot(line.places, line.values, color=COLOURS[0], marker="o", ls="none", ms=2.5, zorder=2)
    for step in line.steps:
        colour = COLOURS[5] if step.ratio > 1 else COLOURS[3]
        axes.axvline(step.at - 0.5, color=colour, lw=0.9)
    scales.time_axis(axes.yaxis, line.values, trends.metric, ticks=4)
    places = _tick_places(len(trends.points))
    axes.set_xlim(-0.6, len(trends.points) - 0.4)
    axes.set_xticks(places, [_tick(trends, place) for place in places])


def _tick(trends: Trends, place: int) -> str:
    """The date of a commit, which says more than its digits; the first letters of other points."""
    point = trends.points[place]
    return trends.dates.get(point, point)[:10] if trends.axis in COMMITS else point[:10]


def _tick_places(count: int) -> Sequence[int]:
    return sorted({round(i * (count - 1) / (_TICKS - 1)) for i in range(_TICKS)})
