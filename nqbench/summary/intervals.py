"""95 % confidence intervals."""

from collections.abc import Sequence
from typing import Final

import numpy as np

_FEWEST: Final = 6
"""The least and the greatest of so many values enclose the median with 1 - 2 / 2^6 = 97 %."""


def share(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's score interval for a probability (E. Wilson, J. Am. Stat. Assoc. 22, 1927)."""
    from scipy.stats import binomtest

    interval = binomtest(successes, trials).proportion_ci(method="wilson")
    return interval.low, interval.high


def median(values: Sequence[float]) -> tuple[float, float] | tuple[None, None]:
    """Two order statistics around the median, for any distribution (W. Conover, "Practical
    nonparametric statistics", 3rd edition, 1999, section 3.2). Values may be infinite.
    None, None for fewer than six values, which are too few for 95 %.
    """
    count = len(values)
    if count < _FEWEST:
        return None, None
    from scipy.special import bdtr  # 0.3 s to import

    below = bdtr(np.arange(count), count, 0.5)
    outside = int(np.searchsorted(below, 0.025)) - 1  # the last value with less than 2.5 % below it
    ordered = sorted(values)
    return ordered[outside], ordered[count - 1 - outside]
