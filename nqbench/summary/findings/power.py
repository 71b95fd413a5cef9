"""Estimates how many problems it takes to distinguish two combinations."""

import math
from statistics import NormalDist
from typing import Final

_POWER: Final = 0.8
_CONFIDENCE: Final = 0.8
"""How often the range holds the number that is enough: 80 %, in normal approximation."""


def problems_for(statistic: float, critical: float, problems: int) -> tuple[float, float]:
    """The range in which the number of problems is that would make the difference on average
    significant with a power of 80 %, if further problems are independent and like these. The upper
    end is infinite if there may be no difference, both are if there is none.

    `statistic` is that of `exchange` on this number of problems, `critical` that which is
    significant. The standardised difference grows with the root of the number: N = problems *
    ((critical + z) / statistic)^2 for the quantile z of the power. The statistic of these problems
    is that of all problems up to a normal deviate, so few problems give a wide range.
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
