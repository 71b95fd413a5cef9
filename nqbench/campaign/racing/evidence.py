"""Whether one combination is worse than another, from their costs on the same problems.

If two combinations were equal, then on each problem either of the two costs could as well be that
of the other. The p-value is the share of all such exchanges that make the first look at least as
much worse as it does (R. Fisher, The Design of Experiments, 1935, section 21). This holds for any
number of problems and any distribution of costs. Means are compared by the differences of costs.
Medians are compared by the signed ranks of the logarithms of their ratios (F. Wilcoxon, Biometrics
Bulletin 1, 1945), but only if the median is worse as well: a combination that is faster on most
problems need not have the better median.
"""

from typing import Final

import numpy as np
from scipy.stats import rankdata

from nqbench.campaign.racing.rules import Average, Costs

_MOST_EXACT: Final = 12
"""With so many problems, all 4,096 exchanges are looked at; with more, a sample."""

_SAMPLE: Final = 4096

_LEAST_S: Final = 1e-9
"""A cost of 0 counts as this much: it has no logarithm, and nothing can be divided by it."""

_ROUNDING: Final = 1e-12
"""Relative tolerance: the same sum with other signs may differ in the last digits."""


def worse(costs: Costs, than: Costs, average: Average, random: np.random.Generator) -> float:
    """The one-sided p-value of the hypothesis that these costs are not worse `than` those of the
    other combination on the same problems, both of shape (problems,).

    `costs` may be lower bounds, and `than` upper bounds, such as infinity for medians: then the
    p-value is not too small.
    """
    if average.of(costs) <= average.of(than):
        return 1.0
    if average is Average.MEAN:
        return _exchanged(costs - than, random)
    ratios = np.log(np.maximum(costs, _LEAST_S)) - np.log(np.maximum(than, _LEAST_S))
    ratios = ratios[ratios != 0]
    return _exchanged(np.sign(ratios) * rankdata(np.abs(ratios)), random)


def _exchanged(differences: Costs, random: np.random.Generator) -> float:
    """The share of all changes of signs that give a sum of at least that of the differences."""
    count = differences.size
    if count <= _MOST_EXACT:
        flipped = (np.arange(2**count)[:, np.newaxis] >> np.arange(count)) & 1 == 1
    else:
        flipped = random.random((_SAMPLE, count)) < 0.5
    sums = np.where(flipped, -differences, differences).sum(axis=1)
    least = differences.sum() - _ROUNDING * np.abs(differences).sum()
    extreme = int((sums >= least).sum())
    # The observed signs are one of the possible ones, whether they are in the sample or not.
    return extreme / len(flipped) if count <= _MOST_EXACT else (extreme + 1) / (_SAMPLE + 1)


def interval(
    costs: Costs,
    than: Costs,
    average: Average,
    random: np.random.Generator,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """The interval of the ratio of two averages, by resampling the problems (B. Efron, Annals of
    Statistics 7, 1979).
    """
    sample = random.integers(0, costs.size, (_SAMPLE, costs.size))
    middle = np.mean if average is Average.MEAN else np.median
    ratios = middle(costs[sample], axis=1) / np.maximum(middle(than[sample], axis=1), _LEAST_S)
    tail = (1 - confidence) / 2
    low, high = np.quantile(ratios, [tail, 1 - tail])
    return float(low), float(high)
