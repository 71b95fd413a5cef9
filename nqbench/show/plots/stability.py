"""Draws how often each combination is first in draws of the problems."""

from typing import Any, Final

import polars as pl
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from nqbench import summary
from nqbench.common.metrics import SCORE_NAME
from nqbench.common.units import counted, percent
from nqbench.show.plots import labels, layout
from nqbench.show.plots.kind import Chart, kind, several_pairs
from nqbench.show.plots.labels import add_tooltip
from nqbench.show.plots.layout import Figure, Page, Sheet
from nqbench.show.plots.style import PALE
from nqbench.summary.series import unit_noun
from nqbench.summary.stability import CLOSE, FEWEST

_INK: Final = "#222222"
_LEAST: Final = 0.01
"""The least share of draws that can be seen."""


def _fits(records: pl.DataFrame) -> bool:
    has_capped = bool((records["outcome"] == "capped").any())
    return not has_capped and several_pairs(records) and summary.coverage(records).common >= FEWEST


@kind(
    "stability",
    needs="20 or more problems that all of several combinations ran on, and no capped runs",
    fits=_fits,
    with_capped=True,
    chart=Chart(
        "Which combination is first if other problems are drawn",
        f"In 2000 draws of a quarter of the problems, by {SCORE_NAME}. Draws are no test.",
    ),
)
def stability(records: pl.DataFrame, sheet: Sheet, time: str = "solve_s") -> Figure:
    """In how many draws of a quarter of the problems each combination is first, and how often it is
    within 5 % of the first. The combination that is first by PAR-2 is on top.
    [Draws](../explanation/statistics.md#draws) are no test.
    """
    table = summary.stability(records, time)
    is_shown = (pl.col("close_share") >= _LEAST) | (pl.int_range(pl.len()) == 0)
    rows = table.filter(is_shown).head(layout.MOST_ROWS)
    page = Page(sheet, height=layout.row_height(len(rows)))
    (axes,) = page.panels
    pairs = rows.select(summary.PAIR).rows()
    layout.name_rows(axes, pairs, sheet)
    style: dict[str, Any] = {"height": 0.7}
    close = axes.barh(range(len(rows)), rows["close_share"], color=PALE, **style)
    first = axes.barh(range(len(rows)), rows["first_share"], color=_INK, **style)
    for row, *bars in zip(rows.iter_rows(named=True), close, first, strict=True):
        text = (
            f"{labels.combined(row['encoding'], row['backend'])}: first in "
            f"{percent(row['first_share'])}, within {percent(CLOSE)} of the first in "
            f"{percent(row['close_share'])} of the draws"
        )
        for bar in bars:
            add_tooltip(bar, text)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    axes.set_xlabel(f"share of the draws by {labels.time_label(time)}")
    key = [
        Patch(color=_INK, label="first"),
        Patch(color=PALE, label=f"within {percent(CLOSE)} of the first"),
    ]
    hidden = len(table) - len(rows)
    others = counted(hidden, "other combination")
    notes = [f"Not shown: {others}, so close in less than {percent(_LEAST)}"] if hidden else []
    noun = unit_noun(records)
    title = f"Which combination is first in draws of a quarter of the {noun}s"
    left_out = filter(None, [summary.coverage(records).note])
    return page.finish(title, key, [*left_out, *notes, *labels.notes_on(time)])
