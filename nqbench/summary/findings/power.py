"""Estimates how many boards it takes to distinguish two combinations."""

import math
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.summary.significance import SIGNIFICANT

_POWER: Final = 0.8


def boards_for(differences: NDArray[np.float64], comparisons: int) -> float:
    """Estimate how many boards like these would make the difference significant; infinite if there
    is no difference.

    `differences` has the difference of the logarithms of two times for each board. `comparisons` is
    the number to correct for. The estimate is for the Wilcoxon signed rank test at 5 %, divided
    by the comparisons, with a power of 80 %: N = (z_a/2 + z_b)^2 / (3 (p - 1/2)^2), where p is the
    probability that the sum of two differences is positive (G. Noether, "Sample size determination
    for some common nonparametric tests", Journal of the American Statistical Association 82,
    1987). Here p is the share of such pairs among these boards. It assumes that further boards are
    independent and differ as these do. It is rough because few boards say little about p.
    """
    distance = abs(_balance(differences)) / 2
    if not distance:
        return math.inf
    normal = NormalDist()
    z = normal.inv_cdf(1 - SIGNIFICANT / comparisons / 2) + normal.inv_cdf(_POWER)
    return max(math.ceil(z * z / (3 * distance * distance)), len(differences) + 1)


def _balance(differences: NDArray[np.float64]) -> float:
    """Share of board pairs with a positive sum of differences, minus share with a negative one."""
    ordered, count = np.sort(differences), len(differences)
    above = count - np.searchsorted(ordered, -ordered, side="right") - (ordered > 0)
    below = np.searchsorted(ordered, -ordered, side="left") - (ordered < 0)
    return float((above - below).sum()) / (count * (count - 1)) if count > 1 else 0.0
