"""Draws the time over the queries of sequences."""

from itertools import accumulate
from typing import Final

import polars as pl
from matplotlib.ticker import MaxNLocator

from nqbench.addons.sequences.summary import points
from nqbench.show.plots import curves, labels, layout, scales
from nqbench.show.plots.kind import Chart, kind
from nqbench.show.plots.layout import Figure, Page, Sheet
from nqbench.show.plots.style import PALE
from nqbench.summary import PAIR

_LEAST_S: Final = 1e-6
"""Below this, the clock of a step says little."""

_LINE: Final = {"marker": "none"}

_HAS_LAST: Final = ("finished", "work-limit")
"""Outcomes of runs whose last query is among those that are stated, answered or not."""


@kind(
    "time-over-queries",
    needs="runs on sequences of queries, files such as FILE.icnf",
    fits=lambda records: not _asked(records).is_empty(),
    chart=Chart(
        "Time over the queries of a sequence",
        "A step up is a slow query, a cross one that was not answered.",
    ),
)
def time_over_queries(records: pl.DataFrame, sheet: Sheet) -> Figure:
    """For sequences: the time to solve that a run had taken after each query, one panel for each
    file. Of several runs it is the median one. A cross is the query in which a run was stopped.
    Only 64 queries of a run are exact: the time of the others lies evenly between them. Files with
    one query are left out.
    """
    runs = _median_runs(_asked(records))
    files = runs["instance"].unique().sort().to_list()
    drawn = files[: layout.MOST_PANELS]
    totals = runs.group_by(PAIR).agg(pl.col("total_s").sum()).sort("total_s", *PAIR)
    best = curves.best(totals.select(PAIR).rows(), sheet.looks.highlighted)
    looks = sheet.looks.among(best)
    page = Page(sheet, len(drawn), share_x=False, share_y=False)
    for axes, instance in zip(page.panels, drawn, strict=True):
        of_file = runs.filter(instance=instance)
        heights = []
        for encoding, backend, text, total_s, outcome in of_file.select(
            *PAIR, "queries", "total_s", "outcome"
        ).iter_rows():
            pair = (encoding, backend)
            look = looks.combination(*pair) if pair in best else {"color": PALE, "lw": 0.8}
            numbers, times = _curve(text, total_s, is_stopped=outcome not in _HAS_LAST)
            axes.plot(numbers, times, **look | _LINE)
            if outcome != "finished":
                axes.plot(numbers[-1], times[-1], "x", color=look["color"], ms=5, mew=1.2)
            heights += times
        scales.time_axis(axes.yaxis, [min(heights), max(heights)], "solve_s")
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        page.name_panel(axes, instance)
    page.name_axes("query", "solve time so far")
    key = [layout.line(looks.label(*pair), looks.combination(*pair) | _LINE) for pair in best]
    if crowd := len(totals) - len(best):
        key.append(layout.others(f"{crowd} others"))
    notes = [f"The first {len(drawn)} of {len(files)} files"] if len(drawn) < len(files) else []
    return page.finish(labels.title("time over the queries of a sequence"), key, notes)


def _asked(records: pl.DataFrame) -> pl.DataFrame:
    if "queries" not in records.columns:
        return records.clear().with_columns(queries=pl.lit(None, pl.String))
    has_several = pl.col("queries").str.contains(" ").any().over("instance")
    return records.filter(pl.col("queries").is_not_null() & has_several)


def _median_runs(records: pl.DataFrame) -> pl.DataFrame:
    """Of each combination and file, the run of the median time, with `total_s`."""
    total_s = pl.coalesce("solve_s", "solve_at_least_s", pl.lit(0.0))
    group = [*PAIR, "instance"]
    return (
        records.with_columns(total_s=total_s)
        .sort("total_s", "run_id")
        .group_by(group, maintain_order=True)
        .agg(pl.all().get((pl.len() - 1) // 2))
        .sort(group)
    )


def _curve(text: str, total_s: float, *, is_stopped: bool = False) -> tuple[list[int], list[float]]:
    """The numbers of queries, and the time until then; of a run that was stopped, also the query
    that it did not answer. None of the others takes longer than one of those that are stated.
    """
    asked = points(text)
    last = asked[-1].number
    rest_s = max(0.0, total_s - sum(point.seconds for point in asked))
    other_s = min([rest_s / max(1, last - len(asked)), *(p.seconds for p in asked[:-1])])
    seconds = dict.fromkeys(range(1, last + 1), other_s)
    seconds |= {point.number: point.seconds for point in asked}
    times = list(accumulate(seconds[number] for number in range(1, last + 1)))
    if is_stopped:
        times.append(max(times[-1], total_s))
    return list(range(1, len(times) + 1)), [max(_LEAST_S, time) for time in times]
