"""Tests which of two combinations is faster, by two questions: which one is on average, and which
one is on the typical problem. Either answer can be the opposite of the other.
"""

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nqbench.summary.bounded import Duel, duels
from nqbench.summary.evidence import LEAST_S, UNIT
from nqbench.summary.exchanges import SIGNIFICANT, Block, exchange
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import NAMED
from nqbench.summary.shared import Shared, costs_in_groups, shared_costs
from nqbench.summary.shuffles import of_shuffles, rows_of
from nqbench.summary.signed_ranks import Typical, rank_values, typically

Values = NDArray[np.float64]
"""Shape (units, combinations)."""

_PAIR: Final = ("first", "second")
_NOT_SHOWN: Final = ("statistic", "critical", "typical_statistic")
_ON_AVERAGE: Final = {
    "first": pl.String,
    "second": pl.String,
    "boards": pl.Int64,
    "mean_ratio": pl.Float64,
    "p": pl.Float64,
    "statistic": pl.Float64,
    "critical": pl.Float64,
}
_MEANS: Final = {name: _ON_AVERAGE[name] for name in ("first", "second", "boards", "mean_ratio")}
_TYPICALLY: Final = {
    "faster": pl.Int64,
    "slower": pl.Int64,
    "typical_ratio": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "typical_p": pl.Float64,
    "typical_statistic": pl.Float64,
}


_SHOWN: Final[dict[str, Any]] = {
    name: kind for name, kind in (_ON_AVERAGE | _TYPICALLY).items() if name not in _NOT_SHOWN
}
_HIDDEN: Final[dict[str, Any]] = dict.fromkeys(_NOT_SHOWN, pl.Float64)
_ORDER: Final = ("p", pl.col("mean_ratio").log().abs(), *_PAIR)
_DESCENDING: Final = (False, True, False, False)


def comparisons(records: Records, time: str = "solve_s") -> pl.DataFrame:
    """Compare every two combinations, one row each, on the boards that both were measured on. Sort
    by the smallest p, then by the mean ratio farthest from 1. A board counts once, however many
    machines measured it: see `evidence`.

    Columns: first and second (each 'encoding x backend'), boards.

    On average: mean_ratio (PAR-2 of the first divided by that of the second), p (of the test of
    `exchanges`, for all rows together).

    On the typical board: faster and slower (boards where the first is that), typical_ratio, low and
    high (the Hodges-Lehmann estimate of the ratio of times, and its 95 % interval, for all rows
    together), typical_p (two-sided Wilcoxon signed rank test of the logarithms of the times, ties
    by J. Pratt's method, Journal of the American Statistical Association 54, 1959; multiplied by
    the number of rows). An unsolved board costs twice its limit.

    Of one formula with several shuffles or seeds, p is that of the two-sided Mann-Whitney test that
    the times differ, corrected by Holm, faster and slower are numbers of pairs of runs, and
    mean_ratio is null below 20 shuffles: see `shuffles`.

    Of a race, only the leader is compared with the others, on the boards that both ran: see
    `bounded`. A run that the race stopped costs at least what it took, so that a ratio below 1 may
    be less.
    """
    return Measured.of(records).once(_comparisons, time)


def _comparisons(measured: Measured, time: str) -> pl.DataFrame:
    if samples := of_shuffles(measured.not_capped, time):
        return pl.DataFrame(rows_of(samples), schema=_SHOWN).sort(_ORDER, descending=_DESCENDING)
    table = _with_typical(measured, time, measured.once(on_average, time))
    return table.drop(_NOT_SHOWN)


def comparisons_with_best(records: Records, time: str = "solve_s") -> pl.DataFrame:
    """Compare the combination with the least PAR-2 with each of the others: its rows of
    `comparisons`, with that combination as `first`.

    The best is chosen from the same records, so both p are for all pairs: any of them could have
    become one of these rows.
    """
    measured = Measured.of(records)
    return measured.once(_comparisons_with_best, time).drop(_NOT_SHOWN)


def _comparisons_with_best(measured: Measured, time: str) -> pl.DataFrame:
    if samples := of_shuffles(measured.not_capped, time):
        rows = [row for row in rows_of(samples) if row["first"] == samples[0].first]
        return pl.DataFrame(rows, schema=_SHOWN | _HIDDEN).sort(_ORDER, descending=_DESCENDING)
    if (found := duels(measured, time)) is not None:
        return with_one(measured, time, found[0].leader if found else "")
    names, costs = _by_unit(measured.not_capped, time, "par2_s")
    best = names[int(costs.mean(axis=0).argmin())] if costs.size else ""
    return with_one(measured, time, best)


def with_one(measured: Measured, time: str, name: str, *, has_ratio: bool = True) -> pl.DataFrame:
    """The rows of `comparisons` with this combination as `first`; and statistic and critical, as
    `exchange` returns them. Without `has_ratio`, there are no typical ratios, which take long.
    """
    table = measured.once(on_average, time)
    rows = of_one(table, name)
    return _with_typical(measured, time, rows, len(table), has_ratio=has_ratio)


def of_one(table: pl.DataFrame, name: str) -> pl.DataFrame:
    """The rows of `on_average` with this combination, as `first`."""
    turned = table.filter(pl.col("second") == name).with_columns(
        first="second",
        second="first",
        mean_ratio=1 / pl.col("mean_ratio"),
        statistic=0.0 - pl.col("statistic"),
    )
    return pl.concat([table.filter(pl.col("first") == name), turned])


def on_average(measured: Measured, time: str) -> pl.DataFrame:
    """Test every two combinations by their costs on average: the first columns of `comparisons`, in
    the order of the names; and statistic and critical, as `exchange` returns them.
    """
    if (found := duels(measured, time)) is not None:
        return _by_bounds(found)
    return _exchange_all(measured.not_capped.once(shared_costs, time))


def on_average_in_groups(measured: Measured, time: str, column: str) -> pl.DataFrame:
    """The same on the common problems, with each value of a column as one unit of evidence."""
    return _exchange_all([costs_in_groups(measured, time, column)])


def _exchange_all(every: Sequence[Shared]) -> pl.DataFrame:
    exchanged = exchange([Block(one.costs, one.units, one.pairs, one.ran) for one in every])
    tables = [_means(shared) for shared in every]
    table = pl.concat([pl.DataFrame(schema=_MEANS), *tables])
    return table.with_columns(
        p=exchanged.joint_p,
        statistic=exchanged.statistic,
        critical=pl.lit(exchanged.critical, pl.Float64),
    ).select(*_ON_AVERAGE)


def _means(shared: Shared) -> pl.DataFrame:
    first, second = shared.pairs.T
    if shared.ran is None:
        means = shared.costs.mean(axis=0).clip(LEAST_S) if shared.costs.size else np.ones(0)
        boards, ratios = np.full(len(first), len(shared.units)), means[first] / means[second]
    else:
        costs = np.where(shared.ran, shared.costs, 0.0)
        boards = (shared.ran.T.astype(np.int64) @ shared.ran)[first, second]
        # What a combination costs in total where another one ran, too.
        totals = costs.T @ shared.ran
        least = LEAST_S * boards
        ratios = totals[first, second].clip(least) / totals[second, first].clip(least)
    return pl.DataFrame(
        {
            "first": [shared.names[i] for i in first],
            "second": [shared.names[i] for i in second],
            "boards": boards,
            "mean_ratio": ratios,
        },
        schema=_MEANS,
    )


def _by_bounds(found: Sequence[Duel]) -> pl.DataFrame:
    """The same of the leader of a race with each other combination, at the level of its looks."""
    rows = [
        {
            "first": duel.leader,
            "second": duel.other,
            "boards": len(duel.costs),
            "mean_ratio": 1 / duel.ratio,
            "p": duel.p,
            "statistic": duel.statistic,
            "critical": duel.critical,
        }
        for duel in found
    ]
    return pl.DataFrame(rows, schema=_ON_AVERAGE)


def _typical_of_duels(found: Sequence[Duel]) -> dict[tuple[str, str], Typical]:
    """What is typical of each, with p at the level of a look. Bounds can only show that the leader
    is faster.
    """
    typical = {}
    for duel in found:
        one = typically(duel.logs[:, 0] - duel.logs[:, 1], SIGNIFICANT / duel.looks)
        is_shown = one.statistic < 0 or not duel.capped
        p = min(1.0, duel.looks * one.p) if is_shown else 1.0
        typical[duel.leader, duel.other] = replace(one, p=p)
    return typical


def _with_typical(
    measured: Measured,
    time: str,
    rows: pl.DataFrame,
    pairs: int | None = None,
    *,
    has_ratio: bool = True,
) -> pl.DataFrame:
    """Rows of `on_average` with what is typical, in the order of `comparisons`; `pairs` are how
    many were compared if these are not all.
    """
    number = len(rows) if pairs is None else pairs
    if (by_bounds := duels(measured, time)) is not None:
        number, of_duels = 1, _typical_of_duels(by_bounds)
        found = [of_duels[pair] for pair in rows.select(_PAIR).rows()]
    else:
        place = {
            frozenset((shared.names[i], shared.names[j])): shared
            for shared in measured.not_capped.once(shared_costs, time)
            for i, j in shared.pairs
        }
        found = [
            typically(
                _log_ratios(place[frozenset((first, second))], first, second),
                SIGNIFICANT / number,
                has_ratio=has_ratio,
            )
            for first, second in rows.select(_PAIR).rows()
        ]
    typical = pl.DataFrame(
        {
            "faster": [one.faster for one in found],
            "slower": [one.slower for one in found],
            "typical_ratio": [one.ratio for one in found],
            "low": [one.low for one in found],
            "high": [one.high for one in found],
            "typical_p": [min(1.0, number * one.p) for one in found],
            "typical_statistic": [one.statistic for one in found],
        },
        schema=_TYPICALLY,
    )
    return rows.hstack(typical).sort(_ORDER, descending=_DESCENDING)


def _log_ratios(shared: Shared, first: str, second: str) -> Values:
    one, other = (shared.names.index(name) for name in (first, second))
    both = shared.both(one, other)
    difference: Values = shared.logs[both, one] - shared.logs[both, other]
    return difference


def ranks(records: Records, time: str = "solve_s") -> tuple[pl.DataFrame, list[list[str]]]:
    """Return the mean rank of each combination over the boards, best first, and the groups without
    significant differences.

    Columns: pair ('encoding x backend'), rank (1 is best; equal times share their ranks). A group
    is a sequence of combinations in that order of which no two differ at 5 % on the typical board
    by `comparisons` (A. Benavoli, G. Corani, F. Mangili, Journal of Machine Learning Research 17,
    2016). Groups within other groups are left out.
    """
    records = Measured.of(records).not_capped
    names, costs = _by_unit(records, time, "par2_s")
    ranked = [rank_values(unit_costs.clip(LEAST_S))[0] for unit_costs in costs]
    means = np.mean(ranked, axis=0) if ranked else np.ones(len(names))
    table = pl.DataFrame({"pair": names, "rank": means}).sort("rank", "pair")
    compared = comparisons(records, time).filter(pl.col("typical_p") < SIGNIFICANT)
    different = set(map(frozenset, compared.select(_PAIR).rows()))
    return table, _groups(table["pair"].to_list(), different)


def _groups(order: list[str], different: Set[frozenset[str]]) -> list[list[str]]:
    """The longest sequences of names, in that order, whose members do not differ."""
    groups: list[list[str]] = []
    for start in range(len(order)):
        end = start
        while end < len(order) and not any(
            frozenset((order[end], other)) in different for other in order[start:end]
        ):
            end += 1
        group = order[start:end]
        if len(group) > 1 and not any(set(group) <= set(other) for other in groups):
            groups.append(group)
    return groups


def _by_unit(records: Records, time: str, column: str) -> tuple[list[str], Values]:
    """The names of the combinations, and their values in a column of `evidence`."""
    table = Measured.of(records).evidence(time).with_columns(NAMED)
    names = table["pair"].unique().sort().to_list()
    wide = table.pivot("pair", index=UNIT, values=column).sort(UNIT)
    return names, wide.select(names).to_numpy() if names else np.zeros((0, 0))
