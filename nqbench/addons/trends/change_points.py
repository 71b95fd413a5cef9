"""Finds the steps in a series of numbers: E-divisive.

D. Matteson, N. James, "A nonparametric approach for multiple change point analysis of multivariate
data", Journal of the American Statistical Association 109(505), 2014. D. Daly et al., "The use of
change point detection to identify software performance regressions in a continuous integration
system", ICPE 2020, use it for benchmarks.

A step at `t` divides `x[s:t]` from `x[t:k]`. Its statistic is the energy distance of the two parts,
m n / (m + n) (2 E|X - Y| - E|X - X'| - E|Y - Y'|), which needs no distribution and grows with any
difference. The step with the largest statistic is accepted if few random orders of the series have
a step with a statistic as large. Then the parts between steps are searched together, with random
orders of each part's own values, until a step is not accepted.
"""

import itertools
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

LEAST: Final = 2
"""The fewest values on each side of a step: with one, nothing is known about its variation."""

_ORDERS: Final = 999
_SEED: Final = 0
_NOISE: Final = 1e-9
"""Differences of statistics below this share come from rounding."""

Values = NDArray[np.float64]


def steps(values: Values, level: float) -> list[int]:
    """Return where the series steps, as positions of the first value after each, in their order.

    `level` is the probability with which a series without a step has one nevertheless. The result
    is the same for the same values.
    """
    bounds = [0, len(values)]
    while True:
        parts = [values[a:b] for a, b in itertools.pairwise(bounds)]
        step = _step(parts, level)
        if step is None:
            return bounds[1:-1]
        part, place = step
        bounds.insert(part + 1, bounds[part] + place)


def fewest_values(level: float) -> int:
    """The length of the shortest series that can have a step at this level, in its middle: in fewer
    values, too many orders divide it as clearly.
    """
    count = 2 * LEAST
    while _share_of_best(count) > level:
        count += 1
    return count


def _share_of_best(count: int) -> float:
    """The share of all orders that divide a series of two values as clearly as a step does."""
    half = count // 2
    ways = np.prod([(count - i) / (half - i) for i in range(half)])
    return float(2 / ways)  # the halves may be exchanged


def _step(parts: Sequence[Values], level: float) -> tuple[int, int] | None:
    """The part with the next step, and its place there; None if there is none."""
    distances = {
        number: np.abs(part[:, None] - part[None, :])
        for number, part in enumerate(parts)
        if len(part) >= 2 * LEAST and np.ptp(part) > 0
    }
    if not distances:
        return None
    best = {number: _best(each[None]) for number, each in distances.items()}
    largest = max(best, key=lambda number: float(best[number][0][0]))
    threshold = float(best[largest][0][0]) * (1 - _NOISE)
    random = np.random.default_rng(_SEED)
    # Stop as soon as the step cannot be accepted any more: most series have none.
    most, as_large, left = int(level * (_ORDERS + 1)), 1, _ORDERS
    while left and as_large <= most:
        some = min(left, 50)
        statistics = np.full(some, -np.inf)
        for each in distances.values():
            statistics = np.maximum(statistics, _best(_shuffled(each, some, random))[0])
        as_large += int((statistics >= threshold).sum())
        left -= some
    return (largest, int(best[largest][1][0])) if as_large <= most else None


def _shuffled(distances: Values, count: int, random: np.random.Generator) -> Values:
    """The distances in so many random orders of the values."""
    orders = random.permuted(np.tile(np.arange(len(distances)), (count, 1)), axis=1)
    shuffled: Values = distances[orders[:, :, None], orders[:, None, :]]
    return shuffled


def _best(distances: Values) -> tuple[Values, NDArray[np.int64]]:
    """The largest statistic of a step in each series, and its place. `distances` are those of all
    pairs of values, shape (series, values, values).

    The step divides the values before it from those up to an end, which may be before that of the
    series: otherwise a series that goes up and comes down again might hide both steps.
    """
    count = distances.shape[1]
    sums = np.zeros((len(distances), count + 1, count + 1))
    np.cumsum(np.cumsum(distances, axis=1), axis=2, out=sums[:, 1:, 1:])
    at, end = np.triu_indices(count + 1, LEAST)
    inside = at >= LEAST
    at, end = at[inside], end[inside]
    m, n = at.astype(np.float64), (end - at).astype(np.float64)
    left = sums[:, at, at]
    across = sums[:, at, end] - left
    right = sums[:, end, end] - left - 2 * across
    energy = 2 * across / (m * n) - left / (m * (m - 1)) - right / (n * (n - 1))
    statistics = energy * (m * n / (m + n))
    best = statistics.argmax(axis=1)
    return statistics[np.arange(len(distances)), best], at[best]
