"""Compares combinations on one formula that was measured with several shuffles or seeds.

The shuffles of one formula say nothing about other formulas, and a combination on them is a sample
of its times there. So two combinations are compared as two samples: whether the times differ.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nqbench.summary.evidence import UNIT
from nqbench.summary.measured import Measured
from nqbench.summary.observed import NAMED, SHUFFLED_REPEAT, differing, observed, penalised
from nqbench.summary.paired import LEVEL

Values = NDArray[np.float64]

FEWEST: Final = 4
"""With fewer shuffles of each, no difference of times could be found."""

ENOUGH_FOR_MEANS: Final = 20
"""Fewer heavy-tailed times say too little about their mean."""

_SEEDS: Final = ("shuffle", "solver_seed", "shuffled_repeat")
_SAMPLE: Final = 4999


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The costs of two combinations on one formula, one for each shuffle, and the corrected p of
    the two-sided Mann-Whitney test that the times differ.
    """

    first: str
    second: str
    costs: tuple[Values, Values]
    p: float = 1.0

    @property
    def share(self) -> float:
        """The share of the pairs of runs in which the first takes less; equal ones count half."""
        one, other = self.costs
        differences = np.sign(other[:, np.newaxis] - one)
        return float((differences.mean() + 1) / 2)

    def share_interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """The interval of this share (R. Newcombe, Statistics in Medicine 25, 2006, method 5)."""
        from scipy.optimize import brentq
        from scipy.special import ndtri

        one, other = map(len, self.costs)
        share, more = self.share, (one + other) / 2 - 1
        z = float(ndtri((1 + confidence) / 2))

        def excess(theta: float) -> float:
            spread = 1 + more * ((1 - theta) / (2 - theta) + theta / (1 + theta))
            return (share - theta) ** 2 - z * z * theta * (1 - theta) * spread / (one * other)

        # At the share itself it is negative, and at both ends positive, unless the share is there.
        low = 0.0 if share <= 0 else float(brentq(excess, 0, share * (1 - 1e-12)))
        high = 1.0 if share >= 1 else float(brentq(excess, share + (1 - share) * 1e-12, 1))
        return low, high

    @property
    def are_equal(self) -> bool:
        """Whether all costs of both are the same number, such as the limit."""
        return _are_equal(*self.costs)

    @property
    def mean_ratio(self) -> float | None:
        """PAR-2 of the first divided by that of the second; None with too few shuffles."""
        one, other = self.costs
        if min(len(one), len(other)) < ENOUGH_FOR_MEANS:
            return None
        return float(one.mean() / other.mean())

    def mean_interval(self) -> tuple[float, float]:
        """The interval of 95 % of that ratio, by resampling the runs of each (B. Efron, Annals of
        Statistics 7, 1979).
        """
        random = np.random.default_rng(len(self.costs[0]))
        one, other = (
            costs[random.integers(0, len(costs), (_SAMPLE, len(costs)))].mean(axis=1)
            for costs in self.costs
        )
        low, high = np.quantile(one / other, [0.025, 0.975])
        return float(low), float(high)

    def needed(self) -> tuple[float, float]:
        """The range of the number of shuffles of each that would show that the times differ, with a
        power of 80 % (G. Noether, Journal of the American Statistical Association 82, 1987), from
        the interval of 80 % of the share.
        """
        from scipy.special import ndtri

        z = float(ndtri(1 - LEVEL / 2) + ndtri(0.8))
        low, high = (abs(end - 0.5) for end in self.share_interval(0.8))
        is_open = min(self.share_interval(0.8)) <= 0.5 <= max(self.share_interval(0.8))
        numbers = [z * z / (6 * end * end) if end else np.inf for end in (low, high)]
        least = max(min(numbers), min(map(len, self.costs)) + 1)
        return least, np.inf if is_open else max(*numbers, least)


def of_shuffles(measured: Measured, time: str) -> list[Samples] | None:
    """Every two combinations on one formula, in the order of their PAR-2; None if the records are
    of several problems, or have no shuffles or seeds of two combinations.
    """
    if measured.evidence(time)[UNIT].n_unique() != 1:
        return None
    records = measured.on_common.records.with_columns(SHUFFLED_REPEAT)
    varied = [name for name in differing(records, _SEEDS) if records[name].n_unique() > 1]
    if not varied:
        return None
    runs = observed(records, time).with_columns(cost=penalised())
    of_seed = runs.group_by(NAMED, *varied).agg(pl.col("cost").mean()).drop_nulls("cost")
    samples = {
        str(name): part["cost"].to_numpy()
        for (name,), part in of_seed.sort("pair", *varied)
        .partition_by("pair", as_dict=True)
        .items()
    }
    samples = {name: costs for name, costs in samples.items() if len(costs) >= FEWEST}
    if len(samples) < 2:
        return None
    names = sorted(samples, key=lambda name: (samples[name].mean(), name))
    pairs = list(itertools.combinations(names, 2))
    p = holm([_mann_whitney(samples[one], samples[other]) for one, other in pairs])
    return [
        Samples(one, other, (samples[one], samples[other]), value)
        for (one, other), value in zip(pairs, p, strict=True)
    ]


def _are_equal(one: Values, other: Values) -> bool:
    return bool(np.ptp(np.concatenate([one, other])) == 0)


def _mann_whitney(one: Values, other: Values) -> float:
    from scipy.stats import mannwhitneyu

    if _are_equal(one, other):
        return 1.0
    return float(mannwhitneyu(one, other).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction of each p for all of them, in the same order (S. Holm, Scandinavian Journal
    of Statistics 6, 1979).
    """
    values = np.array(p_values, dtype=np.float64)
    order = np.argsort(values)
    corrected = np.empty_like(values)
    stepped = values[order] * np.arange(len(values), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return list(map(float, corrected))


def rows_of(samples: Sequence[Samples]) -> list[dict[str, object]]:
    """These as rows of `comparisons`: faster and slower are numbers of pairs of runs."""
    rows = []
    for one in samples:
        sides = np.sign(one.costs[0] - one.costs[1][:, np.newaxis])
        low, high = (None, None) if one.mean_ratio is None else one.mean_interval()
        rows.append(
            {
                "first": one.first,
                "second": one.second,
                "problems": 1,
                "p": one.p,
                "faster": int((sides < 0).sum()),
                "slower": int((sides > 0).sum()),
                "equal": int((sides == 0).sum()),
                "mean_ratio": one.mean_ratio,
                "mean_low": low,
                "mean_high": high,
            }
        )
    return rows
