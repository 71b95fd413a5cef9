"""Draws the time of each formula, for formulas without n."""

from functools import partial
from typing import Final

import polars as pl
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from nqbench import summary
from nqbench.common import units
from nqbench.show.plots import curves, labels, layout, scales
from nqbench.show.plots.kind import Chart, kind
from nqbench.show.plots.labels import add_tooltip
from nqbench.show.plots.layout import Figure, Page, Sheet
from nqbench.show.plots.style import PALE_LOOK, Look

_NAME_INCHES: Final = 0.15
_LONGEST_NAME: Final = 24


@kind(
    "time-over-instances",
    needs="formulas in files",
    fits=lambda records: not summary.over_instances(records).is_empty(),
    place=3,
    chart=Chart(
        "Time of each formula",
        "Median of all runs of a formula, in the order of what the fastest takes; unsolved "
        "runs count at the limit.",
        wide=True,
    ),
)
def time_over_instances(records: pl.DataFrame, sheet: Sheet, time: str = "solve_s") -> Figure:
    """For formulas: one mark per combination. Formulas are ordered by the fastest time."""
    table = summary.over_instances(records, time)
    cost = pl.col("median_s").sum()
    order = table.group_by(summary.PAIR).agg(cost).sort("median_s", *summary.PAIR)
    pairs = sorted(order.select(summary.PAIR).rows())
    best = curves.best(order.select(summary.PAIR).rows(), sheet.looks.highlighted)
    looks = sheet.looks.among(best, lines=False)
    page = Page(sheet, height=3.6)
    (axes,) = page.panels
    near, far = scales.by_reach(table["time_limit_s"], table["high_s"])
    scales.time_axis(axes.yaxis, [*table["low_s"], *table["high_s"], *near], time)
    for position, (encoding, backend) in enumerate(pairs):
        # Marks are side by side at the place of the formula, so that equal times stay visible.
        aside = 0.5 * ((position + 0.5) / len(pairs) - 0.5)
        rows = table.filter(encoding=encoding, backend=backend)
        is_best = (encoding, backend) in best
        look = looks.combination(encoding, backend) if is_best else PALE_LOOK
        marks = _marks(axes, rows, aside, look)
        name = labels.combined(encoding, backend)
        places = rows.select(pl.col("place") + aside, "median_s", at=pl.int_range(pl.len()))
        add_tooltip(marks, name, places.iter_rows(), partial(_describe, rows, name, time))
    scales.limits(axes.axhline, near)
    names = table.unique("place").sort("place")["instance"].to_list()
    axes.set_xlim(0.4, len(names) + 0.6)
    if len(names) * _NAME_INCHES <= page.panel_inches:
        short = [labels.shortened(name, _LONGEST_NAME) for name in names]
        axes.set_xticks(
            range(1, len(names) + 1), short, rotation=60, ha="right", rotation_mode="anchor"
        )
    else:
        axes.set_xlabel(f"formula, in the order of the {labels.least(time)}")
    label = labels.time_label(time)
    axes.set_ylabel(label)
    key = [
        layout.line(looks.label(*p), looks.combination(*p) | {"linestyle": "none"})
        for p in pairs
        if p in best
    ]
    if len(best) < len(pairs):
        others = "other combinations" if looks.highlighted else f"{len(pairs) - len(best)} others"
        key.append(layout.line(others, PALE_LOOK | {"linestyle": "none"}))
    if (table["low_s"] < table["high_s"]).any():
        key.append(layout.line(labels.spread(table, records), {"color": "grey", "lw": 0.8}))
    key += layout.limits(near, time)
    if table["unsolved"].sum():
        key.append(layout.cross("with unsolved runs, counted at the limit"))
    notes = [*labels.notes_on(time), *labels.far_limits(far, time)]
    return page.finish(labels.title(f"{label} of each formula"), key, notes)


def _describe(rows: pl.DataFrame, name: str, time: str, at: int) -> str:
    """The text of the formula in this row of a combination."""
    (text,) = labels.medians(rows[at : at + 1], "s", lambda value: units.amount(value, time))
    return f"{name}, {rows['instance'][at]}: {text}"


def _marks(axes: Axes, rows: pl.DataFrame, aside: float, look: Look) -> Line2D:
    """Draw the times of one combination, slightly beside the place of each formula; return the
    marks of the medians.
    """
    x, colour = rows["place"] + aside, look["color"]
    spread = rows.filter(pl.col("low_s") < pl.col("high_s"))
    axes.vlines(
        spread["place"] + aside, spread["low_s"], spread["high_s"], color=colour, lw=0.8, alpha=0.6
    )
    (marks,) = axes.plot(x, rows["median_s"], **look | {"linestyle": "none"})
    lost = rows.filter(pl.col("unsolved") > 0)
    axes.plot(lost["place"] + aside, lost["time_limit_s"], "x", color=colour, ms=5, mew=1.2)
    return marks
