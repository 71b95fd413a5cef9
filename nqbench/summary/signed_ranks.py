"""The test by signed ranks of one sample."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

_MOST_EXACT: Final = 50
"""Number of differences, as in SciPy. With more, the normal approximation is close."""


def signed_rank(differences: NDArray[np.float64]) -> float:
    """The p of Wilcoxon's signed rank test that the median is 0; 1 if there is nothing to test.

    Zeros get ranks that do not count (J. Pratt, Journal of the American Statistical Association 54,
    1959). With up to `_MOST_EXACT` differences p is exact, including ties and zeros.
    """
    return _signed_rank(differences, *rank_values(np.abs(differences)))


def _signed_rank(
    differences: NDArray[np.float64], ranks: NDArray[np.float64], ties: NDArray[np.int_]
) -> float:
    """The same, with what `rank_values` returns for the sizes of the differences."""
    if not differences.any():
        return 1.0
    if len(differences) > _MOST_EXACT:
        return _approximate_p(differences, ranks, ties)
    # Ranks of ties end in .5, so doubled ranks are whole numbers.
    doubled = np.rint(2 * ranks).astype(int)
    sums = _sums_of_some(doubled[differences != 0])
    positive = doubled[differences > 0].sum()
    return float(min(1.0, 2 * min(sums[: positive + 1].sum(), sums[positive:].sum())))


def _approximate_p(
    differences: NDArray[np.float64], ranks: NDArray[np.float64], ties: NDArray[np.int_]
) -> float:
    """The p by the normal approximation, corrected for zeros (E. Cureton, Journal of the American
    Statistical Association 62, 1967) and for ties. SciPy's `wilcoxon` returns the same number, but
    takes half a second to import, and would rank the differences again.
    """
    from scipy.special import ndtr  # 0.3 s to import

    count, zeros = float(len(differences)), float((differences == 0).sum())
    tied = (ties[1:] if zeros else ties).astype(np.float64)
    mean = count * (count + 1) * 0.25 - zeros * (zeros + 1) * 0.25
    variance = count * (count + 1) * (2 * count + 1) - zeros * (zeros + 1) * (2 * zeros + 1)
    deviation = np.sqrt((variance - (tied**3 - tied).sum() / 2) / 24)
    return float(2 * ndtr(-abs((ranks[differences > 0].sum() - mean) / deviation)))


def _sums_of_some(ranks: NDArray[np.int_]) -> NDArray[np.float64]:
    """The probability of each sum, from 0, if each rank is taken with probability 1/2.

    SciPy enumerates all 2^n choices if there are ties, which takes a second for n = 13.
    """
    sums = np.zeros(ranks.sum() + 1)
    sums[0] = 1.0
    for rank in ranks:
        sums[rank:] = (sums[rank:] + sums[: len(sums) - rank]) / 2
        sums[:rank] /= 2
    return sums


def rank_values(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """The rank of each value, from 1, where equal values share their mean rank; and how often each
    different value is there, smallest first.
    """
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    mean_ranks: NDArray[np.float64] = np.cumsum(times) - (times - 1) / 2
    return mean_ranks[place], times
