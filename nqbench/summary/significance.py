"""Tests which of two combinations is faster, by two questions: which one is on average, and which
one is on the typical problem. Either answer can be the opposite of the other.
"""

import itertools
from collections.abc import Set
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nqbench.summary.evidence import LEAST_S, UNIT
from nqbench.summary.exchanges import SIGNIFICANT, Block, exchange
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import NAMED
from nqbench.summary.signed_ranks import rank_values, typically

Values = NDArray[np.float64]
"""Shape (units, combinations)."""

_PAIR: Final = ("first", "second")
_ON_AVERAGE: Final = {
    "first": pl.String,
    "second": pl.String,
    "boards": pl.Int64,
    "mean_ratio": pl.Float64,
    "p": pl.Float64,
    "statistic": pl.Float64,
    "critical": pl.Float64,
}
_TYPICALLY: Final = {
    "faster": pl.Int64,
    "slower": pl.Int64,
    "typical_ratio": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "typical_p": pl.Float64,
}


def comparisons(records: Records, time: str = "solve_s") -> pl.DataFrame:
    """Compare every two combinations, one row each, on the boards that all were measured on. Sort
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
    """
    return Measured.of(records).once(_comparisons, time)


def _comparisons(measured: Measured, time: str) -> pl.DataFrame:
    table = _with_typical(measured, time, measured.once(on_average, time))
    return table.drop("statistic", "critical")


def comparisons_with_best(records: Records, time: str = "solve_s") -> pl.DataFrame:
    """Compare the combination with the least PAR-2 with each of the others: its rows of
    `comparisons`, with that combination as `first`.

    The best is chosen from the same records, so both p are for all pairs: any of them could have
    become one of these rows.
    """
    measured = Measured.of(records)
    return measured.once(_comparisons_with_best, time).drop("statistic", "critical")


def _comparisons_with_best(measured: Measured, time: str) -> pl.DataFrame:
    names, costs = _by_unit(measured, time, "par2_s")
    best = names[int(costs.mean(axis=0).argmin())] if costs.size else ""
    return with_one(measured, time, best)


def with_one(measured: Measured, time: str, name: str) -> pl.DataFrame:
    """The rows of `comparisons` with this combination as `first`; and statistic and critical, as
    `exchange` returns them.
    """
    table = measured.once(on_average, time)
    turned = table.filter(pl.col("second") == name).with_columns(
        first="second",
        second="first",
        mean_ratio=1 / pl.col("mean_ratio"),
        statistic=0.0 - pl.col("statistic"),
    )
    rows = pl.concat([table.filter(pl.col("first") == name), turned])
    return _with_typical(measured, time, rows, len(table))


def on_average(measured: Measured, time: str) -> pl.DataFrame:
    """Test every two combinations by their costs on average: the first columns of `comparisons`, in
    the order of the names; and statistic and critical, as `exchange` returns them.
    """
    names, costs = _by_unit(measured, time, "par2_s")
    pairs = np.array([*itertools.combinations(range(len(names)), 2)], dtype=np.intp).reshape(-1, 2)
    exchanged = exchange([Block(costs, np.arange(len(costs)), pairs)])
    means = costs.mean(axis=0).clip(LEAST_S) if costs.size else np.ones(len(names))
    first, second = pairs.T
    return pl.DataFrame(
        {
            "first": [names[i] for i in first],
            "second": [names[i] for i in second],
            "boards": [len(costs)] * len(pairs),
            "mean_ratio": means[first] / means[second],
            "p": exchanged.joint_p,
            "statistic": exchanged.statistic,
            "critical": [exchanged.critical] * len(pairs),
        },
        schema=_ON_AVERAGE,
    )


def _with_typical(
    measured: Measured, time: str, rows: pl.DataFrame, pairs: int | None = None
) -> pl.DataFrame:
    """Rows of `on_average` with what is typical, in the order of `comparisons`; `pairs` are how
    many were compared if these are not all.
    """
    number = len(rows) if pairs is None else pairs
    names, logs = _by_unit(measured, time, "log_s")
    place = {name: at for at, name in enumerate(names)}
    found = [
        typically(logs[:, place[first]] - logs[:, place[second]], SIGNIFICANT / number)
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
        },
        schema=_TYPICALLY,
    )
    return rows.hstack(typical).sort(
        "p", pl.col("mean_ratio").log().abs(), *_PAIR, descending=[False, True, False, False]
    )


def ranks(records: Records, time: str = "solve_s") -> tuple[pl.DataFrame, list[list[str]]]:
    """Return the mean rank of each combination over the boards, best first, and the groups without
    significant differences.

    Columns: pair ('encoding x backend'), rank (1 is best; equal times share their ranks). A group
    is a sequence of combinations in that order of which no two differ at 5 % on the typical board
    by `comparisons` (A. Benavoli, G. Corani, F. Mangili, Journal of Machine Learning Research 17,
    2016). Groups within other groups are left out.
    """
    records = Measured.of(records)
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
