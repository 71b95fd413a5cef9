"""Confidence intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
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
    outside = _outside(count)
    ordered = np.partition(values, [outside, count - 1 - outside])
    return float(ordered[outside]), float(ordered[count - 1 - outside])


@cache
def _outside(count: int) -> int:
    """The place of the last of so many values in order with less than 2.5 % below it."""
    from scipy.special import bdtr  # 0.3 s to import

    return int(np.searchsorted(bdtr(np.arange(count), count, 0.5), 0.025)) - 1


def hodges_lehmann(sample: NDArray[np.float64]) -> float:
    """The centre of a sample: the median of the means of all pairs of its values, each value also
    paired with itself (J. Hodges, E. Lehmann, Annals of Mathematical Statistics 34, 1963). NaN for
    an empty sample.
    """
    count = len(sample) * (len(sample) + 1) // 2
    if not count:
        return math.nan
    middle = _means_of_pairs(sample, sorted({(count - 1) // 2, count // 2}))
    return float(np.mean(middle))


def _means_of_pairs(sample: NDArray[np.float64], places: Sequence[int]) -> list[float]:
    """The means of pairs of values, `i <= j`, at these places of their ascending order, without all
    pairs in memory.

    A mean is enclosed by halving, where the pairs below a bound are counted by a binary search for
    each value, until few pairs are left, which are sorted (after D. Johnson, T. Mizoguchi, SIAM
    Journal on Computing 7, 1978). Equal values are one value with a weight.
    """
    values, weights = np.unique(sample, return_counts=True)
    pairs = _Pairs(values, weights, np.concatenate([[0], np.cumsum(weights)]))
    return [pairs.at(place) for place in places]


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The pairs of values in ascending order, and how many there are of each value, and before."""

    values: NDArray[np.float64]
    weights: NDArray[np.intp]
    before: NDArray[np.intp]

    def at(self, place: int) -> float:
        """The mean of the pair at a place."""
        low, high = float(self.values[0]), float(self.values[-1])
        # A sum of two values is not exact: bounds this much wider hold what they should.
        slack = 8 * float(np.spacing(max(abs(low), abs(high))))
        few = 4 * len(self.values) + 64
        below, above = 0, self._count(self._ends(high + slack))
        while above - below > few and high - low > 2 * slack:
            middle = low + (high - low) / 2
            ends = self._ends(middle)
            if self._weigh(ends) > place:
                high, above = middle, self._count(ends)
            else:
                low, below = middle, self._count(ends)
        return self._sort(low - slack, high + slack, place)

    def _ends(self, bound: float) -> NDArray[np.intp]:
        """For each value, the number of values that have a mean with it of at most the bound."""
        return np.searchsorted(self.values, 2 * bound - self.values, side="right")

    def _count(self, ends: NDArray[np.intp]) -> int:
        """The number of pairs of different values before these ends."""
        return int(np.maximum(ends - np.arange(len(ends)), 0).sum())

    def _weigh(self, ends: NDArray[np.intp]) -> int:
        """The number of pairs before these ends."""
        first = np.arange(len(ends))
        other = np.maximum(self.before[ends] - self.before[first + 1], 0) * self.weights
        itself = np.where(ends > first, self.weights * (self.weights + 1) // 2, 0)
        return int(other.sum() + itself.sum())

    def _sort(self, low: float, high: float, place: int) -> float:
        """The mean at a place, which is between these bounds."""
        from_, to = self._ends(low), self._ends(high)
        start = np.maximum(from_, np.arange(len(from_)))
        lengths = np.maximum(to - start, 0)
        i = np.repeat(np.arange(len(lengths)), lengths)
        shift = np.cumsum(lengths) - lengths
        j = np.arange(len(i)) - np.repeat(shift - start, lengths)
        means = (self.values[i] + self.values[j]) / 2
        own, other = self.weights[i], self.weights[j]
        weights = np.where(i == j, own * (own + 1) // 2, own * other)
        order = np.argsort(means)
        reached = np.cumsum(weights[order])
        at = np.searchsorted(reached, place - self._weigh(from_), side="right")
        return float(means[order][at])
