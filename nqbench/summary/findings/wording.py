"""Words that several findings share."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import polars as pl

from nqbench.common.printable import printable
from nqbench.common.units import thousands
from nqbench.common.vocabulary import combination
from nqbench.summary.observed import PAIR

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
