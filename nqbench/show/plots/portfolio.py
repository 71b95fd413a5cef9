"""Draws how often each combination is fastest, and what a perfect choice would save."""

from collections.abc import Sequence

import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from nqbench import summary
from nqbench.common.metrics import SCORE_NAME
from nqbench.show.plots import labels, layout, scales
from nqbench.show.plots.kind import kind, several_pairs, several_problems
from nqbench.show.plots.layout import Figure, Page, Sheet
from nqbench.show.plots.style import DASHED, GREY


@kind(
    "portfolio",
    needs="two or more problems that all of several combinations ran on",
    fits=lambda records: several_pairs(records) and several_problems(records),
    ranks=True,
)
def portfolio(records: pl.DataFrame, sheet: Sheet, time: str = "solve_s") -> Figure:
    """How often each combination is the fastest, and what the best choice per instance costs with
    it and without it.
    """
    all_pairs = summary.portfolio(records, time)
    table = all_pairs.head(layout.MOST_ROWS)
    page = Page(sheet, 2, share_x=False, height=layout.row_height(len(table)))
    shares, costs = page.panels
    pairs = table.select(summary.PAIR).rows()
    noun, label = summary.noun(records), labels.time_label(time)
    layout.name_rows(shares, pairs, sheet)
    _shares(shares, table["share"].fill_null(0.0).to_list(), pairs, sheet)
    _costs(costs, table, pairs, sheet, time)
    shares.set_xlabel(f"share of the solved {noun}s\non which it is {labels.best(time)}")
    costs.set_xlabel(f"{SCORE_NAME} of the\n{label}")
    lone = {"color": GREY, "marker": "o", "ls": "none"}
    without = {"color": GREY, "marker": "|", "ls": "none", "ms": 8, "mew": 1.6}
    key = [
        layout.line(f"this combination for every {noun}", lone),
        layout.line(f"best choice for each {noun}, without this combination", without),
        layout.line(f"best choice for each {noun}", DASHED),
    ]
    notes = [*layout.notes_on_rows(len(all_pairs), time), *labels.notes_on(time)]
    return page.finish(f"What choosing the best combination for each {noun} saves", key, notes)


def _shares(
    axes: Axes, shares: Sequence[float], pairs: Sequence[tuple[str, str]], sheet: Sheet
) -> None:
    looks = sheet.looks.among(pairs)
    colours = [looks.combination(*pair)["color"] for pair in pairs]
    axes.barh(range(len(pairs)), shares, color=colours, height=0.7)
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    axes.set_xlim(0, 1.05 * max([0.01, *shares]))


def _costs(
    axes: Axes, table: pl.DataFrame, pairs: Sequence[tuple[str, str]], sheet: Sheet, time: str
) -> None:
    looks = sheet.looks.among(pairs)
    for row, (cost, pair) in enumerate(zip(table[summary.SCORE], pairs, strict=True)):
        axes.plot(cost, row, **looks.combination(*pair))
    without = table["vbs_without_s"]
    axes.plot(without, range(len(pairs)), "|", color=GREY, ms=7, mew=1.4)
    best = table[f"vbs_{summary.SCORE}"].head(1).to_list()
    scales.limits(axes.axvline, best)
    values = [*table[summary.SCORE], *without, *best]
    scales.time_axis(axes.xaxis, values, time, ticks=5 if sheet.paper.wide else 3)
