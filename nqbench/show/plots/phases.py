"""Draws the time of each phase of a run."""

from typing import Any, Final

import polars as pl

from nqbench import summary
from nqbench.common.units import counted, seconds
from nqbench.show.plots import labels, layout, scales
from nqbench.show.plots.kind import Chart, kind
from nqbench.show.plots.labels import add_tooltip
from nqbench.show.plots.layout import Figure, Page, Sheet
from nqbench.show.plots.style import GREY
from nqbench.summary.observed import FIRST_CALLS_S

# Greys, because colours show encodings or solvers.
_PARTS: Final = (
    ("encode_s", "encode (measured once a formula)", "white", "/////"),
    ("load_s", "load", "#999999", ""),
    ("solve_s", "solve", "#222222", ""),
    ("other_s", "rest of the process", "#dddddd", ""),
)


@kind(
    "phases",
    needs="finished runs of problems that all combinations ran on",
    fits=lambda records: bool((records["outcome"] == "finished").any()),
    place=6,
    ranks=True,
    chart=Chart("Where the time of a run goes"),
)
def phases(records: pl.DataFrame, sheet: Sheet) -> Figure:
    """How the time of a run divides into phases, the shortest run first."""
    columns = [part[0] for part in _PARTS]
    means_of_pairs = summary.phases(records).with_columns(pl.col(columns).fill_null(0.0))
    total = pl.sum_horizontal(columns)
    table = means_of_pairs.sort(total, *summary.PAIR).head(layout.MOST_ROWS)
    page = Page(sheet, height=layout.row_height(len(table)))
    (axes,) = page.panels
    pairs = table.select(summary.PAIR).rows()
    layout.name_rows(axes, pairs, sheet)
    starts = pl.Series([0.0] * len(table), dtype=pl.Float64)
    for column, label, colour, hatch in _PARTS:
        style: dict[str, Any] = {
            "facecolor": colour,
            "hatch": hatch,
            "edgecolor": GREY,
            "linewidth": 0.5,
        }
        bars = axes.barh(
            range(len(table)), table[column], left=starts, height=0.72, label=label, **style
        )
        for bar, pair, mean in zip(bars, pairs, table[column], strict=True):
            add_tooltip(bar, f"{labels.combined(*pair)}, {label}: {seconds(mean)}")
        starts += table[column]
    lost = len(records.filter(pl.col("outcome") != "finished"))
    notes = [f"{counted(lost, 'run')} did not finish and are left out"] if lost else []
    means = pl.concat([table["encode_s"], table["load_s"], table["solve_s"]])
    if means.is_between(0.0, FIRST_CALLS_S, closed="none").any():
        notes.append("Of phases under 1 ms, a part is first calls in a new process")
    scales.plain_times(axes.xaxis, max(starts, default=0.0))
    axes.set_xlabel("mean time of a finished run")
    key = axes.get_legend_handles_labels()[0]
    return page.finish(
        "Where the time of a run goes", key, [*layout.notes_on_rows(len(means_of_pairs)), *notes]
    )
