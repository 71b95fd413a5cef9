"""Describes the ratio of two averages: with an interval, and no test.

No test of averages keeps its error without knowing the shape of the costs, and no interval its
confidence: a tail that was not met may change either (R. Bahadur, L. Savage, Annals of Mathematical
Statistics 27, 1956). Of those that were tried, the interval by percentile-t errs least (P. Hall,
The Bootstrap and Edgeworth Expansion, 1992, section 3.2). So sentences say "about".
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.summary.paired import FEWEST, Blocks, Places, Values

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
