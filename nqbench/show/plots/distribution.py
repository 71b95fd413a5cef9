"""Draws how the times of many runs on one board are distributed."""

from collections.abc import Sequence
from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from nqbench import summary
from nqbench.common import units
from nqbench.show.plots import curves, labels, layout, scales
from nqbench.show.plots.kind import kind
from nqbench.show.plots.layout import Figure, Page, Sheet
from nqbench.show.plots.style import PALE, show_equal
from nqbench.summary import description


@kind(
    "distribution",
    needs="ten or more solved runs of one problem",
    fits=lambda records: not summary.distribution(records).is_empty(),
    place=9,
)
def distribution(records: pl.DataFrame, sheet: Sheet, time: str = "solve_s") -> Figure:
    """What share of the runs on one board is solved within a time, a step for each run. A line that
    ends below 100 % has unsolved runs. It needs ten repeats of a run, as with
    [`--seeds`](seeds.md).
    """
    table = summary.distribution(records, time)
    boards = table.select(summary.BOARD).unique().sort("n", "instance", nulls_last=True)
    drawn = boards.tail(layout.MOST_PANELS).rows()
    order = curves.order(table)
    best = curves.best(order, sheet.looks.highlighted)
    looks = sheet.looks.among(best)
    page = Page(sheet, len(drawn), height=3.4 if len(drawn) == 1 and sheet.paper.wide else None)
    for axes, board in zip(page.panels, drawn, strict=True):
        of_board = table.filter(
            pl.col(name).eq_missing(pl.lit(value))
            for name, value in zip(summary.BOARD, board, strict=True)
        )
        rows_of = {
            pair: of_board.filter(encoding=pair[0], backend=pair[1]) for pair in reversed(order)
        }
        seen = show_equal({p: tuple(rows_of[p]["time_s"]) for p in rows_of if p in best})
        for pair, rows in rows_of.items():
            look = looks.combination(*pair) | seen.get(pair, {})
            _line(axes, rows, look if pair in best else {"color": PALE, "lw": 0.8})
        if len(drawn) > 1:
            page.name_panel(axes, _name(board))
    for axes in page.panels:
        scales.time_axis(axes.xaxis, table["time_s"], time, ticks=5 if len(drawn) < 3 else 3)
        axes.set_ylim(0, 1.03)
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    label = labels.time_label(time)
    page.name_axes(label, "share of the runs")
    key = [layout.line(looks.label(*p), _without_markers(looks.combination(*p))) for p in best]
    if len(best) < len(order):
        key.append(layout.others(f"{len(order) - len(best)} others"))
    noun = summary.noun(records)
    notes = [_runs(table, noun), *labels.notes_on(time)]
    if len(drawn) < len(boards):
        notes.append(f"The {len(drawn)} largest of {len(boards)} {noun}s")
    return page.finish(f"Runs solved within a given {label}", key, notes)


def _line(axes: Axes, rows: pl.DataFrame, look: dict[str, Any]) -> None:
    axes.step(rows["time_s"], rows["share"], where="post", **_without_markers(look))


def _without_markers(look: dict[str, Any]) -> dict[str, Any]:
    """The look without markers, which would hide the steps."""
    return {name: value for name, value in look.items() if not name.startswith("marker")}


def _name(board: Sequence[Any]) -> str:
    family, instance, n, _ = board
    size = "" if n is None else f"n = {n}"
    return f"{instance} {size}".strip() or description.family(family)


def _runs(table: pl.DataFrame, noun: str) -> str:
    return f"{units.span(table['runs'].unique().to_list())} runs for each {noun} and line"
