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

Literals = NDArray[np.int32]
"""Options by their variables, which count from 1; -v is the option of variable v not chosen."""

Clash = Callable[[Numbers, Numbers], Flags]
"""Whether each of k options clashes with another one: two arrays of k options -> shape (k,)."""

Group = Flags | Literals | Sequence[int]
"""Options and options not chosen: their literals, or flags of shape (options,)."""

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


def literals_of(group: Group) -> Literals:
    """The literals of a group.

    >>> literals_of(np.array([False, True, True])).tolist(), literals_of([-3, 1]).tolist()
    ([2, 3], [-3, 1])
    """
    given = np.asarray(group)
    if given.dtype == np.bool_:
        return (np.flatnonzero(given) + 1).astype(np.int32)
    return given.astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """A group, of whose literals at least and at most so many are true. A literal that is there
    twice counts twice.
    """

    group: Group
    least: int
    most: int

    @property
    def literals(self) -> Literals:
        """The literals of the group."""
        return literals_of(self.group)

    def allows(self, count: NDArray[np.int64] | int) -> Flags:
        """Whether so many literals of the group may be true."""
        counts = np.asarray(count)
        is_allowed: Flags = (counts >= self.least) & (counts <= self.most)
        return is_allowed


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """A choice of options is a solution if no two of them clash, at least one literal of each group
    in `needed` is true, all options of `chosen` are chosen, none of `excluded`, and of each group
    in `counted` as many are true as it says.

    `clash` gets the numbers of k options and of k other ones, and returns which of them clash: two
    arrays of shape (numbers of an option, k), and one of shape (k,). It is asked once for each two;
    None if no two options clash. An option that should be needed exactly once clashes with the
    others of its group.
    """

    options: Sequence[Option]
    clash: Clash | None
    needed: Sequence[Group]
    chosen: Collection[Option] = ()
    excluded: Collection[Option] = ()
    counted: Sequence[Counted] = ()

    def needed_literals(self) -> list[Literals]:
        """The literals of each group in `needed`."""
        return [literals_of(group) for group in self.needed]

    def clashing(self) -> Iterator[NDArray[np.int32]]:
        """Yield the variables of each two options that clash, in arrays of shape (clashes, 2)."""
        count = len(self.options)
        if not count or self.clash is None:
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
        step = max(1, _AT_ONCE // max(first.size, len(self.options)))
        needed = self.needed_literals()
        results = []
        for start in range(0, len(chosen), step):
            part = chosen[start : start + step]
            good = ~self._clash_in(every, part[:, first], part[:, second]).any(axis=1)
            is_chosen = np.zeros((len(part), len(self.options)), np.bool_)
            np.put_along_axis(is_chosen, part, values=True, axis=1)
            for group in needed:
                good &= _number_true(group, is_chosen) > 0
            for counted in self.counted:
                good &= counted.allows(_number_true(counted.literals, is_chosen))
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
        every = np.array(chosen, dtype=np.int64).T
        first, second = np.triu_indices(len(chosen), 1)
        clashing = np.flatnonzero(self._clash_in(every, first, second))
        if clashing.size:
            one, other = chosen[first[clashing[0]]], chosen[second[clashing[0]]]
            return f"{_option_text(one)} and {_option_text(other)} clash"
        is_chosen = np.zeros(len(self.options), np.bool_)
        is_chosen[np.array(places, dtype=np.int64) - 1] = True
        for group in self.needed_literals():
            if not _number_true(group, is_chosen):
                return self._missing(group)
        for counted in self.counted:
            count = int(_number_true(counted.literals, is_chosen))
            if not counted.allows(count):
                literals = counted.literals
                is_mixed = (literals < 0).any()
                things, holds = ("literals", "true") if is_mixed else ("options", "chosen")
                return (
                    f"{count} of the {len(literals)} {things} {self._some(literals)} "
                    f"are {holds}, not {counted.least} to {counted.most}"
                )
        if missing := set(self.chosen).difference(chosen):
            return f"{_option_text(min(missing))} is missing"
        if wrong := set(self.excluded).intersection(chosen):
            return f"{_option_text(min(wrong))} is excluded"
        return None

    def _clash_in(self, every: Numbers, one: NDArray[np.int64], other: NDArray[np.int64]) -> Flags:
        """Whether two of the options with these numbers clash, by their columns in `every`: two
        arrays of the same shape -> that shape.
        """
        if self.clash is None or not one.size:
            return np.zeros(one.shape, np.bool_)
        return self.clash(every[:, one.ravel()], every[:, other.ravel()]).reshape(one.shape)

    def _missing(self, group: Literals) -> str:
        if not len(group):
            return "no option gives what is needed"
        return f"none of {self._some(group)} is {'true' if (group < 0).any() else 'chosen'}"

    def _some(self, group: Literals) -> str:
        """The first literals of a group, and how many more there are."""
        names = [
            f"{'not ' * (literal < 0)}{_option_text(self.options[abs(literal) - 1])}"
            for literal in group[: _MOST_NAMED + 1].tolist()
        ]
        more = [] if len(group) <= _MOST_NAMED else [f"{len(group) - _MOST_NAMED} more"]
        return ", ".join(names[:_MOST_NAMED] + more)


def _number_true(group: Literals, is_chosen: Flags) -> NDArray[np.int64]:
    """How many literals of a group are true in each of some choices: flags of shape (..., options)
    -> shape (...).
    """
    number: NDArray[np.int64] = (is_chosen[..., np.abs(group) - 1] == (group > 0)).sum(axis=-1)
    return number


def _option_text(option: Option) -> str:
    return f"({', '.join(map(str, option))})"
