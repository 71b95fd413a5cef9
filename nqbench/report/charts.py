"""Which charts a page has, and how they fill its rows of two."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import polars as pl

from nqbench import summary
from nqbench.summary import BOARD, PAIR, SIZED
from nqbench.vocabulary import AS_IT_IS

_MOST_IN_HALF: Final = 6
"""A heat map with more solvers takes the whole width."""

_PAR2: Final = "PAR-2 of each encoding with each backend"
_PAR2_OF_FORMULAS: Final = "PAR-2 of each backend"

_NO_N: Final = "Formulas have no n, so its range does not change this chart."


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: the `id` of its element, its title, what its reader has to know, the kind of plot
    that shows the same, whether it takes the whole width, and which controls do not change it.
    """

    id: str
    title: str
    text: str
    kind: str
    wide: bool = False
    controls: str = ""


_CHARTS: Final = (
    Chart(
        "over-n",
        "Time over n",
        "Median of all runs of a size; unsolved runs count at the limit.",
        "time-over-n",
        wide=True,
    ),
    Chart(
        "over-instances",
        "Time of each formula",
        "Median of all runs of a formula, in the order of what the fastest takes; unsolved runs "
        "count at the limit.",
        "time-over-instances",
        wide=True,
        controls=_NO_N,
    ),
    Chart(
        "cactus",
        "Instances solved within a time",
        "The further right and the lower a line ends, the better.",
        "cactus",
    ),
    Chart(
        "heatmap",
        _PAR2,
        "The darker, the slower.",
        "heatmap",
        controls="The scale is that of the colours.",
    ),
    Chart(
        "phases",
        "Where the time of a run goes",
        "Means of the finished runs.",
        "phases",
        controls="It has every time and a linear scale, so those controls do not change it.",
    ),
    Chart(
        "sizes",
        "Size of the formulas",
        "",
        "sizes",
        controls="Formulas do not depend on the time, so that control does not change this chart. "
        "Backends change it where they ran on different boards.",
    ),
)


def charts(records: pl.DataFrame, *, with_n: bool) -> list[Chart]:
    """The charts of one family that these records have data for. `with_n` is whether the page has
    problems with n.
    """
    sizes = records.filter(SIZED)["n"].n_unique()
    compared = summary.on_common(records)
    can: dict[str, Callable[[], bool]] = {
        "over-n": lambda: sizes > 1,
        "over-instances": lambda: not summary.over_instances(records).is_empty(),
        "cactus": lambda: compared.select(BOARD).n_unique() > 1,
        "heatmap": lambda: not compared.is_empty() and compared.select(PAIR).n_unique() > 1,
        "phases": lambda: bool((compared["outcome"] == "finished").any()),
        "sizes": lambda: records.filter(SIZED).drop_nulls("clauses")["n"].n_unique() > 1,
    }
    found = [chart for chart in _CHARTS if can[chart.id]()]
    if not with_n:  # there is no control of n
        found = [replace(each, controls=each.controls.replace(_NO_N, "")) for each in found]
    many = compared["backend"].n_unique() > _MOST_IN_HALF
    title = _PAR2_OF_FORMULAS if set(records["encoding"]) == {AS_IT_IS} else _PAR2
    return placed(
        [replace(each, wide=many, title=title) if each.id == "heatmap" else each for each in found]
    )


def placed(found: Sequence[Chart]) -> list[Chart]:
    """The charts with wide ones first, and the last one wide if it would be alone in its row."""
    ordered = sorted(found, key=lambda chart: not chart.wide)
    if sum(not chart.wide for chart in ordered) % 2:
        ordered[-1] = replace(ordered[-1], wide=True)
    return ordered
