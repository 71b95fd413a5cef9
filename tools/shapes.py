"""Simulated costs of two combinations whose times have different shapes, and the scales at which
they are equal in one of three ways.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.common.metrics import PAR
from nqbench.summary import paired

Values = NDArray[np.float64]

TRUTHS: Final = {
    "typical": "the typical ratio is 1",
    "half": "each is faster on half of the problems",
    "mean": "their means are equal",
}

SPREAD: Final = 2.0
"""Sigma of the problems. Without a limit, ratios do not depend on it."""

_LARGE: Final = 200_000
_HALVINGS: Final = 24


@dataclass(frozen=True, slots=True)
class Law:
    """How the times of a combination vary on one problem, and their mean."""

    draw: Callable[[np.random.Generator, tuple[int, ...]], Values]
    mean: float


def lognormal(sigma: float) -> Law:
    """Times whose logarithms are normal."""
    return Law(lambda random, size: random.lognormal(0, sigma, size), math.exp(sigma**2 / 2))


def rarely(share: float, times: float) -> Law:
    """Steady times, of which this share is so many times as long."""

    def draw(random: np.random.Generator, size: tuple[int, ...]) -> Values:
        steady = random.lognormal(0, 0.2, size)
        return np.where(random.random(size) < share, times, 1.0) * steady

    return Law(draw, math.exp(0.02) * (1 - share + times * share))


def skewed() -> Law:
    """Times of which a part, 1 - sqrt(1/2), is far below 1, and the others are a bit above. Beside
    a constant time of 1, the typical ratio is 1. A search found no worse shape for signed ranks.
    """
    share = 1 - math.sqrt(0.5)

    def draw(random: np.random.Generator, size: tuple[int, ...]) -> Values:
        is_far = random.random(size) < share
        return np.exp(random.random(size) - np.where(is_far, 11.0, 0.0))

    return Law(draw, (math.e - 1) * (1 - share + share * math.exp(-11.0)))


CONSTANT: Final = Law(lambda _, size: np.ones(size), 1.0)
STEADY: Final = lognormal(0.2)


@dataclass(frozen=True, slots=True)
class Shape:
    """The laws of two combinations, and the share of steady runs over the limit."""

    first: Law
    second: Law
    unsolved: float = 0.0

    @property
    def limit(self) -> float:
        """The limit; infinity without one."""
        if not self.unsolved:
            return math.inf
        sigma = math.hypot(SPREAD, 0.2)
        return math.exp(sigma * NormalDist().inv_cdf(1 - self.unsolved))

    def logs(
        self, random: np.random.Generator, size: tuple[int, ...], shift: float = 0.0
    ) -> tuple[Values, Values]:
        """The logarithms of the times of both; the second ones are longer by this shift. Infinite
        if a run is not solved.
        """
        problems = random.normal(0, SPREAD, size) if self.unsolved else 0.0
        logs = [np.log(law.draw(random, size)) + problems for law in (self.first, self.second)]
        logs[1] = logs[1] + shift
        most = math.log(self.limit) if self.unsolved else math.inf
        return tuple(np.where(each > most, np.inf, each) for each in logs)  # type: ignore[return-value]

    def costs(self, logs: Values) -> Values:
        """The costs in PAR-2, from these logarithms."""
        return np.where(np.isinf(logs), PAR * self.limit, np.exp(logs))


WORST: Final = "constant, skewed: the worst that was found"

ERROR_SHAPES: Final[Mapping[str, Shape]] = {
    "one shape (sigma 0.5)": Shape(lognormal(0.5), lognormal(0.5)),
    "steady (sigma 0.2), spread (sigma 1.5)": Shape(STEADY, lognormal(1.5)),
    "steady, spread (sigma 2)": Shape(STEADY, lognormal(2.0)),
    "steady, Pareto (1.5)": Shape(STEADY, Law(lambda r, size: 1 + r.pareto(1.5, size), 3.0)),
    "steady, 5 % are 100 times as long": Shape(STEADY, rarely(0.05, 100)),
    "steady, 15 % are 10 times as long": Shape(STEADY, rarely(0.15, 10)),
    "steady, exponential": Shape(STEADY, Law(lambda r, size: r.exponential(1.0, size), 1.0)),
    "steady, spread; 20 % unsolved": Shape(STEADY, lognormal(1.5), 0.2),
    "steady, spread; 50 % unsolved": Shape(STEADY, lognormal(1.5), 0.5),
    "steady, spread; 80 % unsolved": Shape(STEADY, lognormal(1.5), 0.8),
    "steady, 15 % are 10 times as long; 20 % unsolved": Shape(STEADY, rarely(0.15, 10), 0.2),
    WORST: Shape(CONSTANT, skewed()),
}


@lru_cache
def shift_for(shape: Shape, truth: str) -> float:
    """The shift of the second at which one of `TRUTHS` holds: exact for means without a limit, and
    otherwise for a sample of 200,000 problems.
    """
    if truth == "mean" and not shape.unsolved:
        return math.log(shape.first.mean / shape.second.mean)

    def surplus(shift: float) -> float:
        one, other = shape.logs(np.random.default_rng(1), (_LARGE,), shift)
        if truth == "mean":
            return float((shape.costs(one) - shape.costs(other)).sum())
        d = paired.log_ratios(one, other, np.isfinite(one), np.isfinite(other))
        score = paired._signed_ranks(d) if truth == "typical" else np.sign(np.nan_to_num(d))
        return float(score.sum())

    low, high = -12.0, 12.0  # the first is slower at the lower end
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if surplus(middle) > 0 else (low, middle)
    return (low + high) / 2
