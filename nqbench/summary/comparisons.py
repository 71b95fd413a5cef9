"""Which of two combinations is typically faster, which solves more, and by how much, of every two.

`paired` decides both. The ratio on average is described with an interval: see `mean_ratio`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import polars as pl

from nqbench.common.errors import InputError
from nqbench.common.metrics import PAR, SCORE
from nqbench.summary.bounded import Duel, duels
from nqbench.summary.evidence import LEAST_S
from nqbench.summary.intervals import MeanRatio, mean_ratio
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import NAMED
from nqbench.summary.paired import Decisions, Pair, Places, decide, typical_ratios
from nqbench.summary.shared import Shared, costs_in_groups, shared_costs
from nqbench.summary.shuffles import of_shuffles, rows_of

_PAIR: Final = ("first", "second")

OF_TYPICAL: Final = dict.fromkeys(("typical_ratio", "low", "high"), pl.Float64)
"""The columns of a typical ratio. So are the next ones of what it was found from, and of a mean."""

OF_SIDES: Final = {"p": pl.Float64, **dict.fromkeys(("faster", "slower", "equal"), pl.Int64)}

OF_MEAN: Final = {
    "mean_ratio": pl.Float64,
    "mean_low": pl.Float64,
    "mean_high": pl.Float64,
    "rests_on": pl.Int64,
    "mean_without": pl.Float64,
}

_OF_PAIR: Final = {"first": pl.String, "second": pl.String, "problems": pl.Int64}
_OF_SOLVED: Final = {"only_first": pl.Int64, "only_second": pl.Int64, "p_solved": pl.Float64}

_DECIDED: Final = {
    **_OF_PAIR,
    **OF_SIDES,
    **_OF_SOLVED,
    "mean_ratio": pl.Float64,
    "typical": pl.Int64,
    "solves_more": pl.Int64,
    "statistic": pl.Float64,
    "critical": pl.Float64,
}
"""What is known of every pair, without intervals, which take longer."""

_SCHEMA: Final = {**_OF_PAIR, **OF_TYPICAL, **OF_SIDES, **_OF_SOLVED, **OF_MEAN}

_TURNED: Final = (
    ("first", "second"),
    ("faster", "slower"),
    ("only_first", "only_second"),
)


def comparisons(records: Records, time: str = "solve_s", most: int | None = None) -> pl.DataFrame:
    """Compare every two combinations, one row each, on the problems that both were measured on.
    Sort by the smallest p, then by the typical ratio farthest from 1. A problem counts once,
    however many machines measured it: see `evidence`. With `most`, only so many of the clearest
    differences are returned.

    Columns:
    - first and second (each 'encoding x backend'), problems;
    - typical_ratio, low and high: by which factor the first typically takes longer than the second,
      with its 95 % interval for all rows together, which ends at 1 if a difference is decided;
      null where no factor is one, as too many problems were solved by only one of them;
    - p: of the test of signed ranks that this factor is 1, for all rows together;
    - faster, slower and equal: problems where the first is that; one that neither solved is equal;
    - only_first and only_second: problems that only one of them solved; p_solved: of the test that
      each solves as many of these, for all rows together;
    - mean_ratio: PAR-2 of the first divided by that of the second; mean_low and mean_high: its 95 %
      interval, of this row only;
    - rests_on: 1 if the mean ratio rests on one problem, and mean_without: the ratio without it;
      otherwise null.

    Below 5 %, p is decided: the first is typically faster if the ratio is below 1, and solves more
    if only_first is more than only_second. The average is only described.

    Of one formula with several shuffles or seeds, p is that of the two-sided Mann-Whitney test that
    the times differ, corrected by Holm, faster and slower are numbers of pairs of runs, and
    mean_ratio is null below 20 shuffles: see `shuffles`.

    Of a race, only the leader is compared with the others, on the problems that both ran: see
    `bounded`. A run that the race stopped costs at least what it took, so that a ratio below 1 may
    be less.
    """
    return Measured.of(records).once(_comparisons, time, most)


def _comparisons(measured: Measured, time: str, most: int | None) -> pl.DataFrame:
    if samples := of_shuffles(measured.not_capped, time):
        return _ordered(pl.DataFrame(rows_of(samples), schema=_SCHEMA))
    rows = decided(measured, time)
    if most is not None:
        rows = rows.sort("p", -pl.col("statistic").abs(), *_PAIR).head(most)
    return with_intervals(measured, time, rows).select(*_SCHEMA)


def comparisons_with_best(
    records: Records, time: str = "solve_s", against: str | None = None
) -> pl.DataFrame:
    """Compare the combination with the least PAR-2, or the one that is named `against`, with each
    of the others: its rows of `comparisons`, with that combination as `first`.

    The best is chosen from the same records, so both p are for all pairs: any of them could have
    become one of these rows. Raises `InputError` for shuffles of one formula `against` another
    combination than the best.
    """
    return Measured.of(records).once(_comparisons_with_best, time, against)


def _comparisons_with_best(measured: Measured, time: str, against: str | None) -> pl.DataFrame:
    if samples := of_shuffles(measured.not_capped, time):
        if against not in {None, samples[0].first}:
            raise InputError("shuffles of one formula are compared with the best one, or by pairs")
        rows = [row for row in rows_of(samples) if row["first"] == samples[0].first]
        return _ordered(pl.DataFrame(rows, schema=_SCHEMA))
    if against is not None:
        best = against
    elif (found := duels(measured, time)) is not None:
        best = found[0].leader if found else ""
    else:
        costs = measured.not_capped.unit_costs(time).group_by(NAMED).agg(pl.col(SCORE).mean())
        best = costs.sort(SCORE, "pair")["pair"][0] if len(costs) else ""
    return with_intervals(measured, time, with_one(measured, time, best)).select(*_SCHEMA)


def with_one(measured: Measured, time: str, name: str) -> pl.DataFrame:
    """The rows of `decided` with this combination, as `first`."""
    return of_one(decided(measured, time), name)


def of_one(table: pl.DataFrame, name: str) -> pl.DataFrame:
    """The rows of `decided` with this combination, as `first`."""
    turned = table.filter(second=name).with_columns(
        *(pl.col(other).alias(one) for one, other in _TURNED),
        *(pl.col(one).alias(other) for one, other in _TURNED),
        *(-pl.col(side) for side in ("typical", "solves_more")),
        statistic=0.0 - pl.col("statistic"),
        mean_ratio=1 / pl.col("mean_ratio"),
    )
    return pl.concat([table.filter(first=name), turned])


def decided(measured: Measured, time: str) -> pl.DataFrame:
    """What is decided of every two combinations: the columns of `comparisons` without intervals, in
    the order of the names. `typical` is -1 if the first is typically faster, 1 if the second is,
    and 0 if that is undecided; `solves_more` is the same of the number of solved problems;
    `statistic` and `critical` are those of `paired.Decisions`.
    """
    return measured.once(_decide, time).table


def units_compared(measured: Measured, time: str) -> int:
    """The number of units of evidence of all pairs of `decided`."""
    return measured.once(_decide, time).units


def decided_in_groups(measured: Measured, time: str, column: str) -> tuple[pl.DataFrame, int]:
    """The same as `decided` on the common problems, with each value of a column as one unit of
    evidence, and the number of units.
    """
    found = _Decided.of([costs_in_groups(measured, time, column)])
    return found.table, found.units


def with_intervals(measured: Measured, time: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Some rows of `decided`, or of `of_one`, with the other columns of `comparisons`, and in its
    order.
    """
    source = measured.once(_decide, time)
    described = pl.DataFrame(source.describe(rows.select(_PAIR).rows()), schema=_INTERVALS)
    table = rows.drop("mean_ratio").hstack(described)
    # Step by step more is decided than by the interval of all pairs, which then ends at 1.
    low, high, side = pl.col("low"), pl.col("high"), pl.col("typical")
    return _ordered(
        table.with_columns(
            low=pl.when(side > 0).then(low.clip(1.0)).otherwise(low),
            high=pl.when(side < 0).then(high.clip(None, 1.0)).otherwise(high),
        )
    )


_INTERVALS: Final = {name: _SCHEMA[name] for name in _SCHEMA if name not in _DECIDED} | {
    "mean_ratio": pl.Float64
}


def _ordered(table: pl.DataFrame) -> pl.DataFrame:
    size = pl.col("typical_ratio").log().abs()
    return table.sort("p", size, *_PAIR, descending=[False, True, False, False], nulls_last=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Decided:
    """The table `decided`, and the costs behind it, by the names of a pair."""

    table: pl.DataFrame
    units: int
    critical: float
    costs: dict[frozenset[str], tuple[Shared, Places | None]]

    @classmethod
    def of(cls, every: Sequence[Shared]) -> "_Decided":
        units = np.unique(np.concatenate([np.zeros(0, np.intp), *(s.units for s in every)]))
        places = [_places(shared, units) for shared in every]
        pairs = (
            _pair(shared, place, i, j)
            for shared, place in zip(every, places, strict=True)
            for i, j in shared.pairs
        )
        found = decide(pairs, len(units))
        table = pl.concat([pl.DataFrame(schema=_MEANS), *map(_means, every)])
        costs = {
            frozenset((shared.names[i], shared.names[j])): (shared, place)
            for shared, place in zip(every, places, strict=True)
            for i, j in shared.pairs
        }
        return cls(_with_decisions(table, found), len(units), found.critical, costs)

    def describe(self, pairs: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
        """The columns of `comparisons` with the ratios and intervals of these pairs."""
        every = [self._costs(*names) for names in pairs]
        compared = [_pair(shared, place, i, j) for shared, place, i, j in every]
        ratios = zip(*typical_ratios(compared, self.units, self.critical), strict=True)
        return [
            typical_columns(*ratio) | _on_average(shared, place, i, j)
            for ratio, (shared, place, i, j) in zip(ratios, every, strict=True)
        ]

    def _costs(self, first: str, second: str) -> tuple[Shared, Places | None, int, int]:
        shared, place = self.costs[frozenset((first, second))]
        return shared, place, shared.names.index(first), shared.names.index(second)


@dataclass(frozen=True, slots=True, eq=False)
class _Raced:
    """The same of the leader of a race with each other combination, at the level of its looks."""

    table: pl.DataFrame
    duels: dict[str, Duel]

    @property
    def units(self) -> int:
        """The most units that two ran."""
        return max((len(duel.logs) for duel in self.duels.values()), default=0)

    @classmethod
    def of(cls, found: Sequence[Duel]) -> "_Raced":
        table = pl.DataFrame(list(map(_decide_duel, found)), schema=_DECIDED)
        return cls(table, {duel.other: duel for duel in found})

    def describe(self, pairs: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
        """The same as that of `_Decided`."""
        return [
            _describe_duel(self.duels[second])
            if second in self.duels
            else _turn(_describe_duel(self.duels[first]))
            for first, second in pairs
        ]


def _decide_duel(duel: Duel) -> dict[str, Any]:
    """What a race decided: bounds can only show that the leader is faster. They do not say who
    solves more.
    """
    sides = np.sign(duel.logs[:, 0] - duel.logs[:, 1])
    faster, slower, equal = (int((sides == side).sum()) for side in (-1, 1, 0))
    return {
        "first": duel.leader,
        "second": duel.other,
        "problems": len(duel.costs),
        "p": duel.p,
        "faster": faster,
        "slower": slower,
        "equal": equal,
        "mean_ratio": 1 / duel.ratio,
        "typical": duel.typical,
        "solves_more": 0,
        "statistic": duel.statistic,
        "critical": duel.critical,
    }


def _describe_duel(duel: Duel) -> dict[str, Any]:
    pair = Pair(duel.logs[:, 0] - duel.logs[:, 1])
    ratios = typical_ratios([pair], len(duel.logs), duel.critical)
    row = typical_columns(*(float(ratio[0]) for ratio in ratios))
    means = mean_ratio(*duel.costs.clip(LEAST_S).T)
    if duel.capped:  # the true ratios may be less
        return {**row, "low": None, "mean_ratio": 1 / duel.ratio}
    return row | mean_columns(means)


def _turn(row: dict[str, Any]) -> dict[str, Any]:
    """The columns that `describe` returns, for the same pair in the other order."""
    opposite = {"low": "high", "high": "low", "mean_low": "mean_high", "mean_high": "mean_low"}
    ratios = {name: row[opposite.get(name, name)] for name in row if name != "rests_on"}
    inverse = {name: 1 / ratio if ratio else None for name, ratio in ratios.items()}
    return row | inverse


def _decide(measured: Measured, time: str) -> "_Decided | _Raced":
    if (found := duels(measured, time)) is not None:
        return _Raced.of(found)
    return _Decided.of(measured.not_capped.once(shared_costs, time))


def _places(shared: Shared, units: Places) -> Places | None:
    """The places of the units of each problem; None if each problem is a unit."""
    places = np.searchsorted(units, shared.units)
    is_each = len(places) == len(units) and bool((places == np.arange(len(units))).all())
    return None if is_each and shared.ran is None else places


def _pair(shared: Shared, places: Places | None, first: int, second: int) -> Pair:
    own = places if places is None or shared.ran is None else places[shared.both(first, second)]
    return Pair(shared.log_ratios(first, second), own)


_MEANS: Final = {name: _DECIDED[name] for name in ("first", "second", "problems", "mean_ratio")}


def _means(shared: Shared) -> pl.DataFrame:
    """The ratio of the means of each pair, and on how many problems."""
    first, second = shared.pairs.T
    ran = np.ones(shared.costs.shape, np.bool_) if shared.ran is None else shared.ran
    costs = np.where(ran, shared.costs, 0.0)
    problems = (ran.T.astype(np.int64) @ ran)[first, second]
    # What a combination costs in total where another one ran, too.
    totals, least = costs.T @ ran, LEAST_S * problems
    ratios = totals[first, second].clip(least) / totals[second, first].clip(least)
    return pl.DataFrame(
        {
            "first": [shared.names[i] for i in first],
            "second": [shared.names[i] for i in second],
            "problems": problems,
            "mean_ratio": ratios,
        },
        schema=_MEANS,
    )


def _with_decisions(table: pl.DataFrame, found: Decisions) -> pl.DataFrame:
    return table.with_columns(
        p=found.p,
        faster=found.faster,
        slower=found.slower,
        equal=found.equal,
        only_first=found.only_first,
        only_second=found.only_second,
        p_solved=found.p_solved,
        typical=found.typical,
        solves_more=found.solved,
        statistic=found.statistic,
        critical=pl.lit(found.critical, pl.Float64),
    ).select(pl.col(name).cast(kind) for name, kind in _DECIDED.items())


def typical_columns(ratio: float, low: float, high: float) -> dict[str, float | None]:
    """The columns of a typical ratio: null where there is no factor."""
    values = {"typical_ratio": ratio, "low": low, "high": high}
    return {name: value if 0 < value < math.inf else None for name, value in values.items()}


def _on_average(
    shared: Shared, places: Places | None, first: int, second: int
) -> dict[str, float | int | None]:
    """The columns of a mean ratio."""
    rows = shared.both(first, second)
    one, other = (shared.costs[rows, i].clip(LEAST_S) for i in (first, second))
    limits = shared.limits[rows]
    most = PAR * float(limits.mean()) if np.isfinite(limits).all() else math.inf
    units = None
    if (own := _pair(shared, places, first, second).places) is not None:
        units = np.unique(own, return_inverse=True)[1]
    return mean_columns(mean_ratio(one, other, units, most))


def mean_columns(means: MeanRatio) -> dict[str, float | int | None]:
    """The columns of a mean ratio."""
    return {
        "mean_ratio": means.ratio,
        "mean_low": means.low,
        "mean_high": means.high,
        "rests_on": None if means.without is None else 1,
        "mean_without": means.without,
    }
