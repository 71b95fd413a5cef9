"""Draws time and memory over n."""

import polars as pl

from nqbench import summary
from nqbench.plots import layout, scales, words
from nqbench.plots.layout import Figure
from nqbench.plots.lines import Lines
from nqbench.plots.sheet import Sheet


def time_over_n(records: pl.DataFrame, sheet: Sheet, time: str = "solve_s") -> Figure:
    """Draw time over n: a line for the median, a band from the fastest to the slowest run (of
    many runs, for the middle half), and a cross at the limit if an n has unsolved runs.
    """
    table = summary.over_n(records, time)
    lines = Lines.of(table, sheet, "s")
    near, far = scales.by_reach(table["time_limit_s"], table["high_s"])
    for axes in lines.page.panels:
        scales.time_axis(axes.yaxis, [*table["low_s"], *table["high_s"], *near], time)
        scales.limits(axes.axhline, near)
    lines.name_ends()
    label = words.time_label(time)
    lines.page.name_axes("n", label)
    once = ", encoding measured once" if time == summary.TOTAL else ""
    key = [*lines.key(), layout.band(words.spread(table) + once), *layout.limits(near, time)]
    if table["unsolved"].sum():
        key.append(layout.cross("with unsolved runs, counted at the limit"))
    notes = [*lines.notes(words.best(time)), *words.notes_on(time), *words.far_limits(far, time)]
    return lines.page.finish(words.title(f"{label} over n"), key, notes)


def memory_over_n(records: pl.DataFrame, sheet: Sheet) -> Figure:
    """Draw peak memory over n. Unsolved runs count with their peak until they ended."""
    table = summary.memory(records)
    lines = Lines.of(table, sheet, "mib")
    values = [*table["low_mib"], *table["high_mib"]]
    for axes in lines.page.panels:
        if max(values) > 8 * min(values):
            scales.count_axis(axes.yaxis, values)
        else:
            axes.set_ylim(0, 1.05 * max(values))
    lines.name_ends()
    lines.page.name_axes("n", "memory (MiB)")
    key = [*lines.key(), layout.band("least to most of the runs")]
    return lines.page.finish("Peak memory over n", key, lines.notes("smallest"))
