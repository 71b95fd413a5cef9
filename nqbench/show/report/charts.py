"""Which charts a page has, and how they fill its rows of two."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from nqbench.show.plots import KINDS
from nqbench.show.plots.kind import NO_N, Chart


def charts(records: pl.DataFrame, *, with_n: bool) -> list[Chart]:
    """The charts of one family that these records have data for. `with_n` is whether the page has
    problems with n.
    """
    found = [chart for kind in KINDS.values() if (chart := kind.shown(records))]
    if not with_n:  # there is no control of n
        found = [replace(each, controls=each.controls.replace(NO_N, "")) for each in found]
    return placed(found)


def placed(found: Sequence[Chart]) -> list[Chart]:
    """The charts with wide ones first, and the last one wide if it would be alone in its row."""
    ordered = sorted(found, key=lambda chart: not chart.wide)
    if sum(not chart.wide for chart in ordered) % 2:
        ordered[-1] = replace(ordered[-1], wide=True)
    return ordered
