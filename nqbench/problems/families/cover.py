"""`cover`: any exact cover from a file in Knuth's format.

D. Knuth, The Art of Computer Programming, volume 4B, section 7.2.2.1. Choose options so that each
primary item is covered exactly once, and each secondary item at most once. The format is that of
his programs DLX1 and XCC1. Option (k,) is the line of the option
k, counted from 0. Equal lines are different options. Here item c is secondary:

Lines of a file that start with `|`, and empty ones, are comments. The first other line lists the
primary items and, after a `|`, the secondary ones. Each further line is an option: the items that
it covers. Items are separated by spaces, and have no colours.

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> from nqbench.problems.families.base import Family
>>> text = "a b | c\\na b\\na c\\nb c"
>>> (small,) = Family.named("cover").parsed(text, "small.cover", "small")
>>> print(dimacs.text(Encoding.named("pairwise").clauses(small)))
p cnf 3 5
1 2 0
1 3 0
-1 -2 0
-1 -3 0
-2 -3 0
"""

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import Rows
from nqbench.common.errors import InputError, Place, at
from nqbench.common.printable import printable
from nqbench.problems import choices
from nqbench.problems.base import Problem
from nqbench.problems.cover import by_length
from nqbench.problems.families.base import Family
from nqbench.problems.options import Box, Option
from nqbench.problems.picture import Cell, Picture, grid
from nqbench.problems.rules import Flags, Numbers, Rules

Names = tuple[str, ...]
"""The names of some items."""


@dataclass(frozen=True, slots=True)
class ExactCover(Problem):
    """Choose options so that each primary item is covered exactly once, and each secondary item at
    most once. Option (k,) covers the items `covering[k]`.
    """

    primary: Names
    secondary: Names
    covering: tuple[Names, ...]
    instance: str = ""
    family: str = "cover"
    n: None = None

    @property
    def options(self) -> Box:
        """The options (0,), (1,), ..."""
        return Box(len(self.covering))

    @property
    def has_choices(self) -> bool:
        return _has_choices(self)

    def constraints(self) -> Constraints:
        """The same items and options, without names."""
        variables_of: dict[str, list[int]] = {name: [] for name in (*self.primary, *self.secondary)}
        for variable, names in enumerate(self.covering, 1):
            for name in names:
                variables_of[name].append(variable)
        primary = by_length(variables_of[name] for name in self.primary)
        secondary = by_length(variables_of[name] for name in self.secondary)
        return Constraints.of(
            len(self.covering),
            *(Rows.exactly(items, 1) for items in primary),
            *(Rows.at_most(items, 1) for items in secondary),
        )

    def rules(self) -> Rules:
        """No two options name the same item. Each primary item is named."""
        place = {name: at for at, name in enumerate((*self.primary, *self.secondary))}
        # Shape (options, items), as numbers that can be multiplied fast.
        covers = np.zeros((len(self.covering), len(place)), dtype=np.float32)
        for option, own in enumerate(self.covering):
            covers[option, [place[name] for name in own]] = 1
        clashing = covers @ covers.T > 0

        def clash(one: Numbers, other: Numbers) -> Flags:
            clashes: Flags = clashing[one[0], other[0]]
            return clashes

        return Rules(self.options, clash, list(covers.T[: len(self.primary)] > 0))

    def violation(self, solution: Iterable[Option]) -> str | None:
        covered: dict[str, int] = {}
        for (k,) in solution:
            if not 0 <= k < len(self.covering):
                return f"there is no option {k}, only {len(self.covering)}"
            for name in self.covering[k]:
                if name in covered:
                    return f"item '{name}' is covered by options {covered[name]} and {k}"
                covered[name] = k
        missing = next((name for name in self.primary if name not in covered), None)
        return None if missing is None else f"item '{missing}' is not covered"

    def picture(self, solution: Iterable[Option]) -> Picture:
        """A row for each chosen option and a column for each item."""
        items = sorted({name for names in self.covering for name in names})
        chosen = [k for (k,) in solution]
        cells = {
            (row, items.index(name)): Cell(name, k)
            for row, k in enumerate(chosen)
            for name in self.covering[k]
        }
        return grid(f"{len(chosen)} options", max(1, len(chosen)), len(items), cells)

    def drawing(self, solution: Iterable[Option]) -> str:
        """The chosen options, one per line, as their items."""
        return "\n".join(" ".join(self.covering[k]) for (k,) in solution)


@lru_cache(maxsize=64)
def _has_choices(problem: ExactCover) -> bool:
    return choices.find(problem.constraints()) is not None


_LONGEST_SHOWN: Final = 40


class _Word(NamedTuple):
    """A word and its place in the file."""

    text: str
    line: int
    column: int


def _word_error(word: _Word, message: str) -> InputError:
    """What is wrong with the word at a place."""
    shown = f"'{printable(word.text, _LONGEST_SHOWN)}'"
    return InputError(message.format(shown), place=Place(line=word.line, column=word.column))


def parse(text: str, source: str, name: str = "") -> ExactCover:
    """Parse the text of a file. Raises `InputError`."""
    lines = _lines(text)
    first_line = next(lines, None)
    if first_line is None:
        raise InputError(
            "no items: expected the names of the items on the first line", place=Place(source)
        )
    with at(source):
        primary, secondary = _items(first_line)
        options = tuple(_option(words, primary, secondary) for words in lines)
    if not options:
        raise InputError(
            "no options: expected one per line, as the items it covers", place=Place(source)
        )
    return ExactCover(tuple(primary), tuple(secondary), options, name)


def _lines(text: str) -> Iterator[Iterator[_Word]]:
    """Yield the words of each line that is not a comment, one by one: a line can be long."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("|"):
            yield _words(line, number)


def _words(line: str, number: int) -> Iterator[_Word]:
    for match in re.finditer(r"\S+", line):
        yield _Word(match[0], number, match.start() + 1)


def _items(words: Iterator[_Word]) -> tuple[dict[str, None], dict[str, None]]:
    """The names of the primary and the secondary items, in their order."""
    primary: dict[str, None] = {}
    secondary: dict[str, None] = {}
    into = primary
    for word in words:
        if word.text == "|" and into is secondary:
            raise _word_error(word, "a second {}: expected one, before the secondary items")
        if word.text == "|":
            into = secondary
        elif re.search("[|:]", word.text) or not word.text.isprintable():
            raise _word_error(word, "{} is not an item: expected a name without | and :")
        elif word.text in primary or word.text in secondary:
            raise _word_error(word, "item {} is listed twice")
        else:
            into[word.text] = None
    return primary, secondary


def _option(
    words: Iterator[_Word], primary: Container[str], secondary: Container[str]
) -> tuple[str, ...]:
    """The items of an option."""
    names: dict[str, _Word] = {}
    for word in words:
        if ":" in word.text:
            raise _word_error(
                word, "{} has a colour: expected an item, since colours are not supported"
            )
        if word.text not in primary and word.text not in secondary:
            raise _word_error(word, "unknown item {}: expected items of the first line")
        if word.text in names:
            raise _word_error(word, "item {} is twice in this option")
        names[word.text] = word
    if not any(name in primary for name in names):
        first_word = next(iter(names.values()))
        raise _word_error(first_word, "{} begins an option without a primary item: add one to it")
    return tuple(names)


class ExactCovers(Family):
    """Exact covers in files."""

    meaning = "any exact cover in a file of Knuth's format"
    reference = "D. Knuth, TAOCP 4B, 7.2.2.1"
    problem = ExactCover
    has_sizes = False
    suffixes = (".cover", ".dlx")

    def parsed(self, text: str, source: str, name: str) -> list[Problem]:
        return [parse(text, source, name)]
