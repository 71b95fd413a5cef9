"""Confidence intervals."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

_FEWEST: Final = 6
"""The least and the greatest of so many values enclose the median with 1 - 2 / 2^6 = 97 %."""


def share(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's score interval of 95 % for a probability (E. Wilson, Journal of the American
    Statistical Association 22, 1927).
    """
    from scipy.stats import binomtest

    interval = binomtest(successes, trials).proportion_ci(method="wilson")
    return interval.low, interval.high


def median(
    values: Sequence[float] | NDArray[np.float64],
) -> tuple[float, float] | tuple[None, None]:
    """The interval of 95 % from two order statistics around the median, for any distribution (W.
    Conover, "Practical nonparametric statistics", 3rd edition, 1999, section 3.2). Values may be
    infinite. None, None for fewer than six values, which are too few for 95 %.
    """
    count = len(values)
    if count < _FEWEST:
        return None, None
    from scipy.special import bdtr  # 0.3 s to import

    below = bdtr(np.arange(count), count, 0.5)
    outside = int(np.searchsorted(below, 0.025)) - 1  # the last value with less than 2.5 % below it
    ordered = np.sort(values)
    return float(ordered[outside]), float(ordered[count - 1 - outside])


def hodges_lehmann(sample: NDArray[np.float64]) -> float:
    """The centre of a sample: the median of the means of all pairs of its values, each value also
    paired with itself (J. Hodges, E. Lehmann, Annals of Mathematical Statistics 34, 1963).
    """
    return float(np.median(_walsh(sample)))


def signed_rank_interval(
    sample: NDArray[np.float64], alpha: float
) -> tuple[float, float] | tuple[None, None]:
    """The interval of Wilcoxon's signed rank test around `hodges_lehmann`: the middle of the means
    of pairs, by the normal approximation of the statistic. None, None if no interval reaches the
    confidence 1 - alpha.
    """
    from scipy.stats import norm

    count = len(sample)
    means = _walsh(sample)
    mean = count * (count + 1) / 4
    deviation = math.sqrt(count * (count + 1) * (2 * count + 1) / 24)
    outside = math.floor(mean - float(norm.isf(alpha / 2)) * deviation)
    if outside < 1:
        return None, None
    return float(means[outside - 1]), float(means[len(means) - outside])


def _walsh(sample: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means of all pairs of values in ascending order."""
    i, j = np.triu_indices(len(sample))
    means: NDArray[np.float64] = np.sort((sample[i] + sample[j]) / 2)
    return means
