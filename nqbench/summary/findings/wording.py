"""Words that several findings share."""

from collections.abc import Callable, Sequence
from typing import Final

import polars as pl

from nqbench.printable import printable
from nqbench.summary.observed import PAIR
from nqbench.summary.over_instances import has_boards
from nqbench.units import count, plural
from nqbench.vocabulary import combination

LONGEST: Final = 186
"""Characters of a sentence: two lines of 100, with what is lost where they break."""

MOST_NAMED: Final = 4
_LONGEST_NAME: Final = 60


def noun(records: pl.DataFrame) -> str:
    """What the records are about: boards, or formulas in files."""
    return "board" if has_boards(records) else "formula"


def counted(number: int, what: str, ending: str = "s") -> str:
    """How many of something: 1 crash, 2 crashes."""
    return f"{count(number)}\N{NO-BREAK SPACE}{plural(number, what, ending)}"


def names(table: pl.DataFrame) -> list[str]:
    """The combinations of a table with the columns of `PAIR`, in its order."""
    return [short(combination(*pair)) for pair in table.select(PAIR).rows()]


def short(name: str) -> str:
    """A name, cut off if it is too long for a sentence."""
    return printable(name, _LONGEST_NAME)


def joined(parts: Sequence[str]) -> str:
    """The parts as a list in a sentence: a, b and c."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def listed(parts: Sequence[str], shown: int) -> str:
    """The first parts as a list, and how many more there are: a, b and 2 more."""
    rest = len(parts) - shown
    return joined([*parts[:shown], f"{count(rest)} more"] if rest > 0 else parts)


def fitted(sentence: Callable[[int], str]) -> str:
    """A sentence with as many names, up to `MOST_NAMED` and at least one, as fit into it."""
    tried = (sentence(shown) for shown in range(MOST_NAMED, 1, -1))
    return next((text for text in tried if len(text) <= LONGEST), sentence(1))


def factor(ratio: float) -> str:
    """A ratio in two digits.

    >>> factor(0.213), factor(1.96), factor(99.7), factor(1234).split()
    ('0.21', '2.0', '100', ['1', '234'])
    """
    if ratio < 0.995:
        return f"{ratio:#.2g}"
    return f"{ratio:.1f}" if ratio < 9.95 else count(round(ratio))
