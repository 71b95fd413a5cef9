"""The fastest combination and its rivals, compared board by board."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nqbench.summary.comparison import comparisons
from nqbench.summary.findings.power import boards_for
from nqbench.summary.observed import PAIR, THERE
from nqbench.vocabulary import COMBINATION

_SIGNIFICANT: Final = 0.05
_LEAST_S: Final = 1e-9
"""No clock measures less; the logarithm needs a time above zero."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A combination that solved something, compared with the best one."""

    name: str
    par2_s: float
    solved: int
    """Boards of which it solved most repeats."""

    ratio: float
    """Of its time to that of the best one, the median over the boards."""

    ahead: int
    """On how many boards it is faster than the best one."""

    significant: bool
    """Whether the two can be distinguished."""

    slower: bool
    needed: float
    """On about how many boards they could be."""


@dataclass(frozen=True, slots=True)
class Race:
    """All combinations on the boards that all of them were measured on, each on each machine."""

    boards: int
    combinations: int
    best: str
    par2_s: float
    solved: int
    rivals: Sequence[Rival]
    """In the order of their PAR-2."""


def race(records: pl.DataFrame, table: pl.DataFrame, able: pl.DataFrame, time: str) -> Race:
    """Compare the combination of least PAR-2 with all others that are able to solve something.

    `table` is what `common` makes of the records, `able` has the columns of `PAIR` and a row at
    least.
    """
    ranking = (
        table.join(able, on=PAIR, how="semi")
        .sort(THERE)
        .group_by(pair=pl.format(COMBINATION, *PAIR), maintain_order=True)
        .agg(pl.col("par2_s").mean(), pl.col("solved").sum(), costs=pl.col("par2_s"))
        .sort("par2_s", "pair")
    )
    best = ranking.row(0, named=True)
    against = _against(best["pair"], comparisons(records, time))
    rivals = [
        _rival(row, _differences(row["costs"], best["costs"]), *against[row["pair"]])
        for row in ranking[1:].iter_rows(named=True)
    ]
    combinations = table.select(PAIR).n_unique()
    boards = len(best["costs"])
    return Race(boards, combinations, best["pair"], best["par2_s"], best["solved"], rivals)


def _against(best: str, compared: pl.DataFrame) -> dict[str, tuple[float, bool, int]]:
    """Of each other combination: the corrected p, whether it is slower, and the number of all
    comparisons.
    """
    # The effect is that of the first.
    sides = (("first", "second", 1), ("second", "first", -1))
    return {
        row[other]: (row["p_corrected"], sign * row["effect"] < 0, len(compared))
        for side, other, sign in sides
        for row in compared.filter(pl.col(side) == best).iter_rows(named=True)
    }


def _differences(costs: Sequence[float], best: Sequence[float]) -> NDArray[np.float64]:
    """Of the logarithms of the times, one for each board."""
    other, least = (np.array(times).clip(_LEAST_S) for times in (costs, best))
    differences: NDArray[np.float64] = np.log(other) - np.log(least)
    return differences


def _rival(
    row: dict[str, Any],
    differences: NDArray[np.float64],
    p_corrected: float,
    slower: bool,
    comparisons: int,
) -> Rival:
    return Rival(
        name=row["pair"],
        par2_s=row["par2_s"],
        solved=row["solved"],
        ratio=float(np.exp(np.median(differences))),
        ahead=int((differences < 0).sum()),
        significant=p_corrected < _SIGNIFICANT,
        slower=slower,
        needed=boards_for(differences, comparisons),
    )
