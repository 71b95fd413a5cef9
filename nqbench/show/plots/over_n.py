"""Draws time and memory over n."""

import polars as pl

from nqbench import summary
from nqbench.common import units
from nqbench.show.plots import labels, layout, scales
from nqbench.show.plots.curves import Lines
from nqbench.show.plots.kind import Chart, kind, several_sizes
from nqbench.show.plots.layout import Figure, Sheet


@kind(
    "time-over-n",
    needs="at least two sizes",
    place=1,
    over_n=True,
    fits=several_sizes,
    chart=Chart(
        "Time over n",
        "Median of all runs of a size; unsolved runs count at the limit.",
        wide=True,
    ),
)
def time_over_n(records: pl.DataFrame, sheet: Sheet, time: str = "solve_s") -> Figure:
    """Median time over n, one panel per solver. The band spans the fastest to the slowest repeat;
    with ten or more runs of most n, the middle half of them. The key says which. A cross at the
    limit marks an n with unsolved runs.
    """
    table = summary.over_n(records, time)
    lines = Lines.of(table, sheet, "s", lambda value: units.amount(value, time))
    near, far = scales.by_reach(table["time_limit_s"], table["high_s"])
    for axes in lines.page.panels:
        scales.time_axis(axes.yaxis, [*table["low_s"], *table["high_s"], *near], time)
        scales.limits(axes.axhline, near)
    lines.name_ends()
    label = labels.time_label(time)
    lines.page.name_axes("n", label)
    once = ", encoding measured once" if time == summary.TOTAL else ""
    key = [
        *lines.key(),
        *layout.bands(table, "s", labels.spread(table, records) + once),
        *layout.limits(near, time),
    ]
    if table["unsolved"].sum():
        key.append(layout.cross("with unsolved runs, counted at the limit"))
    notes = [*lines.notes(labels.best(time)), *labels.notes_on(time), *labels.far_limits(far, time)]
    return lines.page.finish(labels.title(f"{label} over n"), key, notes)


@kind("total-over-n", needs="at least two sizes", place=2, over_n=True, fits=several_sizes)
def total_over_n(records: pl.DataFrame, sheet: Sheet) -> Figure:
    """Like `time-over-n`, with encoding and loading included. Runs on one formula share the
    time to encode it, so the bands do not cover that.
    """
    return time_over_n(records, sheet, summary.TOTAL)


@kind(
    "memory-over-n",
    needs="at least two sizes",
    over_n=True,
    fits=lambda records: several_sizes(records.drop_nulls("peak_rss_bytes")),
)
def memory_over_n(records: pl.DataFrame, sheet: Sheet) -> Figure:
    """Peak memory of a run.

    Unsolved runs count with their peak until they ended.
    """
    table = summary.memory(records)
    lines = Lines.of(table, sheet, "mib", "{:.3g} MiB".format)
    values = [*table["low_mib"], *table["high_mib"]]
    for axes in lines.page.panels:
        if max(values) > 8 * min(values):
            scales.count_axis(axes.yaxis, values)
        else:
            axes.set_ylim(0, 1.05 * max(values))
    lines.name_ends()
    lines.page.name_axes("n", "memory (MiB)")
    key = [*lines.key(), *layout.bands(table, "mib", "least to most of the runs")]
    return lines.page.finish("Peak memory over n", key, lines.notes("smallest"))
