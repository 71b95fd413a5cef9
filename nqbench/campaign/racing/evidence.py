"""Whether one combination is worse than another, from their costs on the same problems: by the
tests of a summary, one-sided.

Means are compared by exchanges of the costs (see `summary.exchanges`). Medians are compared by
signed ranks (see `summary.signed_ranks`), but only if the median is worse as well: a combination
that is faster on most problems need not have the better median.
"""

import math
from typing import Final

import numpy as np

from nqbench.campaign.racing.rules import Average, Costs, Groups
from nqbench.summary.evidence import LEAST_S, group_means
from nqbench.summary.exchanges import exchange_one
from nqbench.summary.signed_ranks import rank_values, signed_rank

_SEED: Final = 1979
_SAMPLE: Final = 4096
_FEW_SAMPLES: Final = 1000


def of_units(costs: Costs, groups: Groups | None, average: Average) -> Costs:
    """The costs of the units of evidence, from those of problems, of shape (problems,) or
    (problems, combinations): of each group the mean, or for medians the geometric mean. Without
    groups, each problem is a unit.
    """
    if groups is None:
        return costs
    if average is Average.MEAN:
        return group_means(costs, groups)
    means: Costs = np.exp(group_means(np.log(np.maximum(costs, LEAST_S)), groups))
    return means


def fewest_units(level: float) -> int:
    """The least number of units whose costs can be worse at this level: if all of them agree."""
    return math.ceil(-math.log2(level))


def worse(costs: Costs, than: Costs, average: Average) -> float:
    """The one-sided p-value of the hypothesis that these costs are not worse `than` those of the
    other combination on the same problems, both of shape (problems,).

    `costs` may be lower bounds, and `than` upper bounds, such as infinity for medians: then the
    p-value is not too small.
    """
    if average.of(costs) <= average.of(than):
        return 1.0
    if average is Average.MEAN:
        return exchange_one(costs - than) / 2
    signed_ranks = _signed_ranks(costs, than)
    tail = signed_rank(signed_ranks) / 2
    return tail if signed_ranks.sum() > 0 else 1 - tail


def standardised(costs: Costs, than: Costs, average: Average) -> float:
    """How far these costs are from those of the other combination: about a normal deviate if
    neither is worse. It grows with the root of the number of problems.
    """
    values = costs - than if average is Average.MEAN else _signed_ranks(costs, than)
    return float(values.sum()) / (math.hypot(*values) or 1.0)


def _signed_ranks(costs: Costs, than: Costs) -> Costs:
    """The ranks of the logarithms of the ratios, with their signs."""
    ratios = np.log(np.maximum(costs, LEAST_S)) - np.log(np.maximum(than, LEAST_S))
    signed: Costs = np.sign(ratios) * rank_values(np.abs(ratios))[0]
    return signed


def interval(
    costs: Costs, than: Costs, average: Average, confidence: float = 0.95
) -> tuple[float, float]:
    """The interval of the ratio of two averages, by resampling the problems (B. Efron, Annals of
    Statistics 7, 1979). It is the same whenever it is asked for.
    """
    random = np.random.default_rng(_SEED)
    sample = random.integers(0, costs.size, (_SAMPLE, costs.size))
    middle = np.mean if average is Average.MEAN else np.median
    ratios = middle(costs[sample], axis=1) / np.maximum(middle(than[sample], axis=1), LEAST_S)
    tail = (1 - confidence) / 2
    low, high = np.quantile(ratios, [tail, 1 - tail])
    return float(low), float(high)


def share_within(costs: Costs, chosen: int, average: Average, margin: float) -> float:
    """The share of resamples of the problems in which the combination `chosen` is within `margin`
    of the best. `costs` have the shape (problems, combinations).
    """
    random = np.random.default_rng(_SEED)
    middle = np.mean if average is Average.MEAN else np.median
    within = 0
    for _ in range(_FEW_SAMPLES):
        averages = middle(costs[random.integers(0, len(costs), len(costs))], axis=0)
        within += bool(averages[chosen] <= (1 + margin) * averages.min())
    return within / _FEW_SAMPLES
