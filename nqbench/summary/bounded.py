"""What a race measured: runs that it stopped show only that they take longer.

To leave these out would compare a combination where it happened to be close to the best one. So
their costs are bounds, as in the race, and only the leader is compared with the others: by its full
runs, at the level of a look, and by the signed ranks of the race. It can only be shown to be
typically faster.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nqbench.common import metrics
from nqbench.summary.evidence import LEAST_S, UNIT, collapsed
from nqbench.summary.measured import Measured
from nqbench.summary.observed import BOARD, GROUP, NAMED, PAIR, THERE, observed, penalised
from nqbench.summary.paired import LEVEL, Decisions, Pair, Values, decide

CAP: Final = 1.5
"""A race stops a run at this multiple of the best, or of the leader, on its problem."""

FIRST_LOOK: Final = 8
"""Problems before a race first looks: with fewer, hardly any difference could be found."""

_CAPPED: Final = pl.col("outcome") == "capped"


def looks(problems: int) -> list[int]:
    """The numbers of problems after which a race of so many looks at the differences."""
    numbers, count = [], FIRST_LOOK
    while count < problems:
        numbers.append(count)
        count *= 2
    return [*numbers, problems]


def clip(log_ratios: Values) -> Values:
    """The logarithms of ratios of costs, at most that of `CAP` on both sides. Of a stopped run, no
    more is known on one side; equals would not be symmetric if more counted on the other. A clip
    that depends on which run was first would not be symmetric, either.
    """
    clipped: Values = log_ratios.clip(-math.log(CAP), math.log(CAP))
    return clipped


@dataclass(frozen=True, slots=True, eq=False)
class Duel:
    """The leader of a race against another combination, on the units that both ran, where the
    leader was not stopped: their costs and the logarithms of these, both of shape (units, 2), and
    how many costs of the other are bounds.
    """

    leader: str
    other: str
    costs: NDArray[np.float64]
    logs: NDArray[np.float64]
    capped: int
    looks: int
    leader_cost: float
    """The mean cost of all full runs of the leader."""

    leader_units: int
    """Their number."""

    @property
    def ratio(self) -> float:
        """The mean cost of the other as a multiple of the leader's, or its lower bound."""
        leader, other = self.costs.mean(axis=0).clip(LEAST_S)
        return float(other / leader)

    @property
    def statistic(self) -> float:
        """That of the signed ranks of the clipped ratios, negative if the leader takes less."""
        return float(self._decided.statistic[0])

    @property
    def p(self) -> float:
        """The p-value that is decided below 5 % if it is at one look of the race. Bounds can only
        show that the leader is typically faster.
        """
        if self.capped and self.statistic >= 0:
            return 1.0
        return min(1.0, self.looks * float(self._decided.single_p[0]))

    @property
    def typical(self) -> int:
        """-1 if the leader is typically faster, 1 if the other one is, 0 if that is undecided. The
        one that is faster is so on more problems than against it.
        """
        side = int(np.sign(self.statistic))
        is_decided = self.p < LEVEL and side == np.sign(np.sign(self.logs @ [1, -1]).sum())
        return side if is_decided else 0

    @property
    def critical(self) -> float:
        """The statistic that is decided, if there are many units."""
        return NormalDist().inv_cdf(1 - LEVEL / 2 / self.looks)

    @property
    def _decided(self) -> Decisions:
        return decide([Pair(clip(self.logs[:, 0] - self.logs[:, 1]))], len(self.logs))


def duels(measured: Measured, time: str) -> list[Duel] | None:
    """The leader of a race against each other combination; None if no run was stopped that another
    combination finished.
    """
    costs = _costs(measured, time)
    if costs is None:
        return None
    names = costs["pair"].unique().sort().to_list()
    cost, log_s, is_bound = (
        costs.pivot("pair", index=UNIT, values=value).sort(UNIT).select(names).to_numpy()
        for value in ("cost", "log_s", "is_bound")
    )
    ran = ~np.isnan(cost)
    most = ran.sum(axis=0) == ran.sum(axis=0).max()
    finished = most & ~(ran & (is_bound > 0)).any(axis=0)
    candidates = np.flatnonzero(finished if finished.any() else most)
    shared = ran[:, candidates].all(axis=1)
    leader = candidates[cost[shared][:, candidates].mean(axis=0).argmin()] if shared.any() else 0
    in_full = ran[:, leader] & ~(is_bound[:, leader] > 0)
    number, cost_of_leader = len(looks(int(ran[:, leader].sum()))), cost[in_full, leader]
    found = []
    for other in range(len(names)):
        both = in_full & ran[:, other]
        if other != leader and both.any():
            two = [leader, other]
            capped = int((is_bound[both, other] > 0).sum())
            duel = cost[both][:, two], log_s[both][:, two], capped, number
            of_leader = float(cost_of_leader.mean()), len(cost_of_leader)
            found.append(Duel(names[leader], names[other], *duel, *of_leader))
    return found


def _costs(measured: Measured, time: str) -> pl.DataFrame | None:
    """The cost of each unit, or its bound: pair, unit, cost, log_s, is_bound."""
    records = measured.records
    if not records.select(_CAPPED.any()).item():
        return None
    runs = (
        observed(records, time)
        .filter(~pl.col("outcome").is_in(["unavailable", "invalid"]))
        .with_columns(
            cost=pl.when(_CAPPED).then(_bound(time)).otherwise(penalised()),
            is_bound=_CAPPED,
        )
    )
    place = [*THERE, "time_limit_s"]
    is_full = ~pl.col("is_bound")
    runs = runs.filter(is_full | ~is_full.any().over([*PAIR, *place]))
    runs = runs.filter(is_full.any().over(place))
    if not runs["is_bound"].any():
        return None
    digest = [pl.col(name).first() for name in ("problem_digest", GROUP) if name in runs.columns]
    table = (
        runs.group_by(NAMED, *place)
        .agg(
            *digest,
            pl.col("cost").mean(),
            pl.col("is_bound").any().cast(pl.Float64),
            log_s=pl.col("cost").mean().clip(LEAST_S).log(),
        )
        .sort("pair", *BOARD)
    )
    return collapsed(table, ["pair"], ["cost", "log_s", "is_bound"])


def _bound(time: str) -> pl.Expr:
    """What a run that was stopped took at least."""
    zero = pl.lit(0.0)
    if time in metrics.PHASES:
        phases = [pl.col(f"{phase}_at_least_s").fill_null(0.0) for phase in metrics.PHASES[time]]
        before = pl.col("encode_s").fill_null(0.0) if time == "total_s" else zero
        return sum(phases, before)
    return pl.col(time).fill_null(0.0) if time in ("wall_s", "cpu_s") else zero
