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

import itertools
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

_BLOCK: Final = 2_000_000
"""Sums and differences in memory at once."""

_ROUNDING: Final = 1e-9
"""Relative tolerance: the same sum with other signs may differ in the last digits."""


@dataclass(frozen=True, slots=True)
class Block:
    """Costs of shape (units, combinations), the numbers of the units, which may be any and are the
    same in all blocks, and the pairs of combinations to compare, of shape (pairs, 2). `ran` says
    which of the costs there are, if not all: a pair is compared on the units that both have.
    """

    costs: Values
    units: NDArray[np.intp]
    pairs: NDArray[np.intp]
    ran: NDArray[np.bool_] | None = None


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
    units = len(every)
    statistic = _differences(scaled, np.ones((1, units)))[0]
    size = np.abs(statistic)
    tolerance = _ROUNDING * max(1.0, float(units) ** 0.5)
    order = np.argsort(-size, kind="stable")
    least = size[order] - tolerance
    single, joint, count = np.zeros(len(size)), np.zeros(len(size)), 0
    greatest = [np.zeros(0)]
    rows = max(1, _BLOCK // max([1, len(size), *(each.width for each in scaled)]))
    for signs in _in_parts(_signs(units), rows):
        drawn = np.abs(_differences(scaled, signs))
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
    """A block whose costs are centred, and 0 where there are none; the places of its units among
    those of all blocks, and the scale of each pair: 0 if nothing is to be tested.

    Units that the same combinations ran follow each other, up to one of the `ends`. Combinations
    that ran the same units are in one set: `sets` has the place of each one's, and `has` says of
    each set and each sequence of units whether they ran it.
    """

    costs: Values
    units: NDArray[np.intp]
    pairs: NDArray[np.intp]
    scale: Values
    sets: NDArray[np.intp]
    ends: NDArray[np.intp]
    has: Values

    @classmethod
    def of(cls, block: Block, places: NDArray[np.intp]) -> "_Scaled":
        ran = np.ones(block.costs.shape, np.bool_) if block.ran is None else block.ran
        is_known = np.asarray((np.isfinite(block.costs) | ~ran).all(axis=0))
        is_used = ran & is_known
        costs = np.where(is_used, block.costs, 0.0)
        if costs.size:  # sums of small numbers are more exact
            number = np.maximum(ran.sum(axis=1, keepdims=True), 1)
            costs = (costs - costs.sum(axis=1, keepdims=True) / number) * is_used
        squares = _squares(costs, ran, block.pairs)
        first, second = block.pairs.T
        is_tested = is_known[first] & is_known[second] & (squares > 0)
        scale = np.zeros(len(squares))
        scale[is_tested] = squares[is_tested] ** -0.5
        if ran.all():
            order: NDArray[np.intp] | slice = slice(None)
            sets, ends = np.zeros(ran.shape[1], np.intp), np.array([len(ran)])
            has = np.ones((1, 1), np.bool_)
        else:
            of_sets, sets = np.unique(ran, axis=1, return_inverse=True)
            has, alike = np.unique(of_sets, axis=0, return_inverse=True)
            order = np.argsort(alike.ravel(), kind="stable")
            ends = np.cumsum(np.bincount(alike.ravel(), minlength=len(has)))
        return cls(
            costs[order],
            places[order],
            block.pairs,
            scale,
            sets.ravel(),
            ends,
            has.T.astype(np.float64),
        )

    @property
    def width(self) -> int:
        """How many sums there are for each row of signs."""
        return len(self.ends) * len(self.costs[0]) if len(self.costs) else 1

    def differences(self, signs: Values) -> Values:
        """The standardised differences of each pair for each row of signs, of shape (rows, pairs):
        those of the sums of costs with these signs.
        """
        first, second = self.pairs.T
        own = signs if _is_all(self.units, signs.shape[1]) else signs[:, self.units]
        sums = np.stack(
            [
                own[:, start:end] @ self.costs[start:end]
                for start, end in itertools.pairwise([0, *self.ends])
            ]
            or [np.zeros((len(signs), self.costs.shape[1]))]
        )
        if len(self.has) > 1:
            # The sums of each combination over what each set ran, too.
            sums = np.tensordot(self.has, sums, axes=1)
            one, other = self.sets[second], self.sets[first]
            values = sums[one, :, first] - sums[other, :, second]
            return np.asarray(values.T * self.scale)
        return np.asarray((sums[0][:, first] - sums[0][:, second]) * self.scale)


def _is_all(places: NDArray[np.intp], count: int) -> bool:
    return len(places) == count and bool((np.diff(places) == 1).all())


def _squares(costs: Values, ran: NDArray[np.bool_], pairs: NDArray[np.intp]) -> Values:
    """The sum of the squared differences of each pair on what both ran."""
    columns, every = np.ascontiguousarray(costs.T), np.ascontiguousarray(ran.T)
    ran_all: NDArray[np.bool_] = np.asarray(every.all(axis=1))
    squares = np.empty(len(pairs))
    for place, (one, other) in enumerate(pairs):
        differences = columns[one] - columns[other]
        if not (ran_all[one] and ran_all[other]):
            differences *= every[one] & every[other]
        squares[place] = differences @ differences
    return squares


def _differences(scaled: Sequence[_Scaled], signs: Values) -> Values:
    """The standardised differences of the pairs of all blocks."""
    nothing = np.zeros((len(signs), 0))
    return np.hstack([nothing, *(block.differences(signs) for block in scaled)])


def _in_parts(every: Iterator[Values], rows: int) -> Iterator[Values]:
    """The same rows of signs, at most so many at once."""
    for signs in every:
        yield from (signs[start : start + rows] for start in range(0, len(signs), rows))


def _signs(units: int) -> Iterator[Values]:
    """Rows of 1 and -1 for each unit: all of them but for those with opposite signs, which say the
    same, or a sample.
    """
    if units <= _MOST_EXACT:
        yield _all_signs(units)
        return
    random = np.random.default_rng(_SEED)
    signs_of_byte = _signs_of_byte()
    width, left = -(-units // 8), _SAMPLE
    while left:
        rows = max(1, min(left, _CHUNK // units))
        packed = np.frombuffer(random.bytes(rows * width), dtype=np.uint8).reshape(rows, width)
        yield signs_of_byte.take(packed, axis=0).reshape(rows, 8 * width)[:, :units]
        left -= rows


@cache
def _signs_of_byte() -> Values:
    """The eight signs in each byte. To look them up takes a third of the time to unpack them."""
    every_byte = np.arange(256, dtype=np.uint8)[:, np.newaxis]
    return 1 - 2 * np.unpackbits(every_byte, axis=1).astype(np.float64)


@cache
def _all_signs(units: int) -> Values:
    numbers = np.arange(2 ** max(units - 1, 0))[:, np.newaxis]
    return 1 - 2 * ((numbers >> np.arange(units)) & 1).astype(np.float64)
