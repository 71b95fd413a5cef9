"""Facts that records show, and the words that sentences about them share."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Final, ParamSpec, Self

import polars as pl

from nqbench.common import metrics
from nqbench.common.metrics import SCORE_NAME
from nqbench.common.printable import printable
from nqbench.common.units import amount, factor, is_time, thousands
from nqbench.common.vocabulary import combination
from nqbench.plugins.declared import SENTENCES, declared
from nqbench.summary.measured import Measured
from nqbench.summary.observed import PAIR
from nqbench.summary.shared import Coverage

P = ParamSpec("P")


class Fact:
    """What records show: the values that a function writes a sentence from, by the names of its
    parameters. `kind` is the name of that function, which `str` calls.
    """

    def __init__(self, write: Callable[P, str], *values: P.args, **named: P.kwargs) -> None:
        self.kind = write.__name__
        self.values = signature(write).bind(*values, **named).arguments
        self._write = partial(write, *values, **named)

    def __str__(self) -> str:
        return self._write()


LONGEST: Final = 186
"""Characters of a sentence: two lines of 100, less the space lost at line breaks."""

MOST_NAMED: Final = 4
_LONGEST_NAME: Final = 60


def combination_names(table: pl.DataFrame) -> list[str]:
    """The names of the combinations in a table with the columns of `PAIR`, in its order."""
    return [short(combination(*pair)) for pair in table.select(PAIR).rows()]


def short(name: str) -> str:
    """A name, cut off if it is too long for a sentence."""
    return printable(name, _LONGEST_NAME)


def joined(items: Sequence[str]) -> str:
    """The parts as a list in a sentence: a, b and c."""
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


def listed(items: Sequence[str], max_names: int) -> str:
    """The first parts as a list, and how many more there are: a, b and 2 more."""
    hidden = len(items) - max_names
    return joined([*items[:max_names], f"{thousands(hidden)} more"] if hidden > 0 else items)


def some_others(number: int, others: int) -> str:
    """So many of all others, in words.

    >>> some_others(1, 1), some_others(2, 2), some_others(3, 3), some_others(2, 5)
    ('the other one', 'both others', 'all 3 others', '2 of 5 others')
    """
    if number == others:
        every = {1: "the other one", 2: "both others"}
        return every.get(number, f"all {thousands(number)} others")
    return f"{thousands(number)} of {thousands(others)} others"


def decided_in_words(
    verdicts: tuple[int, int, int],
    others: int,
    faster: str,
    undecided_with: str = "",
    it: str = "it",
) -> str:
    """How many of all others are slower than the first one, which is called `it`, faster, and
    undecided, in words.

    >>> decided_in_words((2, 0, 1), 3, "faster")
    'it is typically faster than 2 of 3 others; 1 is undecided'
    >>> decided_in_words((0, 0, 2), 2, "faster", " with 5 boards")
    'both others are undecided with 5 boards'
    """
    slower, better, undecided = verdicts
    words = []
    if slower:
        words.append(f"{it} is typically {faster} than {some_others(slower, others)}")
    for number, what in ((better, f"typically {faster} than {it}"), (undecided, "undecided")):
        if number:
            whose = thousands(number) if words else some_others(number, others)
            words.append(f"{whose} {'is' if number == 1 else 'are'} {what}")
    return "; ".join(words) + (undecided_with if undecided else "")


def fit_names(sentence: Callable[[int], str]) -> str:
    """The sentence with as many names as fit: at least one, at most `MOST_NAMED`."""
    candidates = (sentence(max_names) for max_names in range(MOST_NAMED, 1, -1))
    return next((text for text in candidates if len(text) <= LONGEST), sentence(1))


def count_pairs(runs: pl.DataFrame) -> dict[str, int]:
    """The number of these runs for each combination, most first."""
    most = runs.group_by(PAIR).len().sort("len", *PAIR, descending=[True, False, False])
    return dict(zip(combination_names(most), most["len"], strict=True))


def with_names(before: str, names: Sequence[str], after: str = ".") -> str:
    """The sentence with as many of these names between both parts as fit."""
    return fit_names(lambda max_names: f"{before}{listed(names, max_names)}{after}")


def counts(subject: str, whose: Mapping[str, int]) -> str:
    """The number for each combination, in a sentence."""
    numbers = [f"{name} ({thousands(count)})" for name, count in whose.items()]
    return with_names(f"{subject}: ", numbers)


_SILLY: Final = 1000
"""A larger estimate only means that there is almost no difference."""


def needed_range(needed: Sequence[tuple[float, float]], units: int) -> str:
    """The estimated number of units of evidence that decides all of these, as a range. There are so
    many `units` now.
    """
    # An estimate is always more than the units that there are, and so has the bound to be.
    silly = max(_SILLY, 10 ** len(str(units)))
    low, high = (max(ends) for ends in zip(*needed, strict=True))
    if low >= silly:
        return f"more than {thousands(silly)}"
    if high >= silly:
        return f"at least {_round_up(low)}"
    return " to ".join(dict.fromkeys(map(_round_up, (low, high))))


def _round_up(number: float) -> str:
    """A number with two digits."""
    step = 10 ** max(len(str(int(number))) - 2, 0)
    return thousands(math.ceil(number / step) * step)


@dataclass(frozen=True, slots=True)
class Phrases:
    """The words for a metric, and for the `problem` that is measured; a unit of evidence is such a
    problem, or a group of them. `worse` is said of a number of problems, `times_as` follows a
    ratio, and `par2` is PAR-2, with the problems that it is of if these are not all. Times have so
    many `digits`.
    """

    problem: str
    unit: str
    metric: str
    least: str
    faster: str
    worse: str
    takes: str
    times_as: str
    par2: str
    digits: int = 3

    @classmethod
    def of(cls, problem: str, unit: str, metric: str, coverage: Coverage, digits: int = 3) -> Self:
        """The words for these nouns and this metric."""
        noun, par2 = metrics.noun(metric), SCORE_NAME
        if coverage.common < coverage.measured:
            share = f"{thousands(coverage.common)} of {thousands(coverage.measured)}"
            par2 += f" of the {share} {problem}s that all were measured on"
        if is_time(metric):
            least = f"Least average {noun}"
            times = ("faster", "slower", "takes", "long")
            return cls(problem, unit, metric, least, *times, par2, digits)
        least, better = f"Fewest {noun} on average", f"better, with fewer {noun}"
        return cls(problem, unit, metric, least, better, "more", "needs", f"many {noun}", par2)

    def cost(self, par2: float) -> str:
        """An average cost."""
        return amount(par2, self.metric, self.digits)

    def longer(self, ratio: float) -> str:
        """What takes so many times as long.

        >>> Phrases("board", "board", "solve_s", "", "", "", "takes", "long", "").longer(2.5)
        'takes 2.5 times as long'
        """
        return f"{self.takes} {factor(ratio)} times as {self.times_as}"


def interval(low: float | None, high: float | None) -> str:
    """The ends of an interval; empty if neither is known, or if they look the same.

    >>> interval(0.713, 1.4), interval(None, 2.0), interval(1.5, None), interval(None, None)
    ('0.71 to 1.4', 'at most 2.0', 'at least 1.5', '')
    """
    if low is None or high is None:
        known = (("at least", low), ("at most", high))
        return "".join(f"{word} {factor(end)}" for word, end in known if end is not None)
    ends = factor(low), factor(high)
    return "" if ends[0] == ends[1] else " to ".join(ends)


def in_brackets(*parts: str, separator: str = ", ") -> str:
    """These parts in brackets, with a space before; empty if all are.

    >>> in_brackets("", "on 3 of 4"), in_brackets("", "")
    (' (on 3 of 4)', '')
    """
    text = separator.join(filter(None, parts))
    return f" ({text})" if text else ""


def on(count: int, problems: int) -> str:
    """On how many problems something holds."""
    return f"on {thousands(count)} of {thousands(problems)}"


def added(measured: Measured) -> list[str]:
    """What add-ons say of these records."""
    return [
        sentence
        for entry in declared(SENTENCES).values()
        for sentence in entry.load()(measured.records)
    ]
