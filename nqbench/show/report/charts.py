"""Which charts a page has, and how they fill its rows of two."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from nqbench.show.plots import KINDS
from nqbench.show.plots.kind import Chart


def charts(records: pl.DataFrame, *, of_race: bool = False) -> list[Chart]:
    """The charts of one family that these records have data for. Of a race, none that compares
    combinations on what all of them finished.
    """
    kinds = [kind for kind in KINDS.values() if not (of_race and kind.ranks)]
    return placed([chart for kind in kinds if (chart := kind.shown(records))])


def placed(drawable: Sequence[Chart]) -> list[Chart]:
    """The charts with wide ones first, and the last one wide if it would be alone in its row."""
    ordered = sorted(drawable, key=lambda chart: not chart.wide)
    if sum(not chart.wide for chart in ordered) % 2:
        ordered[-1] = replace(ordered[-1], wide=True)
    return ordered
