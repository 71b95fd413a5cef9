"""Confidence intervals of medians, shares and ratios of averages, and the noise of repeats.

The ratio of two averages has an interval, and no test. No test of averages keeps its error without
knowing the shape of the costs, and no interval its confidence: a tail that was not met may change
either (R. Bahadur, L. Savage, Annals of Mathematical Statistics 27, 1956). Of those that were
tried, the interval by percentile-t errs least (P. Hall, The Bootstrap and Edgeworth Expansion,
1992, section 3.2). So sentences say "about".
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nqbench.summary.measured import Measured
from nqbench.summary.observed import PAIR, SOLVED, THERE, differing
from nqbench.summary.paired import FEWEST, Blocks, Places, Values

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


_DRAWS: Final = 2000
_SEED: Final = 1935
_CONFIDENCE: Final = 0.95

_SMALL: Final = math.log(1.1)
"""A ratio within 10 % of 1 is about 1: no problem decides what it says."""


@dataclass(frozen=True, slots=True)
class MeanRatio:
    """The mean of the first divided by that of the second. `low` and `high` are the ends of its
    95 % interval; None for too few units of evidence, and where there is no bound. `without` is the
    ratio without the unit that moves it most, if it rests on that: the logarithm changes by more
    than half, or changes its sign. Otherwise None.
    """

    ratio: float
    low: float | None = None
    high: float | None = None
    without: float | None = None


def mean_ratio(
    first: Values, second: Values, places: Places | None = None, most: float = math.inf
) -> MeanRatio:
    """Describe the ratio of the means of positive costs of the same problems. `places` has the
    place of each problem's unit; without it, problems are the units. No mean can be more than
    `most`.
    """
    if not len(first):
        return MeanRatio(math.nan)
    one, other = (_of_units(costs, places) for costs in (first, second))
    is_there = (one > 0) | (other > 0)
    one, other = one[is_there], other[is_there]
    total, against = float(one.sum()), float(other.sum())
    ratio = total / against
    if len(one) < FEWEST:
        return MeanRatio(ratio)
    low, high = _interval(one, other)
    low = max(low, total / len(first) / most)
    high = min(high, most / (against / len(first)))
    return MeanRatio(
        ratio, low or None, high if math.isfinite(high) else None, _without_one(one, other)
    )


def _of_units(costs: Values, places: Places | None) -> Values:
    """The sum of the costs of each unit."""
    return costs if places is None else np.bincount(places, costs).astype(np.float64)


def _interval(one: Values, other: Values) -> tuple[float, float]:
    """The interval of the ratio of these sums over units, by percentile-t of its logarithm."""
    blocks = Blocks.of(len(one))
    one, other = (blocks.sums(costs[np.newaxis], None)[0] for costs in (one, other))
    total, against = one.sum(), other.sum()
    center, error = math.log(total / against), _error(one / total - other / against)
    if error <= 1e-9:
        return math.exp(center), math.exp(center)
    times = _draws(len(one))
    sums = times @ np.column_stack([one, other, one * one, one * other, other * other])
    totals, againsts, squares, products, against_squares = sums.T
    variances = squares / totals**2 - 2 * products / (totals * againsts)
    errors = np.sqrt(np.maximum(0.0, variances + against_squares / againsts**2))
    moved = np.log(totals / againsts) - center
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(np.abs(moved) <= 1e-12, 0.0, moved / errors)
    tail = (1 - _CONFIDENCE) / 2
    least, most = np.quantile(t, [tail, 1 - tail], method="inverted_cdf")
    with np.errstate(over="ignore"):
        return float(np.exp(center - most * error)), float(np.exp(center - least * error))


def _error(influence: Values) -> float:
    return float(np.sqrt((influence**2).sum()))


@lru_cache(2)
def _draws(units: int) -> NDArray[np.float64]:
    """How often each unit is in each draw of as many units, of shape (draws, units)."""
    places = np.random.default_rng(_SEED).integers(units, size=(_DRAWS, units))
    places += units * np.arange(_DRAWS)[:, np.newaxis]
    return (
        np.bincount(places.ravel(), minlength=_DRAWS * units).reshape(_DRAWS, units).astype(float)
    )


def _without_one(one: Values, other: Values) -> float | None:
    total, against = one.sum(), other.sum()
    rest, rest_against = total - one, against - other
    is_left = (rest > 1e-12 * total) & (rest_against > 1e-12 * against)
    if not is_left.any():
        return None
    center = math.log(total / against)
    without = np.log(rest[is_left] / rest_against[is_left])
    moved = float(without[np.abs(without - center).argmax()])
    is_large = max(abs(center), abs(moved)) > _SMALL
    turns = moved * center < 0 or abs(moved - center) > abs(center) / 2
    return math.exp(moved) if is_large and turns else None


_OF_THIRD_DIGIT: Final = 0.01
"""Of a number with three digits, one unit of the third is at most this share."""


def repeat_noise(records: pl.DataFrame) -> float | None:
    """Median over combinations and boards of how much longer the slowest repeat takes, as a share
    of the fastest; None without three repeats. Repeats of a shuffled formula differ by more than
    noise.
    """
    time = pl.col("solve_s")
    repeated = records.filter(SOLVED & pl.col("shuffle").is_null() & (time > 0))
    keys = differing(repeated, [*PAIR, *THERE])
    found = repeated.group_by(keys).agg(more=time.max() / time.min() - 1, runs=pl.len())
    middle = found.filter(pl.col("runs") > 2)["more"].to_numpy()
    return float(np.median(middle)) if len(middle) else None


def digits_of_times(measured: Measured) -> int:
    """Two digits where the noise of repeats is larger than the third one, otherwise three."""
    noise = measured.once(_repeat_noise)
    return 2 if (noise or 0.0) > _OF_THIRD_DIGIT else 3


def _repeat_noise(measured: Measured) -> float | None:
    return repeat_noise(measured.records) if measured.has_repeats else None
