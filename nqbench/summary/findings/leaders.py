"""The fastest combination and its rivals, compared board by board."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from nqbench.common.vocabulary import combination
from nqbench.summary.evidence import UNIT
from nqbench.summary.findings.power import boards_for
from nqbench.summary.formulas import alike
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import NAMED, PAIR
from nqbench.summary.significance import SIGNIFICANT, comparisons


@dataclass(frozen=True, slots=True)
class Rival:
    """A combination that solved at least one board, compared with the best one."""

    name: str
    par2_s: float
    solved: int
    """Number of boards of which it solved most repeats."""

    ratio: float
    """Median over the boards of its time divided by the best one's time."""

    ahead: int
    """Number of boards on which it is faster than the best one."""

    verdict: str
    """Board by board, `faster` or `slower` than the best one, or `undecided`."""

    needed: float
    """Estimated number of boards for a significant difference; 0 if it is significant."""

    twin: str
    """`formula` if its solver is that of the best one and gets the same formulas, `size` if these
    are only of the same size, otherwise empty.
    """


@dataclass(frozen=True, slots=True)
class Standings:
    """All combinations on the boards that all of them were measured on."""

    boards: int
    combinations: int
    best: str
    par2_s: float
    solved: int
    rivals: Sequence[Rival]
    """Sorted by PAR-2."""

    def rivals_with(self, verdict: str) -> list[Rival]:
        """The rivals with this verdict."""
        return [rival for rival in self.rivals if rival.verdict == verdict]


def race(records: Records, table: pl.DataFrame, able: pl.DataFrame, time: str) -> Standings:
    """Compare the combination of least PAR-2 with all others that can solve at least one board.

    `table` is what `common` returns for the records. `able` has the columns of `PAIR` and at least
    one row.
    """
    measured = Measured.of(records)
    best, *other_rows = _ranking(measured.unit_costs(time).join(able, on=PAIR, how="semi"))
    compared = comparisons(measured, time)
    verdicts = _verdicts(best["pair"], compared)
    twins = _twins(measured, best)
    rivals = [
        _rival(row, best, verdicts[row["pair"]], len(compared), twins.get(row["pair"], ""))
        for row in other_rows
    ]
    combinations, boards = table.select(PAIR).n_unique(), len(best["logs"])
    return Standings(boards, combinations, best["pair"], best["par2_s"], best["solved"], rivals)


def _ranking(table: pl.DataFrame) -> list[dict[str, Any]]:
    """The cost of each combination on average, and its logarithm on each board, best first."""
    costs = [pl.col("par2_s").mean(), pl.col("solved").sum(), pl.col("log_s").alias("logs")]
    return table.sort(UNIT).group_by(NAMED, *PAIR).agg(costs).sort("par2_s", "pair").to_dicts()


def _twins(measured: Measured, best: dict[str, Any]) -> dict[str, str]:
    """The combinations of the best one's solver with formulas that are alike, and how alike."""
    alike_groups = [group for group in alike(measured) if best["encoding"] in group.encodings]
    return {
        combination(encoding, best["backend"]): "formula" if group.same else "size"
        for group in alike_groups
        for encoding in group.encodings
    }


def _verdicts(best: str, compared: pl.DataFrame) -> dict[str, str]:
    """Whether the test finds each other combination faster or slower than the best one."""
    sides = (("first", "second"), ("second", "first"))
    return {
        row[other]: _verdict(
            row["p_corrected"], row["effect"] if side == "first" else -row["effect"]
        )
        for side, other in sides
        for row in compared.filter(pl.col(side) == best).iter_rows(named=True)
    }


def _verdict(p_corrected: float, effect: float) -> str:
    """The rival's verdict. `effect` is the best one's: -1 if that is always faster."""
    if p_corrected < SIGNIFICANT:
        return "slower" if effect < 0 else "faster"
    return "undecided"


def _rival(
    row: dict[str, Any], best: dict[str, Any], verdict: str, comparisons: int, twin: str
) -> Rival:
    differences = np.array(row["logs"]) - np.array(best["logs"])
    return Rival(
        name=row["pair"],
        par2_s=row["par2_s"],
        solved=row["solved"],
        ratio=float(np.exp(np.median(differences))),
        ahead=int((differences < 0).sum()),
        verdict=verdict,
        needed=boards_for(differences, comparisons) if verdict == "undecided" else 0,
        twin=twin,
    )
