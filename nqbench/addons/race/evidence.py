"""Whether one combination is worse than another, from their costs on the same problems.

Two questions are asked, both by flips of signs. Whether it is *typically* slower: by the signed
ranks of the logarithms of the ratios, as in a summary (see `summary.paired`), but clipped at a
factor of `CLIP` on both sides. A race stops runs at about that factor, so a longer time than that
is often not known. Clipped on both sides, the ratios of equals are still symmetric.

And whether it was slower *on average* by more than an exchange of the costs of each problem would
show (R. Fisher, The Design of Experiments, 1935, section 21). That tests whether the costs have one
distribution on each problem, and not whether two means are equal: no test does that for all shapes.
"""

import math
from typing import Final

import numpy as np

from nqbench.addons.race.rules import Average, Costs, Groups
from nqbench.summary.bounded import clip
from nqbench.summary.evidence import LEAST_S, group_means
from nqbench.summary.paired import Pair, decide, p_above_0

_SEED: Final = 1979
_SAMPLE: Final = 4096
_FEW_SAMPLES: Final = 1000


def fewest_units(level: float) -> int:
    """The least number of units whose costs can be worse at this level: if all of them agree."""
    return math.ceil(-math.log2(level))


def worse(costs: Costs, than: Costs, average: Average, groups: Groups | None = None) -> Costs:
    """The one-sided p-values of the hypotheses that the costs of combinations, of shape (problems,
    combinations), are not worse `than` those of another one on the same problems. If the mean
    decides, they have to be worse typically and on average. With groups of problems, these are the
    units.

    `costs` may be lower bounds: then the p-value is not too small.
    """
    p = _typically_worse(costs, than, groups)
    if average is Average.MEAN:
        p = np.maximum(p, p_above_0(of_units(costs - than[:, np.newaxis], groups)))
    is_less = [average.of(of_one) <= average.of(than) for of_one in costs.T]
    return np.where(is_less, 1.0, p)


def _typically_worse(costs: Costs, than: Costs, groups: Groups | None) -> Costs:
    """The p-values of the signed ranks; 1 for those that are slower on fewer problems than faster.
    All are by the same flips.
    """
    pairs = [_pair(of_one, than, groups) for of_one in costs.T]
    found = decide(pairs, _number(than, groups))
    is_worse = (found.statistic > 0) & (found.slower > found.faster)
    return np.where(is_worse, found.single_p / 2, 1.0)


def slower_on(costs: Costs, than: Costs) -> int:
    """The number of problems that cost more."""
    return int((costs > than).sum())


def standardised(
    costs: Costs, than: Costs, average: Average, groups: Groups | None = None
) -> float:
    """How far these costs are from those of the other combination: about a normal deviate if
    neither is worse. It grows with the root of the number of units. If the mean decides, that of
    the question which is farther from an answer.
    """
    typical = float(decide([_pair(costs, than, groups)], _number(costs, groups)).statistic[0])
    if average is Average.TYPICAL:
        return typical
    differences = of_units(costs - than, groups)
    return min(typical, float(differences.sum()) / (math.hypot(*differences) or 1.0))


def _pair(costs: Costs, than: Costs, groups: Groups | None) -> Pair:
    places = None if groups is None else np.unique(groups, return_inverse=True)[1]
    return Pair(clip(np.log(costs.clip(LEAST_S)) - np.log(than.clip(LEAST_S))), places)


def _number(costs: Costs, groups: Groups | None) -> int:
    return len(costs if groups is None else np.unique(groups))


def of_units(costs: Costs, groups: Groups | None) -> Costs:
    """The mean of the costs of each unit of evidence, from those of problems, of shape (problems,)
    or (problems, combinations). Without groups, each problem is a unit.
    """
    return costs if groups is None else group_means(costs, groups)


def interval(
    costs: Costs,
    than: Costs,
    average: Average,
    groups: Groups | None = None,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """The interval of the ratio of two averages, by resampling the units (B. Efron, Annals of
    Statistics 7, 1979). It is the same whenever it is asked for.
    """
    of_one, of_other = (_averaged(each, average, groups) for each in (costs, than))
    random = np.random.default_rng(_SEED)
    sample = random.integers(0, of_one.size, (_SAMPLE, of_one.size))
    one, other = (_average(each[sample].mean(axis=1), average) for each in (of_one, of_other))
    ratios = one / np.maximum(other, LEAST_S)
    tail = (1 - confidence) / 2
    low, high = np.quantile(ratios, [tail, 1 - tail])
    return float(low), float(high)


def share_within(
    costs: Costs, chosen: int, average: Average, margin: float, groups: Groups | None = None
) -> float:
    """The share of resamples of the units in which the combination `chosen` is within `margin` of
    the best. `costs` have the shape (problems, combinations).
    """
    random = np.random.default_rng(_SEED)
    values = _averaged(costs, average, groups)
    within = 0
    for _ in range(_FEW_SAMPLES):
        averages = _average(
            values[random.integers(0, len(values), len(values))].mean(axis=0), average
        )
        within += bool(averages[chosen] <= (1 + margin) * averages.min())
    return within / _FEW_SAMPLES


def _averaged(costs: Costs, average: Average, groups: Groups | None) -> Costs:
    """What is averaged over units: the costs, or their logarithms."""
    is_mean = average is Average.MEAN
    return of_units(costs if is_mean else np.log(costs.clip(LEAST_S)), groups)


def _average(means: Costs, average: Average) -> Costs:
    """The averages, from such means."""
    return means if average is Average.MEAN else np.exp(means)
