"""Draws a race: when each combination was measured, and when it left."""

import polars as pl
from matplotlib.patches import Patch

from nqbench.common.units import counted
from nqbench.show.plots import labels, layout, scales
from nqbench.show.plots.kind import Chart, kind
from nqbench.show.plots.labels import add_tooltip
from nqbench.show.plots.layout import Figure, Page, Sheet
from nqbench.summary import PAIR

_WHOLE, _CAPPED, _LINE = "#222222", "#d95f02", "#cccccc"


@kind(
    "race",
    needs="capped runs, as a race leaves them",
    fits=lambda records: bool((records["outcome"] == "capped").any()),
    with_capped=True,
    chart=Chart(
        "A race",
        "Whose runs took the time, one after the other. A line ends where the combination left.",
    ),
)
def race(records: pl.DataFrame, sheet: Sheet) -> Figure:
    """A row for each combination, whoever has most runs in full first: its runs over the time that
    all runs together took.
    """
    took = pl.col("wall_s").fill_null(0.0)
    table = records.sort("started_at").with_columns(end=took.cum_sum(), took=took)
    ends, starts = pl.col("end"), pl.col("end") - pl.col("took")
    whole_s = float(table["took"].sum())
    rows = (
        table.group_by(PAIR)
        .agg(whole=(pl.col("outcome") != "capped").sum(), mean=pl.col("took").mean())
        .sort("whole", "mean", *PAIR, descending=[True, False, False, False])
        .head(layout.MOST_ROWS)
    )
    page = Page(sheet, height=layout.row_height(len(rows)))
    (axes,) = page.panels
    layout.name_rows(axes, rows.select(PAIR).rows(), sheet)
    for place, pair in enumerate(rows.select(PAIR).rows()):
        own = table.filter(encoding=pair[0], backend=pair[1])
        ((start, end),) = own.select(start=starts.min(), end=ends.max()).rows()
        axes.plot([start, end], [place, place], color=_LINE, lw=1, zorder=1)
        name = labels.combined(*pair)
        for is_capped, colour in ((False, _WHOLE), (True, _CAPPED)):
            some = own.filter((pl.col("outcome") == "capped") == is_capped)
            spans = some.select(starts, "took").rows()
            bars = axes.broken_barh(
                spans, (place - 0.36, 0.72), facecolors=colour, edgecolors=colour, lw=0.8, zorder=2
            )
            how = "capped" if is_capped else "measured in full"
            add_tooltip(bars, f"{name}: {counted(len(spans), 'run')} {how}")
    axes.set_xlim(0, whole_s)
    scales.plain_times(axes.xaxis, whole_s)
    axes.set_xlabel("time of all runs so far")
    key = [
        Patch(color=_WHOLE, label="measured in full"),
        Patch(color=_CAPPED, label="capped: stopped by the race"),
    ]
    hidden = table.select(PAIR).n_unique() - len(rows)
    notes = [f"{hidden} other combinations are not shown"] if hidden > 0 else []
    return page.finish("Who was measured when, and until when", key, notes)
