"""The fastest combination on average and its rivals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from nqbench.common.vocabulary import combination
from nqbench.summary.evidence import UNIT
from nqbench.summary.exchanges import SIGNIFICANT
from nqbench.summary.formulas import alike
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import NAMED, PAIR
from nqbench.summary.power import problems_for
from nqbench.summary.significance import with_one


@dataclass(frozen=True, slots=True)
class Rival:
    """A combination that solved at least one board, compared with the best one."""

    name: str
    par2_s: float
    solved: int
    """Number of boards of which it solved most repeats."""

    ratio: float
    """Its PAR-2 divided by that of the best one."""

    verdict: str
    """On average, `faster` or `slower` than the best one, or `undecided`."""

    typical: str
    """The same on the typical board."""

    boards: int
    """Number of boards on which the two are compared."""

    ahead: int
    """Number of boards on which it is faster than the best one."""

    behind: int
    """Number of boards on which it is slower than the best one."""

    needed: tuple[float, float]
    """Range of the estimated number of boards for a significant difference on average."""

    twin: str
    """`formula` if its solver is that of the best one and gets the same formulas, `size` if these
    are only of the same size, otherwise empty.
    """


@dataclass(frozen=True, slots=True)
class Standings:
    """All combinations on the boards that all of them were measured on."""

    boards: int
    units: int
    """The number of units of evidence: of the boards, or of groups of them."""

    combinations: int
    best: str
    par2_s: float
    solved: int
    rivals: Sequence[Rival]
    """Sorted by PAR-2."""

    def rivals_with(self, verdict: str) -> list[Rival]:
        """The rivals with this verdict."""
        return [rival for rival in self.rivals if rival.verdict == verdict]


def standings(records: Records, able: pl.DataFrame, time: str) -> Standings:
    """Compare the combination of least PAR-2 with all others that can solve at least one board.

    `able` has the columns of `PAIR` and at least one row.
    """
    measured = Measured.of(records)
    costs = measured.unit_costs(time)
    best, *other_rows = _ranking(costs.join(able, on=PAIR, how="semi"))
    compared = {
        row["second"]: row
        for row in with_one(measured, time, best["pair"], has_ratio=False).iter_rows(named=True)
    }
    twins = _twins(measured, best)
    rivals = [_rival(row, compared[row["pair"]], twins.get(row["pair"], "")) for row in other_rows]
    combinations, boards = costs.select(PAIR).n_unique(), best["boards"]
    units = measured.evidence(time)[UNIT].n_unique()
    return Standings(
        boards, units, combinations, best["pair"], best["par2_s"], best["solved"], rivals
    )


def _ranking(table: pl.DataFrame) -> list[dict[str, Any]]:
    """The cost of each combination on average, and on how many boards, best first."""
    costs = [pl.col("par2_s").mean(), pl.col("solved").sum(), pl.len().alias("boards")]
    return table.sort(UNIT).group_by(NAMED, *PAIR).agg(costs).sort("par2_s", "pair").to_dicts()


def _twins(measured: Measured, best: dict[str, Any]) -> dict[str, str]:
    """The combinations of the best one's solver with formulas that are alike, and how alike."""
    alike_groups = [group for group in alike(measured) if best["encoding"] in group.encodings]
    return {
        combination(encoding, best["backend"]): "formula" if group.same else "size"
        for group in alike_groups
        for encoding in group.encodings
    }


def _rival(row: dict[str, Any], compared: dict[str, Any], twin: str) -> Rival:
    """The rival of this row, which is the second one where it is compared with the best."""
    return Rival(
        name=row["pair"],
        par2_s=row["par2_s"],
        solved=row["solved"],
        ratio=1 / compared["mean_ratio"],
        verdict=_verdict(compared["p"], compared["statistic"]),
        typical=_verdict(compared["typical_p"], compared["typical_statistic"]),
        boards=compared["boards"],
        ahead=compared["slower"],
        behind=compared["faster"],
        needed=problems_for(compared["statistic"], compared["critical"], compared["boards"]),
        twin=twin,
    )


def _verdict(p: float, statistic: float) -> str:
    """The verdict on a rival. The statistic is negative if the best one takes less."""
    if p < SIGNIFICANT:
        return "slower" if statistic < 0 else "faster"
    return "undecided"
