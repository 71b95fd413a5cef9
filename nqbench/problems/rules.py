"""The rules of a problem: which two options clash, of which options one is needed, and of which so
many are.

A family states them by the numbers of its options, such as the row and the column of a queen. It
must not use its cover, from which encodings are made: the two are compared, and answers are judged
by the rules alone.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.problems.options import Box, Option, variables

Numbers = NDArray[np.int64]
"""The numbers of k options, shape (numbers of an option, k)."""

Flags = NDArray[np.bool_]
"""Whether something holds for each of k options, shape (k,)."""

Clash = Callable[[Numbers, Numbers], Flags]
"""Whether each of k options clashes with another one: two arrays of k options -> shape (k,)."""

_AT_ONCE: Final = 1 << 20
"""Comparisons of two options that are made at the same time, in about 50 MB."""

_MOST_NAMED: Final = 3
"""Options that a message names."""


def numbers(options: Sequence[Option], each: int) -> Numbers:
    """The numbers of all options, `each` of every option: shape (each, options).

    >>> row, column = numbers(Box(2, 2), 2)
    >>> row.tolist(), column.tolist()
    ([0, 0, 1, 1], [0, 1, 0, 1])
    """
    if isinstance(options, Box):
        return np.array(np.unravel_index(np.arange(len(options)), options.bounds), dtype=np.int64)
    return np.array(list(options), dtype=np.int64).reshape(-1, each).T


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """A group of options, flags of shape (options,), of which at least and at most so many are
    chosen.
    """

    group: Flags
    least: int
    most: int

    def allows(self, count: NDArray[np.int64] | int) -> Flags:
        """Whether so many options of the group may be chosen."""
        counts = np.asarray(count)
        is_allowed: Flags = (counts >= self.least) & (counts <= self.most)
        return is_allowed


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """A choice of options is a solution if no two of them clash, at least one of each group in
    `needed` is chosen, all of `chosen` are, none of `excluded`, and of each group in `counted` as
    many as it says.

    `clash` gets the numbers of k options and of k other ones, and returns which of them clash: two
    arrays of shape (numbers of an option, k), and one of shape (k,). It is asked once for each two.
    `needed` holds flags for each group, shape (options,). An option that should be needed exactly
    once clashes with the others of its group.
    """

    options: Sequence[Option]
    clash: Clash
    needed: Sequence[Flags]
    chosen: Collection[Option] = ()
    excluded: Collection[Option] = ()
    counted: Sequence[Counted] = ()

    def clashing(self) -> Iterator[NDArray[np.int32]]:
        """Yield the variables of each two options that clash, in arrays of shape (clashes, 2)."""
        count = len(self.options)
        if not count:
            return
        every = numbers(self.options, len(self.options[0]))
        step = max(1, _AT_ONCE // count)
        for start in range(0, count, step):
            rows = np.arange(start, min(start + step, count))
            first, second = np.repeat(rows, count), np.tile(np.arange(count), len(rows))
            is_later = second > first
            first, second = first[is_later], second[is_later]
            clashes = self.clash(every[:, first], every[:, second])
            yield np.stack([first[clashes], second[clashes]], axis=1).astype(np.int32) + 1

    def given(self) -> list[int]:
        """The variable v of each option that is chosen already, and -v of each excluded one."""
        chosen = variables(self.options, self.chosen)
        excluded = variables(self.options, self.excluded)
        if 0 in (*chosen, *excluded):
            raise ValueError("a chosen or excluded option is no option of the problem")
        return [*chosen, *(-v for v in excluded)]

    def allowed(self, chosen: NDArray[np.int64]) -> Flags:
        """Whether each of some choices is a solution: each row has the positions of k different
        options, shape (choices, k) -> shape (choices,).
        """
        # Without options, there is no position to look up below.
        if not chosen.size:
            right = self.violation(()) is None
            return np.full(len(chosen), right)
        every = numbers(self.options, len(self.options[0]))
        first, second = np.triu_indices(chosen.shape[1], 1)
        step = max(1, _AT_ONCE // max(1, first.size))
        results = []
        for start in range(0, len(chosen), step):
            part = chosen[start : start + step]
            one, other = part[:, first], part[:, second]
            clashing = self.clash(every[:, one.ravel()], every[:, other.ravel()])
            good = ~clashing.reshape(one.shape).any(axis=1)
            for group in self.needed:
                good &= group[part].any(axis=1)
            for counted in self.counted:
                good &= counted.allows(counted.group[part].sum(axis=1))
            for v in self.given():
                good &= (part == abs(v) - 1).any(axis=1) == (v > 0)
            results.append(good)
        return np.concatenate(results)

    def violation(self, solution: Iterable[Option]) -> str | None:
        """The first rule that the chosen options break, in words; None for a solution."""
        chosen = [tuple(option) for option in solution]
        places = variables(self.options, chosen)
        for option, place in zip(chosen, places, strict=True):
            if not place:
                return f"{_option_text(option)} is no option"
        if len(set(chosen)) < len(chosen):
            return "an option is chosen twice"
        if chosen:
            every = np.array(chosen, dtype=np.int64).T
            first, second = np.triu_indices(len(chosen), 1)
            clashing = np.flatnonzero(self.clash(every[:, first], every[:, second]))
            if clashing.size:
                one, other = chosen[first[clashing[0]]], chosen[second[clashing[0]]]
                return f"{_option_text(one)} and {_option_text(other)} clash"
        at = np.array(places, dtype=np.int64) - 1
        for group in self.needed:
            if not group[at].any():
                return self._missing(group)
        for counted in self.counted:
            count = int(counted.group[at].sum())
            if not counted.allows(count):
                return (
                    f"{count} of the {int(counted.group.sum())} options "
                    f"{self._some(counted.group)} are chosen, not {counted.least} to {counted.most}"
                )
        if missing := set(self.chosen).difference(chosen):
            return f"{_option_text(min(missing))} is missing"
        if wrong := set(self.excluded).intersection(chosen):
            return f"{_option_text(min(wrong))} is excluded"
        return None

    def _missing(self, group: Flags) -> str:
        if not group.any():
            return "no option gives what is needed"
        return f"none of {self._some(group)} is chosen"

    def _some(self, group: Flags) -> str:
        """The first options of a group, and how many more there are."""
        names = [_option_text(self.options[at]) for at in np.flatnonzero(group).tolist()]
        more = [] if len(names) <= _MOST_NAMED else [f"{len(names) - _MOST_NAMED} more"]
        return ", ".join(names[:_MOST_NAMED] + more)


def _option_text(option: Option) -> str:
    return f"({', '.join(map(str, option))})"
