"""The test by signed ranks, and what it says of two combinations on the typical problem."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.summary.exchanges import SIGNIFICANT
from nqbench.summary.intervals import hodges_lehmann, signed_rank_interval

_MOST_EXACT: Final = 50
"""Number of differences, as in SciPy. With more, the normal approximation is close."""


@dataclass(frozen=True, slots=True)
class Typical:
    """How much a first combination takes of a second one on the typical problem.

    `ratio` is the Hodges-Lehmann estimate, `low` and `high` its interval of the signed rank test,
    None for too few problems, `faster` and `slower` the numbers of problems on which the first is
    that, `p` the two-sided p-value of that test, uncorrected, and `statistic` its statistic, which
    is negative if the first is faster.
    """

    ratio: float
    low: float | None
    high: float | None
    faster: int
    slower: int
    p: float
    statistic: float


def typically(
    log_ratios: NDArray[np.float64], alpha: float = SIGNIFICANT, *, has_ratio: bool = True
) -> Typical:
    """What the logarithms of the ratios of two costs show, one for each unit of evidence, with an
    interval of the confidence 1 - alpha. Without `has_ratio`, the ratio is NaN and has no interval.
    """
    low, high = signed_rank_interval(log_ratios, alpha) if has_ratio else (None, None)
    ranks, ties = rank_values(np.abs(log_ratios))
    return Typical(
        math.exp(hodges_lehmann(log_ratios)) if has_ratio else math.nan,
        None if low is None else math.exp(low),
        None if high is None else math.exp(high),
        int((log_ratios < 0).sum()),
        int((log_ratios > 0).sum()),
        _signed_rank(log_ratios, ranks, ties),
        float((np.sign(log_ratios) * ranks).sum()),
    )


def signed_rank(differences: NDArray[np.float64]) -> float:
    """The p of Wilcoxon's signed rank test that the median is 0; 1 if there is nothing to test.

    Zeros get ranks that do not count (J. Pratt, Journal of the American Statistical Association 54,
    1959). With up to `_MOST_EXACT` differences p is exact, including ties and zeros.
    """
    return _signed_rank(differences, *rank_values(np.abs(differences)))


def _signed_rank(
    differences: NDArray[np.float64], ranks: NDArray[np.float64], ties: NDArray[np.int_]
) -> float:
    """The same, with what `rank_values` returns for the sizes of the differences."""
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


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction of each p for all of them, in the same order (S. Holm, Scandinavian Journal
    of Statistics 6, 1979).
    """
    values = np.array(p_values, dtype=np.float64)
    order = np.argsort(values)
    corrected = np.empty_like(values)
    stepped = values[order] * np.arange(len(values), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return list(map(float, corrected))


def rank_values(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """The rank of each value, from 1, where equal values share their mean rank; and how often each
    different value is there, smallest first.
    """
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    mean_ranks: NDArray[np.float64] = np.cumsum(times) - (times - 1) / 2
    return mean_ranks[place], times
