"""Tests which of two combinations is faster."""

import itertools
from collections.abc import Sequence, Set
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nqbench.summary.evidence import LEAST_S, UNIT
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import NAMED

Values = NDArray[np.float64]
"""Shape (units, combinations)."""

SIGNIFICANT: Final = 0.05
"""The largest p of a difference that is reported."""

_MOST_EXACT: Final = 50
"""Number of differences, as in SciPy. With more, the normal approximation is close."""

_SCHEMA: Final = {
    "first": pl.String,
    "second": pl.String,
    "boards": pl.Int64,
    "faster": pl.Int64,
    "slower": pl.Int64,
    "median_ratio": pl.Float64,
    "p": pl.Float64,
    "effect": pl.Float64,
}


def comparisons(records: Records, time: str = "solve_s") -> pl.DataFrame:
    """Compare every two combinations, one row each, on the boards that all were measured on. Sort
    by the smallest p_corrected, then by the ratio farthest from 1. A board counts once, however
    many machines measured it, with the mean of the logarithms: see `evidence`.

    Columns: first and second (each 'encoding x backend'), boards, faster and slower (boards where
    the first is that), median_ratio (of the times first / second), p (two-sided Wilcoxon signed
    rank test of the logarithms of the times, ties by W. Pratt's method, Journal of the American
    Statistical Association 54, 1959), p_corrected (S. Holm, Scandinavian Journal of Statistics 6,
    1979, for all rows together), effect (matched-pairs rank-biserial correlation: -1 if the first
    is always faster, 1 if never; D. Kerby, Comprehensive Psychology 3, 2014). An unsolved board
    costs twice its limit.
    """
    return Measured.of(records).once(_comparisons, time)


def _comparisons(measured: Measured, time: str) -> pl.DataFrame:
    names, logs = _by_unit(measured, time, "log_s")
    rows = [
        {"first": names[i], "second": names[j], **_compare_costs(logs[:, i] - logs[:, j])}
        for i, j in itertools.combinations(range(len(names)), 2)
    ]
    table = pl.DataFrame(rows, schema=_SCHEMA)
    corrected = pl.Series(holm(table["p"].to_list()), dtype=pl.Float64)
    return table.with_columns(p_corrected=corrected).sort(*_ORDER, descending=_DESCENDING)


_ORDER: Final = ("p_corrected", pl.col("median_ratio").log().abs(), "first", "second")
_DESCENDING: Final = (False, True, False, False)


def comparisons_with_best(records: Records, time: str = "solve_s") -> pl.DataFrame:
    """Compare the combination with the least PAR-2 with each of the others: its rows of
    `comparisons`, with that combination as `first`.

    The best is chosen from the same records, so `p_corrected` is for all pairs: any of them could
    have become one of these rows.
    """
    records = Measured.of(records)
    names, costs = _by_unit(records, time, "par2_s")
    best = names[int(costs.mean(axis=0).argmin())] if costs.size else ""
    table = comparisons(records, time)
    second = table.filter(pl.col("second") == best)
    turned = second.with_columns(
        first="second",
        second="first",
        faster="slower",
        slower="faster",
        median_ratio=1 / pl.col("median_ratio"),
        effect=0.0 - pl.col("effect"),
    )
    rows = pl.concat([table.filter(pl.col("first") == best), turned])
    return rows.sort(*_ORDER, descending=_DESCENDING)


def _compare_costs(differences: NDArray[np.float64]) -> dict[str, int | float]:
    """Compare two combinations by the differences of the logarithms of their costs, one a unit."""
    ranks, ties = _rank_values(np.abs(differences))
    return {
        "boards": len(differences),
        "faster": int((differences < 0).sum()),
        "slower": int((differences > 0).sum()),
        "median_ratio": float(np.exp(np.median(differences))),
        "p": _signed_rank(differences, ranks, ties),
        "effect": _rank_biserial(differences, ranks),
    }


def ranks(records: Records, time: str = "solve_s") -> tuple[pl.DataFrame, list[list[str]]]:
    """Return the mean rank of each combination over the boards, best first, and the groups without
    significant differences.

    Columns: pair ('encoding x backend'), rank (1 is best; equal times share their ranks). A group
    is a sequence of combinations in that order that do not differ at 5 % by `comparisons` (A.
    Benavoli, G. Corani, F. Mangili, Journal of Machine Learning Research 17, 2016). Groups within
    other groups are left out.
    """
    records = Measured.of(records)
    names, costs = _by_unit(records, time, "par2_s")
    ranked = [_rank_values(unit_costs.clip(LEAST_S))[0] for unit_costs in costs]
    means = np.mean(ranked, axis=0) if ranked else np.ones(len(names))
    table = pl.DataFrame({"pair": names, "rank": means}).sort("rank", "pair")
    compared = comparisons(records, time).filter(pl.col("p_corrected") < SIGNIFICANT)
    different = set(map(frozenset, compared.select("first", "second").rows()))
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


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction of each p for all of them, in the same order."""
    values = np.array(p_values, dtype=np.float64)
    order = np.argsort(values)
    corrected = np.empty_like(values)
    stepped = values[order] * np.arange(len(values), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return list(map(float, corrected))


def _by_unit(records: Records, time: str, column: str) -> tuple[list[str], Values]:
    """The names of the combinations, and their values in a column of `unit_costs`."""
    table = Measured.of(records).unit_costs(time).with_columns(NAMED)
    names = table["pair"].unique().sort().to_list()
    wide = table.pivot("pair", index=UNIT, values=column).sort(UNIT)
    return names, wide.select(names).to_numpy() if names else np.zeros((0, 0))


def signed_rank(differences: NDArray[np.float64]) -> float:
    """The p of Wilcoxon's signed rank test that the median is 0; 1 if there is nothing to test.

    Zeros get ranks that do not count (J. Pratt, Journal of the American Statistical Association 54,
    1959). With up to `_MOST_EXACT` differences p is exact, including ties and zeros.
    """
    return _signed_rank(differences, *_rank_values(np.abs(differences)))


def _signed_rank(
    differences: NDArray[np.float64], ranks: NDArray[np.float64], ties: NDArray[np.int_]
) -> float:
    """The same, with what `_rank_values` returns for the sizes of the differences."""
    if not differences.any():
        return 1.0
    if len(differences) > _MOST_EXACT:
        return _approximate_p(differences, ranks, ties)
    # Ranks of ties end in .5, so doubled ranks are whole numbers.
    doubled = np.rint(2 * ranks).astype(int)
    sums = _sums_of_some(doubled[differences != 0])
    positive = doubled[differences > 0].sum()
    return float(min(1.0, 2 * min(sums[: positive + 1].sum(), sums[positive:].sum())))


def _approximate_p(
    differences: NDArray[np.float64], ranks: NDArray[np.float64], ties: NDArray[np.int_]
) -> float:
    """The p by the normal approximation, corrected for zeros (E. Cureton, Journal of the American
    Statistical Association 62, 1967) and for ties. SciPy's `wilcoxon` returns the same number, but
    takes half a second to import, and would rank the differences again.
    """
    from scipy.special import ndtr  # 0.3 s to import

    count, zeros = float(len(differences)), float((differences == 0).sum())
    tied = (ties[1:] if zeros else ties).astype(np.float64)
    mean = count * (count + 1) * 0.25 - zeros * (zeros + 1) * 0.25
    variance = count * (count + 1) * (2 * count + 1) - zeros * (zeros + 1) * (2 * zeros + 1)
    deviation = np.sqrt((variance - (tied**3 - tied).sum() / 2) / 24)
    return float(2 * ndtr(-abs((ranks[differences > 0].sum() - mean) / deviation)))


def _sums_of_some(ranks: NDArray[np.int_]) -> NDArray[np.float64]:
    """The probability of each sum, from 0, if each rank is taken with probability 1/2.

    SciPy enumerates all 2^n choices if there are ties, which takes a second for n = 13.
    """
    sums = np.zeros(ranks.sum() + 1)
    sums[0] = 1.0
    for rank in ranks:
        sums[rank:] = (sums[rank:] + sums[: len(sums) - rank]) / 2
        sums[:rank] /= 2
    return sums


def _rank_biserial(differences: NDArray[np.float64], ranks: NDArray[np.float64]) -> float:
    signs = np.sign(differences)
    weights = ranks * np.abs(signs)
    return float((signs * weights).sum() / weights.sum()) if weights.any() else 0.0


def _rank_values(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """The rank of each value, from 1, where equal values share their mean rank; and how often each
    different value is there, smallest first.
    """
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    mean_ranks: NDArray[np.float64] = np.cumsum(times) - (times - 1) / 2
    return mean_ranks[place], times
