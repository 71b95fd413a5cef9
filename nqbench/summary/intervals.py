"""Confidence intervals, 95 % each."""

from collections.abc import Sequence


def share(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's score interval for a probability (E. Wilson, J. Am. Stat. Assoc. 22, 1927)."""
    from scipy.stats import binomtest

    interval = binomtest(successes, trials).proportion_ci(method="wilson")
    return interval.low, interval.high


def median(values: Sequence[float]) -> tuple[float, float] | tuple[None, None]:
    """Two order statistics around the median, whatever the distribution (W. Conover, "Practical
    nonparametric statistics", 3rd edition, 1999, section 3.2); infinite values are in order, too.
    None, None for fewer than six values, of which no two are 95 % sure.
    """
    from scipy.stats import binom

    count = len(values)
    outside = int(binom.ppf(0.025, count, 0.5)) - 1  # the last with less than 2.5 % below it
    if outside < 0:
        return None, None
    ordered = sorted(values)
    return ordered[outside], ordered[count - 1 - outside]


def mean(values: Sequence[float], resamples: int = 2000) -> tuple[float, float] | tuple[None, None]:
    """Bias-corrected and accelerated bootstrap of the mean (B. Efron, Journal of the American
    Statistical Association 82, 1987), with a fixed seed: the same values give the same interval.
    None, None for fewer than two different values.
    """
    if len(set(values)) < 2:
        return None, None
    import numpy as np
    from scipy.stats import bootstrap

    interval = bootstrap(
        (np.asarray(values),),
        np.mean,
        n_resamples=resamples,
        batch=100,  # of the resamples, so many are in memory at a time
        rng=np.random.default_rng(0),
    ).confidence_interval
    return float(interval.low), float(interval.high)
