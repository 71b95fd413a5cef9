"""95 % confidence intervals."""

from collections.abc import Sequence

import numpy as np


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
    from scipy.special import bdtr

    count = len(values)
    below = bdtr(np.arange(count), count, 0.5)
    outside = int(np.searchsorted(below, 0.025)) - 1  # the last value with less than 2.5 % below it
    if outside < 0:
        return None, None
    ordered = sorted(values)
    return ordered[outside], ordered[count - 1 - outside]
