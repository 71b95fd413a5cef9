"""Estimates how many problems it takes to decide which of two combinations is faster."""

import math
from collections.abc import Iterable
from functools import cache
from statistics import NormalDist
from typing import Final

import numpy as np

from nqbench.common import metrics
from nqbench.common.metrics import USUAL
from nqbench.common.units import factor, is_time, number_and_noun, thousands
from nqbench.common.vocabulary import AS_IT_IS, unshuffled
from nqbench.summary.paired import FEWEST, LEVEL

_POWER: Final = 0.8
_GREATEST_EFFECT: Final = math.sqrt(3) / 2
"""That of a difference which holds on every problem: see `problems_needed`."""

_CONFIDENCE: Final = 0.8
"""How often the range holds the number that is enough: 80 %, in normal approximation."""


def problems_for(statistic: float, critical: float, problems: int) -> tuple[float, float]:
    """The range in which the number of problems is that would decide a difference with a power of
    80 %, if further problems are independent and like these. The upper end is infinite if there may
    be no difference, both are if there is none.

    `statistic` is that of `paired.decide` on so many problems, `critical` that which is decided.
    The statistic grows with the root of the number: N = problems * ((critical + z) / statistic)^2
    for the quantile z of the power. The statistic of these problems is that of all problems up to a
    normal deviate, so few problems give a wide range.
    """
    if not statistic:
        return math.inf, math.inf
    normal = NormalDist()
    needed = critical + normal.inv_cdf(_POWER)
    deviate = normal.inv_cdf((1 + _CONFIDENCE) / 2)
    least, most = abs(statistic) - deviate, abs(statistic) + deviate
    ends = (problems * (needed / size) ** 2 if size > 0 else math.inf for size in (most, least))
    low, high = (max(end, problems + 1) for end in ends)
    return low, high


def problems_needed(ratio: float, combinations: int, spread: float = 1.0) -> float:
    """Return about how many problems it takes to decide that one of so many combinations typically
    takes `ratio` times as long as another one, with a power of 80 %.

    `spread` is the standard deviation of the log ratios over the problems: in campaigns of SAT
    solvers it is mostly between 0.5 and 1.3. The signed ranks of normal log ratios have the mean
    sqrt(3) (P(a mean of two is above 0) - 1/2) in units of their standard deviation.
    """
    normal = NormalDist()
    shift = math.sqrt(2) * abs(math.log(ratio)) / spread
    effect = math.sqrt(3) * (normal.cdf(shift) - 0.5)
    if not effect:
        return math.inf
    needed = critical_value(combinations) + normal.inv_cdf(_POWER)
    return max(float(FEWEST), (needed / effect) ** 2)


def greatest_statistic(problems: int) -> float:
    """The statistic of a combination that is faster on each of so many problems."""
    squares = problems * (problems + 1) * (2 * problems + 1) / 6
    return problems * (problems + 1) / 2 / math.sqrt(squares) if problems else 0.0


@cache
def critical_value(combinations: int) -> float:
    """The statistic that is decided among all pairs of so many combinations, with many problems:
    the quantile of the range of so many normal deviates, divided by the root of 2 (J. Tukey, The
    Problem of Multiple Comparisons, 1953).
    """
    number = max(combinations, 2)
    points = np.linspace(-8.0, 8.0, 801)
    cdf = np.vectorize(NormalDist().cdf)
    density = np.exp(-(points**2) / 2) / math.sqrt(2 * math.pi)
    below = cdf(points)
    low, high = 0.0, 20.0
    for _ in range(40):
        middle = (low + high) / 2
        inside = number * density * (below - cdf(points - middle)) ** (number - 1)
        share = float(inside.sum() * (points[1] - points[0]))
        low, high = (middle, high) if share < 1 - LEVEL else (low, middle)
    return low / math.sqrt(2)


_TWICE, _THIRD = 0.5, 0.7
"""Ratios of times for which a number of problems is named: twice as fast, and 30 % faster."""

_HARDLY: Final = 0.85
"""If not even a difference on every problem reaches this share of the critical statistic, chance
has to help a lot.
"""


def can_find(
    problems: int,
    combinations: int,
    noun: str = "problem",
    metric: str = USUAL,
    *,
    spread: float = 1.0,
    choose: str = "--encoding",
) -> str:
    """Say what so many problems can decide about so many combinations, before or after they are
    measured. The numbers are for log ratios with this standard deviation; 1 is usual. `choose` is
    the option that asks for fewer: see `option_to_choose`.
    """
    values, twice_as, third_as = "times", "is twice as fast", "30 % faster"
    if not is_time(metric):
        values = metrics.noun(metric)
        twice_as, third_as = f"needs half as many {values}", "30 % fewer"
    twice, third = (
        thousands(round(problems_needed(ratio, combinations, spread))) for ratio in (_TWICE, _THIRD)
    )
    have, several = number_and_noun(problems, noun), number_and_noun(combinations, "combination")
    if problems < FEWEST:
        return (
            f"{have}: no difference can be found, whatever the {values}. {FEWEST} are the least "
            f"for {several}; to find one that {twice_as} takes about {twice}, {third_as} about "
            f"{third}."
        )
    effect = (critical_value(combinations) + NormalDist().inv_cdf(_POWER)) / math.sqrt(problems)
    if effect < _GREATEST_EFFECT:
        shift = spread * NormalDist().inv_cdf(0.5 + effect / math.sqrt(3)) / math.sqrt(2)
        more = [
            f"{words} takes about {number}"
            for ratio, words, number in (
                (_TWICE, f"one that {twice_as}", twice),
                (_THIRD, third_as, third),
            )
            if problems_needed(ratio, combinations, spread) > problems
        ]
        tail = f"; {', '.join(more)}" if more else ""
        return (
            f"{have} can show which of {several} is typically better by a factor of about "
            f"{factor(math.exp(shift))}{tail}."
        )
    what = (
        "hardly any difference can be found"
        if is_hopeless(problems, combinations)
        else f"a difference has to hold on nearly every {noun} to be found"
    )
    cure = (
        f"To choose among fewer: {choose}."
        if combinations > 2
        else f"One that {twice_as} takes about {twice}."
    )
    return f"With {several} and {have}, {what}. {cure}"


def option_to_choose(combinations: Iterable[tuple[str, str]]) -> str:
    """The option that asks for fewer of what there are more of, encodings or backends.

    >>> option_to_choose([("file", "clasp"), ("file:shuffle=1", "clasp"), ("product", "clasp")])
    '--amo'
    """
    encodings, backends = map(set, zip(*combinations, strict=True))
    if len(backends) > len(encodings):
        return "--backend"
    return "--amo" if any(unshuffled(name) == AS_IT_IS for name in encodings) else "--encoding"


def is_hopeless(problems: int, combinations: int) -> bool:
    """Whether hardly any difference can be found, even one on every problem."""
    return greatest_statistic(problems) < _HARDLY * critical_value(combinations)
