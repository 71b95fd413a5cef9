"""The test of means by exchanges, for many pairs of combinations at once.

If two combinations were equally good on average, then on each unit of evidence either of the two
costs could as well be that of the other. The p-value is the share of such exchanges whose sum of
differences is at least as far from 0 as that of the measurement (R. Fisher, The Design of
Experiments, 1935, section 21). It needs no distribution of costs, and no number of units.

Each pair is standardised by the root of the sum of its squared differences, which no exchange
changes. Each exchange is made in all pairs at once, so pairs that are alike are corrected for
little (P. Westfall, S. Young, Resampling-Based Multiple Testing, 1993, algorithm 4.1: step-down
maxima). If no two combinations differ, a difference is found in 5 % of campaigns.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

SIGNIFICANT: Final = 0.05
"""The largest p of a difference that is reported."""

_MOST_EXACT: Final = 14
"""With so many units, all exchanges are looked at; with more, a sample."""

_SAMPLE: Final = 9999
_SEED: Final = 1935
"""Of the sample of exchanges: the same records have the same p."""

_CHUNK: Final = 4_000_000
"""Signs in memory at once."""

_ROUNDING: Final = 1e-9
"""Relative tolerance: the same sum with other signs may differ in the last digits."""


@dataclass(frozen=True, slots=True)
class Block:
    """Costs of shape (units, combinations), the numbers of the units, which may be any and are the
    same in all blocks, and the pairs of combinations to compare, of shape (pairs, 2).
    """

    costs: Values
    units: NDArray[np.intp]
    pairs: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Exchanged:
    """What exchanges show of each pair, of all blocks in their order.

    `statistic` is the standardised difference of the first and the second, negative if the first
    costs less, `p` the two-sided p-value of one pair, and `joint_p` that for all of them together.
    A statistic farther from 0 than `critical` is significant among all pairs.
    """

    statistic: Values
    p: Values
    joint_p: Values
    critical: float


def exchange(blocks: Sequence[Block]) -> Exchanged:
    """Test each pair of these blocks. A pair whose costs are equal, or not all known, has p = 1."""
    every = np.unique(np.concatenate([np.zeros(0, np.intp), *(block.units for block in blocks)]))
    scaled = [_Scaled.of(block, np.searchsorted(every, block.units)) for block in blocks]
    statistic = np.concatenate([np.zeros(0), *(each.differences(each.sums) for each in scaled)])
    size = np.abs(statistic)
    units = len(every)
    tolerance = _ROUNDING * max(1.0, float(units) ** 0.5)
    order = np.argsort(-size, kind="stable")
    least = size[order] - tolerance
    single, joint, count = np.zeros(len(size)), np.zeros(len(size)), 0
    greatest = [np.zeros(0)]
    for signs in _signs(units):
        drawn = np.abs(np.hstack([each.differences(each.exchanged(signs)) for each in scaled]))
        drawn = drawn[:, order]
        single += (drawn >= least).sum(axis=0)
        # Of each pair, the greatest among itself and those that differ less.
        np.maximum.accumulate(drawn[:, ::-1], axis=1, out=drawn[:, ::-1])
        joint += (drawn >= least).sum(axis=0)
        greatest.append(drawn[:, :1].max(axis=1, initial=0.0))
        count += len(signs)
    if (
        units > _MOST_EXACT
    ):  # the measured signs are possible, whether they are in the sample or not
        single, joint, count = single + 1, joint + 1, count + 1
    p, joint_p = np.empty_like(single), np.empty_like(joint)
    p[order], joint_p[order] = single / count, np.maximum.accumulate(joint / count)
    critical = float(np.quantile(np.concatenate(greatest), 1 - SIGNIFICANT)) if len(size) else 0.0
    return Exchanged(statistic, p, joint_p, critical)


def exchange_one(differences: Values) -> float:
    """The two-sided p of the differences of two combinations, one for each unit."""
    costs = np.column_stack([differences, np.zeros_like(differences)])
    block = Block(costs, np.arange(len(differences)), np.array([[0, 1]]))
    return float(exchange([block]).p[0])


@dataclass(frozen=True, slots=True)
class _Scaled:
    """A block whose costs are centred, the places of its units among those of all blocks, and the
    scale of each pair: 0 if nothing is to be tested.
    """

    costs: Values
    units: NDArray[np.intp]
    pairs: NDArray[np.intp]
    scale: Values

    @classmethod
    def of(cls, block: Block, places: NDArray[np.intp]) -> "_Scaled":
        is_known = np.asarray(np.isfinite(block.costs).all(axis=0))
        costs = np.where(is_known, block.costs, 0.0)
        if costs.size:  # sums of small numbers are more exact
            costs = (costs - costs.mean(axis=1, keepdims=True)) * is_known
        first, second = block.pairs.T
        squares = np.array(
            [((costs[:, i] - costs[:, j]) ** 2).sum() for i, j in block.pairs], dtype=np.float64
        )
        is_tested = is_known[first] & is_known[second] & (squares > 0)
        scale = np.zeros(len(squares))
        scale[is_tested] = squares[is_tested] ** -0.5
        return cls(costs, places, block.pairs, scale)

    @property
    def sums(self) -> Values:
        """The sums of the costs of each combination."""
        total: Values = self.costs.sum(axis=0)
        return total

    def exchanged(self, signs: Values) -> Values:
        """The same for each row of signs."""
        sums: Values = signs[:, self.units] @ self.costs
        return sums

    def differences(self, sums: Values) -> Values:
        """The standardised differences of the sums of each pair."""
        first, second = self.pairs.T
        values: Values = (sums[..., first] - sums[..., second]) * self.scale
        return values


def _signs(units: int) -> Iterator[Values]:
    """Rows of 1 and -1 for each unit: all of them but for those with opposite signs, which say the
    same, or a sample.
    """
    if units <= _MOST_EXACT:
        yield _all_signs(units)
        return
    random = np.random.default_rng(_SEED)
    width, left = -(-units // 8), _SAMPLE
    while left:
        rows = max(1, min(left, _CHUNK // units))
        packed = np.frombuffer(random.bytes(rows * width), dtype=np.uint8).reshape(rows, width)
        yield 1 - 2 * np.unpackbits(packed, axis=1, count=units).astype(np.float64)
        left -= rows


@cache
def _all_signs(units: int) -> Values:
    numbers = np.arange(2 ** max(units - 1, 0))[:, np.newaxis]
    return 1 - 2 * ((numbers >> np.arange(units)) & 1).astype(np.float64)
