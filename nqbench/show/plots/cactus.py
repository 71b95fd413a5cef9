"""Draws the number of boards that are solved within a time."""

import polars as pl
from matplotlib.axes import Axes

from nqbench import summary
from nqbench.common import units
from nqbench.show.plots import curves, labels, layout, scales
from nqbench.show.plots.curves import End
from nqbench.show.plots.kind import Chart, kind, several_problems
from nqbench.show.plots.labels import add_tooltip
from nqbench.show.plots.layout import Figure, Page, Sheet
from nqbench.show.plots.style import PALE, Look, show_equal

_MARKERS = 9
_MOST_NAMED = 4
_CROWD: Look = {"color": PALE, "lw": 0.8, "zorder": 1.5}


@kind(
    "cactus",
    needs="two or more problems that all combinations ran on",
    fits=several_problems,
    place=4,
    ranks=True,
    chart=Chart(
        "Instances solved within a time",
        "The further right and the lower a line ends, the better.",
    ),
)
def cactus(records: pl.DataFrame, sheet: Sheet, time: str = "solve_s") -> Figure:
    """How many instances are solved within a time, of two or more. Lines that end further right and
    lower are better. Each line is sorted separately, so equal height does not mean the same
    instance. Each line is named at its end. The caption names combinations that solved nothing.
    """
    table = summary.cactus(records, time)
    order = curves.order(table)
    best = curves.best(order, sheet.looks.highlighted)
    looks = sheet.looks.among(best)
    page = Page(sheet, height=3.6 if sheet.paper.wide else 2.9)
    (axes,) = page.panels
    limits = summary.observed(records, time)["time_limit_s"].drop_nulls()
    near, far = (
        scales.by_reach(limits, table["time_s"]) if order else ([], limits.unique().to_list())
    )
    scales.time_axis(axes.yaxis, [*table["time_s"], *near], time)
    scales.limits(axes.axhline, near)
    ends = []
    rows_of = {pair: table.filter(encoding=pair[0], backend=pair[1]) for pair in reversed(order)}
    seen = show_equal({pair: tuple(rows_of[pair]["time_s"]) for pair in rows_of if pair in best})
    for pair, rows in rows_of.items():
        look = looks.combination(*pair) | seen.get(pair, {}) if pair in best else _CROWD
        _line(axes, rows, look, time)
        if pair in best:
            x, y = rows.select("instances", "time_s").row(-1)
            ends.append(End(looks.label(*pair), x, y, look["color"]))
    _x_axis(axes, table)
    curves.label(page, axes, ends)
    label, noun = labels.time_label(time), summary.noun(records)
    page.name_axes(f"{noun}s solved", label)
    crowd = len(order) - len(best)
    key = [*([layout.others(f"{crowd} others")] if crowd else []), *layout.limits(near, time)]
    notes = [
        *_unsolved(records, order, sheet),
        *labels.notes_on(time),
        *labels.far_limits(far, time),
    ]
    return page.finish(labels.title(f"{noun}s solved within a given {label}"), key, notes)


def _line(axes: Axes, rows: pl.DataFrame, look: Look, time: str) -> None:
    """Draw the line of a combination from its row for each solved problem."""
    (line,) = axes.plot(
        rows["instances"], rows["time_s"], **look, markevery=-(-len(rows) // _MARKERS)
    )
    name = labels.combined(*rows.select(summary.PAIR).row(0))
    points = rows.select("instances", "time_s", at=pl.int_range(pl.len()))

    def describe(at: int) -> str:
        count, value, problem = rows.select("instances", "time_s", "problem").row(at)
        return f"{name}: {problem}, {units.amount(value, time)} ({count} solved by then)"

    add_tooltip(line, name, points.iter_rows(), describe)


def _x_axis(axes: Axes, table: pl.DataFrame) -> None:
    """Set whole numbers from 1 to the largest number of solved instances."""
    most = max(table["instances"], default=1)
    axes.set_xlim(1 - 0.02 * most, most * 1.02)
    scales.whole_numbers(axes.xaxis)


def _unsolved(records: pl.DataFrame, with_line: list[tuple[str, str]], sheet: Sheet) -> list[str]:
    """Name the combinations without a line, which solved nothing."""
    pairs = records.select(summary.PAIR).unique().sort(summary.PAIR).rows()
    names = [sheet.looks.label(*pair) for pair in pairs if pair not in with_line]
    if len(names) > _MOST_NAMED:
        names = [*names[:_MOST_NAMED], f"{len(names) - _MOST_NAMED} more"]
    return [f"Solved nothing: {', '.join(names)}"] if names else []
