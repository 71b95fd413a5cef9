"""Draws how near the values that solvers found came to the best known ones, over time."""

from typing import Final

import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from nqbench.common import units
from nqbench.show.plots import curves, labels, layout, scales
from nqbench.show.plots.curves import End
from nqbench.show.plots.kind import Chart, kind
from nqbench.show.plots.labels import add_tooltip
from nqbench.show.plots.layout import Figure, Page, Sheet
from nqbench.show.plots.style import PALE, Look
from nqbench.summary import PAIR
from nqbench.summary.objectives import gap_over_time as gaps_of
from nqbench.summary.objectives import objective_scores

_TIME: Final = "solve_s"
_CROWD: Look = {"color": PALE, "lw": 0.8, "zorder": 1.5}
_NO_MARKS: Look = {"marker": "none"}
_MARGIN: Final = 0.03


@kind(
    "gap-over-time",
    needs="files with an objective that all combinations ran on, and a value of one of them",
    fits=lambda records: not gaps_of(records).is_empty(),
    place=12,
    ranks=True,
    chart=Chart(
        "Gap to the best known values over time",
        "The lower and the further left a line is, the sooner good values were found.",
    ),
)
def gap_over_time(records: pl.DataFrame, sheet: Sheet) -> Figure:
    """For files with an objective: the mean primal gap over the time since the solver began to
    solve. It is 100 % of a file before the first value, and 0 % from when the best known value was
    found. The area below a line is the primal integral, but the axis of the time is logarithmic.
    """
    gaps, scores = gaps_of(records), objective_scores(records)
    order = scores.sort("integral_s", "gap", *PAIR).select(PAIR).rows()
    best = curves.best(order, sheet.looks.highlighted)
    # Steps have no markers, and dashes are hard to follow on them: colours differ.
    looks = sheet.looks.among(best, lines=False)
    page = Page(sheet, height=3.4)
    (axes,) = page.panels
    limit_s = float(records["time_limit_s"].to_numpy().max())
    scales.time_axis(axes.xaxis, [*gaps["time_s"], limit_s], _TIME)
    axes.set_ylim(-_MARGIN, 1 + _MARGIN)
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    first_s, _ = axes.get_xlim()
    ends = []
    for pair in reversed(order):
        rows = gaps.filter(encoding=pair[0], backend=pair[1])
        look = looks.combination(*pair) | _NO_MARKS if pair in best else _CROWD
        _draw_steps(axes, rows, pair, look, (first_s, limit_s))
        if pair in best:
            last = rows["gap"].item(-1) if len(rows) else 1.0
            ends.append(End(looks.label(*pair), limit_s, last, look["color"]))
    scales.limits(axes.axvline, [limit_s])
    curves.label(page, axes, ends)
    crowd = len(order) - len(best)
    key = [*([layout.others(f"{crowd} others")] if crowd else []), *layout.limits([limit_s], _TIME)]
    page.name_axes(labels.time_label(_TIME), "mean primal gap")
    return page.finish("Gap to the best known values over time", key)


def _draw_steps(
    axes: Axes,
    rows: pl.DataFrame,
    pair: tuple[str, str],
    look: Look,
    span: tuple[float, float],
) -> None:
    """Draw the line of a combination over this span: from the left edge to the limit."""
    first_s, limit_s = span
    times = [first_s, *rows["time_s"], limit_s]
    gaps = [1.0, *rows["gap"], rows["gap"].item(-1) if len(rows) else 1.0]
    (line,) = axes.plot(times, gaps, drawstyle="steps-post", **look)
    name = labels.combined(*pair)
    texts = (
        (second, gap, f"{name}: {units.percent(gap)} after {units.seconds(second)}")
        for second, gap in rows.select("time_s", "gap").iter_rows()
    )
    add_tooltip(line, name, texts)
