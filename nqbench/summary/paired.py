"""Decides which of two combinations is faster on paired problems, for many pairs at once.

Two questions are decided. Both have a null hypothesis that needs no shape of the times.

typically faster
    The typical ratio is 1: of two random problems, the larger factor is as often in favour of the
    first as of the second (F. Wilcoxon, Biometrics Bulletin 1, 1945; zeros by J. Pratt, Journal of
    the American Statistical Association 54, 1959). A problem that only one of them solved is larger
    than any measured ratio; one that neither solved is a tie.
solves more
    A problem that only one of them solved is as likely that of the first as of the second (Q.
    McNemar, Psychometrika 12, 1947).

Either null allows to turn all signs of a unit of evidence, in all pairs and both questions at once.
So all columns are tested by one set of flips, as step-down maxima (P. Westfall, S. Young,
Resampling-Based Multiple Testing, 1993, algorithm 4.1): if no two combinations differ, one campaign
in twenty reports anything. That is so for any shape of the solved problems, and close to it for the
typical ratio: with skewed log ratios a test of one pair errs at most 7.8 % if there are many
problems, and up to 11 % with six.

How to use it: `log_ratios` makes the differences of one `Pair`, `decide` tests many pairs,
and `typical_ratios` returns the ratio and its interval of those to be shown. `power` says how many
problems a decision takes, after and before measuring. Everything is deterministic.

    pairs = [Pair(log_ratios(logs[:, i], logs[:, j], solved[:, i], solved[:, j])) for i, j in ...]
    decided = decide(pairs, units=len(logs))
    decided.typical[0], decided.solved[0]  # -1: the first is faster, or solves more; 0: undecided
    ratio, low, high = typical_ratios(pairs[:1], len(logs), decided.critical)
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Places = NDArray[np.intp]

LEVEL: Final = 0.05
"""The probability that anything is decided where nothing differs."""

FEWEST: Final = 6
"""With fewer units, no difference is decided: the smallest p of five is 2 / 2^5 = 0.06."""

_MOST_EXACT: Final = 14
"""With so many units, all flips are looked at; with more, a sample."""

_SAMPLE: Final = 9999
_MOST_BLOCKS: Final = 1024
"""More units are put at random into so many blocks that flip together. These flips are a subgroup
of all, so p stays valid, and memory and time no longer grow with the number of units.
"""

_SEED: Final = 1935
"""Of flips and blocks: the same records have the same p."""

_CHUNK: Final = 4_000_000
"""Numbers in memory at once."""

_ROUNDING: Final = 1e-6
"""Relative tolerance: the same sum with other signs may differ in the last digits."""

_EQUAL: Final = 1e-12
"""A statistic this close to a bound is equal to it."""

_BEYOND: Final = 1e9
"""No statistic is farther from 0."""

_MOST_STEPS: Final = 150
_FEW: Final = 500
_EXACT, _CLOSE = 1e-12, 1e-7
"""The logarithms of the ends of an interval are this close: with more than a few problems, another
digit takes long.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two combinations on the problems that both ran: see `log_ratios` for the differences.

    `places` has the place of each problem's unit of evidence among all units, from 0. Without it,
    the problems are all the units, in their order.
    """

    log_ratios: Values
    places: Places | None = None


def log_ratios(
    first: Values,
    second: Values,
    first_solved: NDArray[np.bool_],
    second_solved: NDArray[np.bool_],
) -> Values:
    """Return the difference of each problem: that of the logarithms of the two costs if both solved
    it, minus infinity if only the first did, infinity if only the second did, NaN if neither did.
    """
    with np.errstate(invalid="ignore"):
        difference = np.where(first_solved & second_solved, first - second, np.nan)
    difference[first_solved & ~second_solved] = -np.inf
    difference[~first_solved & second_solved] = np.inf
    return difference


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """What is decided of each pair, in their order.

    `statistic` is the standardised sum of signed ranks, negative if the first takes less; `p` its
    p-value, and `p_solved` that of the problems which only one of them solved. Both are joint: for
    all pairs and both questions. `single_p` is `p` of one pair for this question only. A statistic
    farther from 0 than `critical` is decided.

    `faster`, `slower` and `equal` count the problems on which the first is that. They include the
    problems that only one of them solved: `only_first` and `only_second`.
    """

    statistic: Values
    p: Values
    p_solved: Values
    single_p: Values
    critical: float
    faster: Places
    slower: Places
    equal: Places
    only_first: Places
    only_second: Places
    level: float

    @property
    def typical(self) -> Places:
        """-1 if the first is typically faster, 1 if the second is, 0 if that is undecided. The one
        that is faster is so on more problems than against it.
        """
        side = np.sign(self.statistic).astype(np.intp)
        agrees = side == np.sign(self.slower - self.faster)
        return np.where((self.p < self.level) & agrees, side, 0)

    @property
    def solved(self) -> Places:
        """-1 if the first solves more, 1 if the second does, 0 if that is undecided."""
        side = np.sign(self.only_second - self.only_first)
        return np.where(self.p_solved < self.level, side, 0)


def decide(pairs: Iterable[Pair], units: int, level: float = LEVEL) -> Decisions:
    """Test both questions of all these pairs together. `units` is the number of all units."""
    blocks = Blocks.of(units)
    columns, counts = [], []
    for pair in pairs:
        columns.append(_columns(pair, blocks))
        counts.append(_count(pair.log_ratios))
    number = len(columns)
    stacked = np.array(columns).reshape(number, 2, blocks.number)
    # Columns of the first question, then those of the second.
    scores = stacked.swapaxes(0, 1).reshape(2 * number, blocks.number).T
    statistic, single, joint, critical = _flip(scores, units, level)
    faster, slower, equal, only_first, only_second = (
        np.array(counts, dtype=np.intp).reshape(-1, 5).T
    )
    return Decisions(
        statistic[:number],
        joint[:number],
        joint[number:],
        single[:number],
        critical,
        faster,
        slower,
        equal,
        only_first,
        only_second,
        level,
    )


def _count(differences: Values) -> tuple[int, int, int, int, int]:
    faster, slower = int((differences < 0).sum()), int((differences > 0).sum())
    only = int(np.isneginf(differences).sum()), int(np.isposinf(differences).sum())
    return faster, slower, len(differences) - faster - slower, *only


def _columns(pair: Pair, blocks: "Blocks") -> Values:
    """The scores of the blocks for both questions, of shape (2, blocks)."""
    differences = pair.log_ratios
    only_one = np.where(np.isinf(differences), np.sign(differences), 0.0)
    return blocks.sums(np.stack([_signed_ranks(differences), only_one]), pair.places)


def _signed_ranks(differences: Values) -> Values:
    """Return the rank of the size of each difference in its row, with its sign. Equal sizes share
    their mean rank; zeros and NaN have the lowest ranks and no sign.
    """
    rows = np.nan_to_num(np.atleast_2d(differences), nan=0.0, posinf=np.inf, neginf=-np.inf)
    count = rows.shape[1]
    if not count:
        return np.zeros(differences.shape)
    sizes = np.abs(rows)
    order = np.argsort(sizes, axis=1)
    order += np.arange(0, sizes.size, count)[:, np.newaxis]  # in the table as one row
    ascending = sizes.take(order)
    is_first = np.ones(rows.shape, np.bool_)
    np.not_equal(ascending[:, 1:], ascending[:, :-1], out=is_first[:, 1:])
    first = np.flatnonzero(is_first)
    equal = np.diff(first, append=sizes.size)
    ranks = np.empty(sizes.size)
    ranks[order.ravel()] = np.repeat(first % count + (equal + 1) / 2, equal)
    signed: Values = (np.sign(rows) * ranks.reshape(rows.shape)).reshape(differences.shape)
    return signed


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The block of each unit of evidence, and the number of blocks."""

    of_unit: Places
    number: int

    @classmethod
    def of(cls, units: int) -> "Blocks":
        """The blocks of so many units: each is a block if there are at most `_MOST_BLOCKS`."""
        if units <= _MOST_BLOCKS:
            return cls(np.arange(units), units)
        return cls(np.random.default_rng(_SEED).permutation(units) % _MOST_BLOCKS, _MOST_BLOCKS)

    def sums(self, scores: Values, places: Places | None) -> Values:
        """Return the sums of the blocks, of shape (rows, blocks), from scores of shape (rows,
        problems). The score of a unit is the mean of its problems' scores.
        """
        if places is None:
            places = np.arange(scores.shape[1])
            if self.number == len(places):
                return scores
        sums = np.zeros((len(scores), self.number))
        if not len(places):
            return sums
        weights = 1 / np.bincount(places)[places]
        block = self.of_unit[places]
        order = np.argsort(block, kind="stable")
        block = block[order]
        starts = np.flatnonzero(np.r_[True, block[1:] != block[:-1]])
        sums[:, block[starts]] = np.add.reduceat((scores * weights)[:, order], starts, axis=1)
        return sums


def _standardised(sums: Values) -> Values:
    """The sum of each row, divided by the root of its squares: 0 if all are 0."""
    squares = (sums**2).sum(axis=-1)
    total = sums.sum(axis=-1)
    ratio: Values = np.divide(total, np.sqrt(squares), np.zeros_like(total), where=squares > 0)
    return ratio


def _flip(scores: Values, units: int, level: float) -> tuple[Values, Values, Values, float]:
    """Return the statistic, the p-value and the joint p-value of each column of scores, and the
    critical statistic, by flips of the signs of its rows.
    """
    statistic = _standardised(scores.T)
    size = np.abs(statistic)
    order = np.argsort(-size, kind="stable")
    is_exact = units <= _MOST_EXACT
    norm = np.sqrt((scores**2).sum(axis=0))
    scaled = np.divide(scores, norm, out=np.zeros_like(scores), where=norm > 0)[:, order]
    scaled = np.ascontiguousarray(scaled, dtype=np.float64 if is_exact else np.float32)
    least = (size[order] - _ROUNDING * np.maximum(1.0, size[order])).astype(scaled.dtype)
    single, joint, count = np.zeros(len(size)), np.zeros(len(size)), 0
    greatest = [np.zeros(0)]
    for signs in _signs(len(scores), is_exact, max(1, _CHUNK // max(1, *scores.shape))):
        drawn = np.abs(signs.astype(scaled.dtype, copy=False) @ scaled)
        single += (drawn >= least).sum(axis=0)
        # Of each column, the greatest among itself and those that differ less.
        np.maximum.accumulate(drawn[:, ::-1], axis=1, out=drawn[:, ::-1])
        joint += (drawn >= least).sum(axis=0)
        greatest.append(drawn[:, :1].max(axis=1, initial=0.0).astype(np.float64))
        count += len(signs)
    measured = 0 if is_exact else 1  # the measured signs are possible, too
    p, joint_p = np.empty_like(single), np.empty_like(joint)
    p[order] = (single + measured) / (count + measured)
    joint_p[order] = np.maximum.accumulate((joint + measured) / (count + measured))
    maxima = np.sort(np.concatenate(greatest))
    # So many of the maxima reach the greatest statistic that is not decided.
    reaching = max(1, math.ceil(level * (count + measured) - measured))
    critical = float(maxima[-reaching]) * (1 + _ROUNDING) if size.size else 0.0
    critical = math.inf if units < FEWEST else critical
    return statistic, p, joint_p, critical


def p_above_0(scores: Values) -> Values:
    """The one-sided p-value that the sum of each column of scores, of shape (units, columns), is
    not above 0: by flips of the signs of its rows, which are as likely as the measured ones if each
    score has a symmetric distribution around 0.
    """
    blocks = Blocks.of(len(scores)).sums(scores.T, None).T
    statistic, p, *_ = _flip(blocks, len(scores), LEVEL)
    return np.where(statistic > 0, p / 2, 1.0)


def _signs(blocks: int, is_exact: bool, rows: int) -> Iterator[NDArray[np.float32]]:
    """Rows of 1 and -1 for each block: all of them but for those with opposite signs, which say the
    same, or a sample.
    """
    if is_exact:
        numbers = np.arange(2 ** max(blocks - 1, 0))[:, np.newaxis]
        every = 1 - 2 * ((numbers >> np.arange(blocks)) & 1).astype(np.float32)
        yield from (every[start : start + rows] for start in range(0, len(every), rows))
        return
    random = np.random.default_rng(_SEED)
    signs_of_byte = _signs_of_byte()
    width, left = -(-blocks // 8), _SAMPLE
    while left:
        number = min(left, rows)
        packed = np.frombuffer(random.bytes(number * width), dtype=np.uint8)
        signs = signs_of_byte.take(packed.reshape(number, width), axis=0)
        yield signs.reshape(number, 8 * width)[:, :blocks]
        left -= number


@cache
def _signs_of_byte() -> NDArray[np.float32]:
    """The eight signs in each byte. To look them up takes a third of the time to unpack them."""
    every_byte = np.arange(256, dtype=np.uint8)[:, np.newaxis]
    return 1 - 2 * np.unpackbits(every_byte, axis=1).astype(np.float32)


def typical_ratios(
    pairs: Sequence[Pair], units: int, critical: float
) -> tuple[Values, Values, Values]:
    """Return the typical ratio of each pair, and the lower and the upper end of its interval, by
    inversion of the test.

    A ratio is that by which the costs of the second have to be multiplied so that the statistic is
    0; between the ends it is at most `critical`. Without unsolved problems the ratio is the
    Hodges-Lehmann estimate. Where no factor does it, the ratio or an end is 0 or infinite: too many
    problems were solved by only one. It is NaN if no problem was solved by both.
    """
    blocks = Blocks.of(units)
    found = np.full((3, len(pairs)), np.nan)
    alike: dict[tuple[int, int], list[int]] = {}
    for number, pair in enumerate(pairs):
        if np.isfinite(pair.log_ratios).any():
            alike.setdefault((len(pair.log_ratios), id(pair.places)), []).append(number)
    for (problems, _), numbers in alike.items():
        rows = max(1, _CHUNK // (4 * problems))
        for start in range(0, len(numbers), rows):
            part = numbers[start : start + rows]
            differences = np.stack([pairs[number].log_ratios for number in part])
            found[:, part] = _invert(differences, pairs[part[0]].places, blocks, critical)
    with np.errstate(over="ignore"):
        ratio, low, high = np.exp(found)
    return ratio, low, high


def at_least(pairs: Sequence[Pair], units: int, level: float = LEVEL) -> Values:
    """Return the ratio that the typical ratio of each pair is above: the lower end of its one-sided
    interval. Each has its share of the level, so that one campaign in twenty errs in any pair. It
    is 0 if no differences of so many problems could show more.
    """
    ends = np.zeros(len(pairs))
    for at, pair in enumerate(pairs):
        critical = decide([pair], units, 2 * level / len(pairs)).critical
        _, (ends[at],), _ = typical_ratios([pair], units, critical)
    return ends


def fewest_units(pairs: int, level: float = LEVEL) -> int:
    """With fewer units, `at_least` of so many pairs is 0 even if all differ in the same way."""
    return max(FEWEST, math.floor(math.log2(max(pairs, 1) / level)) + 1)


def _invert(differences: Values, places: Places | None, blocks: Blocks, critical: float) -> Values:
    """Return the logarithms of ratio, low and high of each row of differences."""
    rows = len(differences)
    is_both = np.isfinite(differences)
    least = np.where(is_both, differences, np.inf).min(axis=1)
    most = np.where(is_both, differences, -np.inf).max(axis=1)
    margin = 1e-9 + 1e-9 * (most - least)
    # Where the statistic is no longer above 0, where it is below 0, and the two ends.
    beyond = min(critical, _BEYOND)
    bounds = np.array([0.0, 0.0, beyond, -beyond])[:, np.newaxis]
    inclusive = np.array([-1.0, 1.0, -1.0, 1.0])[:, np.newaxis]

    def excess(shifts: Values) -> Values:
        """By how much the statistic is above the bound with these shifts; never 0."""
        shifted = np.where(is_both, differences - shifts[:, :, np.newaxis], differences)
        scores = _signed_ranks(shifted.reshape(4 * rows, -1))
        value = _standardised(blocks.sums(scores, places)).reshape(4, rows) - bounds
        return np.where(np.abs(value) <= _EQUAL, inclusive * _EQUAL, value)

    low, high = (np.tile(end, (4, 1)) for end in (least - margin, most + margin))
    at_low, at_high = excess(low), excess(high)
    never, always = at_low < 0, at_high > 0
    tolerances = (_EXACT if differences.shape[1] <= _FEW else _CLOSE) * (1 + most - least)
    crossing = _cross(excess, (low, at_low), (high, at_high), tolerances)
    crossing = np.where(never, -np.inf, np.where(always, np.inf, crossing))
    with np.errstate(invalid="ignore"):
        centre = np.where(crossing[0] == crossing[1], crossing[0], (crossing[0] + crossing[1]) / 2)
    return np.stack([centre, crossing[2], crossing[3]])


def _cross(
    excess: Callable[[Values], Values],
    below: tuple[Values, Values],
    above: tuple[Values, Values],
    tolerances: Values,
) -> Values:
    """Where a falling function changes its sign, between these points with their values: by the
    Illinois method, with a bisection in every third step, as it is a step function.
    """
    (low, at_low), (high, at_high) = below, above
    before = np.zeros(low.shape, np.bool_)
    for step in range(_MOST_STEPS):
        if (high - low <= tolerances).all():
            break
        share = np.full_like(low, 0.5)
        if step % 3 < 2:
            np.divide(at_low, at_low - at_high, share, where=at_low > at_high)
        middle = low + np.clip(share, 0.01, 0.99) * (high - low)
        value = excess(middle)
        is_above = value > 0
        weight = np.where(is_above == before, 0.5, 1.0) if step else 1.0
        at_low, at_high = (
            np.where(is_above, value, weight * at_low),
            np.where(is_above, weight * at_high, value),
        )
        before = is_above
        low, high = np.where(is_above, middle, low), np.where(is_above, high, middle)
    return (low + high) / 2
