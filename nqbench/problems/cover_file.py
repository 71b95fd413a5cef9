"""Exact covers in Knuth's text format, as his programs DLX1 and XCC1 read it, without colours.

Lines that start with `|`, and empty ones, are comments. The first other line lists the primary
items and, after a `|`, the secondary ones. Each further line is an option: the items that it
covers. Items are separated by spaces.
"""

import re
from collections.abc import Container, Iterator
from typing import Final, NamedTuple

from nqbench.errors import InputError
from nqbench.printable import printable
from nqbench.problems.exact_cover import ExactCover

_LONGEST_SHOWN: Final = 40


class _Word(NamedTuple):
    """A word and its place in the file."""

    text: str
    line: int
    column: int


class _WordError(Exception):
    """What is wrong with the word at a place."""

    def __init__(self, word: _Word, what: str) -> None:
        shown = f"'{printable(word.text, _LONGEST_SHOWN)}'"
        super().__init__(f"line {word.line}, column {word.column}: {what.format(shown)}")


def parse(text: str, source: str, name: str = "") -> ExactCover:
    """Parse the text of a file. Raises `InputError`."""
    lines = _lines(text)
    first = next(lines, None)
    if first is None:
        raise InputError(f"{source}: no items: expected the names of the items on the first line")
    try:
        primary, secondary = _items(first)
        options = tuple(_option(words, primary, secondary) for words in lines)
    except _WordError as error:
        raise InputError(f"{source}, {error}") from error
    if not options:
        raise InputError(f"{source}: no options: expected one per line, as the items it covers")
    return ExactCover(tuple(primary), tuple(secondary), options, name)


def _lines(text: str) -> Iterator[Iterator[_Word]]:
    """Yield the words of each line that is not a comment, one by one: a line can be long."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("|"):
            yield _words(line, number)


def _words(line: str, number: int) -> Iterator[_Word]:
    for found in re.finditer(r"\S+", line):
        yield _Word(found[0], number, found.start() + 1)


def _items(words: Iterator[_Word]) -> tuple[dict[str, None], dict[str, None]]:
    """The names of the primary and the secondary items, in their order."""
    primary: dict[str, None] = {}
    secondary: dict[str, None] = {}
    into = primary
    for word in words:
        if word.text == "|" and into is secondary:
            raise _WordError(word, "a second {}: expected one, before the secondary items")
        if word.text == "|":
            into = secondary
        elif re.search("[|:]", word.text) or not word.text.isprintable():
            raise _WordError(word, "{} is not an item: expected a name without | and :")
        elif word.text in primary or word.text in secondary:
            raise _WordError(word, "item {} is listed twice")
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
            raise _WordError(
                word, "{} has a colour: expected an item, since colours are not supported"
            )
        if word.text not in primary and word.text not in secondary:
            raise _WordError(word, "unknown item {}: expected items of the first line")
        if word.text in names:
            raise _WordError(word, "item {} is twice in this option")
        names[word.text] = word
    if not any(name in primary for name in names):
        first = next(iter(names.values()))
        raise _WordError(first, "{} begins an option without a primary item: add one to it")
    return tuple(names)
