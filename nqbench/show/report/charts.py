"""Which charts a page has, how they fill its rows of two, and what its scripts draw them from."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from nqbench import summary
from nqbench.show.plots import KINDS
from nqbench.show.plots.kind import NO_N, OF_ALL_N, Chart
from nqbench.show.plots.style import Looks
from nqbench.show.report.runs import columns
from nqbench.show.report.specifications import drawing


def charts(records: pl.DataFrame, *, with_n: bool) -> list[Chart]:
    """The charts of one family that these records have data for. `with_n` is whether the page has
    problems with n.
    """
    drawable = [chart for kind in KINDS.values() if (chart := kind.shown(records))]
    if not with_n:  # there is no control of n
        drawable = [replace(chart, controls=_without_n(chart.controls)) for chart in drawable]
    return placed(drawable)


def _without_n(controls: str) -> str:
    return controls.replace(NO_N, "").replace(OF_ALL_N, "").strip()


def placed(drawable: Sequence[Chart]) -> list[Chart]:
    """The charts with wide ones first, and the last one wide if it would be alone in its row."""
    ordered = sorted(drawable, key=lambda chart: not chart.wide)
    if sum(not chart.wide for chart in ordered) % 2:
        ordered[-1] = replace(ordered[-1], wide=True)
    return ordered


def encoded(
    drawable: Sequence[Chart], measured: summary.Measured, looks: Looks, suffix: str
) -> dict[str, dict[str, Any]]:
    """What the page's scripts draw these charts of one family from, by the ids of their elements:
    the specification, the rows as columns, and notes. Those that are pictures are left out.
    """
    drawings = {chart.kind: drawing(chart.kind, measured, looks) for chart in drawable}
    return {
        f"{kind}{suffix}": {
            "spec": drawn.spec,
            "fills": drawn.fills,
            "across": drawn.across,
            "height": drawn.height,
            "labels": drawn.labels,
            "notes": drawn.notes,
            **_rows(list(drawn.rows), list(drawn.rows.values())),
        }
        for kind, drawn in drawings.items()
        if drawn
    }


def _rows(times: Sequence[str], tables: Sequence[pl.DataFrame]) -> dict[str, Any]:
    """The rows for each time: the columns that are equal, once, and the others for each of them.
    There may be fewer of a time that some runs lack.
    """
    first = tables[0]
    same = [name for name in first.columns if all(first[name].equals(t[name]) for t in tables)]
    return {
        "counts": {time: len(table) for time, table in zip(times, tables, strict=True)},
        "columns": columns(first.select(same)),
        "by_time": {
            time: columns(table.drop(same)) for time, table in zip(times, tables, strict=True)
        },
    }
