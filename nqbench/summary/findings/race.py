"""The fastest combination and its rivals, compared board by board."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import polars as pl

from nqbench.summary.comparison import LEAST_S, comparisons
from nqbench.summary.findings.power import boards_for
from nqbench.summary.observed import PAIR, THERE
from nqbench.vocabulary import COMBINATION

_SIGNIFICANT: Final = 0.05


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

    verdict: str
    """`faster` or `slower` than the best one board by board, or `undecided`."""

    needed: float
    """On about how many boards it would be decided; 0 if it is."""


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

    def those(self, verdict: str) -> list[Rival]:
        """The rivals of that verdict."""
        return [rival for rival in self.rivals if rival.verdict == verdict]


def race(records: pl.DataFrame, table: pl.DataFrame, able: pl.DataFrame, time: str) -> Race:
    """Compare the combination of least PAR-2 with all others that are able to solve something.

    `table` is what `common` makes of the records, `able` has the columns of `PAIR` and a row at
    least.
    """
    best, *others = _ranking(table.join(able, on=PAIR, how="semi"))
    compared = comparisons(records, time)
    verdicts = _verdicts(best["pair"], compared)
    rivals = [_rival(each, best, verdicts[each["pair"]], len(compared)) for each in others]
    combinations, boards = table.select(PAIR).n_unique(), len(best["costs"])
    return Race(boards, combinations, best["pair"], best["par2_s"], best["solved"], rivals)


def _ranking(table: pl.DataFrame) -> list[dict[str, Any]]:
    """What each combination costs on each board and on average, the best first."""
    pair = pl.format(COMBINATION, *PAIR).alias("pair")
    costs = [pl.col("par2_s").mean(), pl.col("solved").sum(), pl.col("par2_s").alias("costs")]
    return table.sort(THERE).group_by(pair).agg(costs).sort("par2_s", "pair").to_dicts()


def _verdicts(best: str, compared: pl.DataFrame) -> dict[str, str]:
    """Whether each other combination is faster or slower than the best one, as the test says."""
    sides = (("first", "second"), ("second", "first"))
    return {
        row[other]: _verdict(
            row["p_corrected"], row["effect"] if side == "first" else -row["effect"]
        )
        for side, other in sides
        for row in compared.filter(pl.col(side) == best).iter_rows(named=True)
    }


def _verdict(p_corrected: float, effect: float) -> str:
    """Of the rival, by the effect of the best one: -1 if that is always faster."""
    if p_corrected < _SIGNIFICANT:
        return "slower" if effect < 0 else "faster"
    return "undecided"


def _rival(row: dict[str, Any], best: dict[str, Any], verdict: str, comparisons: int) -> Rival:
    other, least = (np.log(np.clip(each["costs"], LEAST_S, None)) for each in (row, best))
    differences = other - least
    return Rival(
        name=row["pair"],
        par2_s=row["par2_s"],
        solved=row["solved"],
        ratio=float(np.exp(np.median(differences))),
        ahead=int((differences < 0).sum()),
        verdict=verdict,
        needed=boards_for(differences, comparisons) if verdict == "undecided" else 0,
    )
