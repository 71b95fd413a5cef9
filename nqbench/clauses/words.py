"""Splits the text of a file of constraints into words, a piece at a time.

A word is a number, a name such as x12 or ~x12, a relation, or one of the characters ; k h. Which
characters a format has is one table; which may follow which is the same in all.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[Any]
"""int64, or objects that are Python's integers where 64 bits may not do."""

(BLANK, NEWLINE, DIGIT, SIGN, NOT, NAME, LESS, MORE, EQUALS, END, CARDINALITY, OTHER) = range(12)
"""The kinds of characters. That of the first one says what a word is."""

_KINDS: Final = 12
_PIECE: Final = 1 << 16
_BAD, _INSIDE, _START = range(3)

_SPELLED: Final = {
    "-": SIGN,
    "+": SIGN,
    "~": NOT,
    "x": NAME,
    "<": LESS,
    ">": MORE,
    "=": EQUALS,
    ";": END,
    "k": CARDINALITY,
    "h": CARDINALITY,
    "\n": NEWLINE,
}
_CONTINUED: Final = (
    *((SIGN, DIGIT), (DIGIT, DIGIT), (NOT, NAME), (NAME, DIGIT)),
    *((LESS, EQUALS), (MORE, EQUALS)),
)
"""Kinds of two neighbours in one word."""

_STARTED: Final = {
    BLANK: (NEWLINE, DIGIT, SIGN, NOT, NAME, LESS, MORE, EQUALS, END, CARDINALITY),
    NEWLINE: (NEWLINE, DIGIT, SIGN, NOT, NAME, LESS, MORE, EQUALS, END, CARDINALITY),
    DIGIT: (NEWLINE, LESS, MORE, EQUALS, END),
    EQUALS: (NEWLINE, DIGIT, SIGN),
    END: (NEWLINE, DIGIT, SIGN),
    CARDINALITY: (NEWLINE,),
}
"""Kinds with which a word may begin after a character of each kind."""


def _steps() -> NDArray[np.uint8]:
    """What each pair of neighbours is: a mistake, the inside of a word, or the start of one."""
    steps = np.zeros((_KINDS, _KINDS), np.uint8)
    for before, kinds in _STARTED.items():
        steps[before, BLANK] = _INSIDE
        steps[before, kinds] = _START
    for pair in _CONTINUED:
        steps[pair] = _INSIDE
    return steps.reshape(-1)


_STEPS: Final = _steps()

_EDGES: Final = {2**63 - 1, -(2**63)}
"""What NumPy reads in place of numbers that need more than 64 bits."""

MOST_DIGITS: Final = 4000
"""The digits of the longest number that is read: Python's own limit is a little larger."""

_TOO_LONG: Final = re.compile(rb"[+-]?\d{%d}" % (MOST_DIGITS + 1))

# A name becomes a number of the same length: ~x12 is -012.
_NUMBERS: Final = bytes(
    c if chr(c) in "0123456789+-" else {"~": ord("-"), "x": ord("0")}.get(chr(c), ord(" "))
    for c in range(256)
)


def kinds_of(characters: str) -> bytes:
    """The kind of each character, as a table for `bytes.translate`: blanks, digits and `characters`
    are what a format has. Newlines are blanks unless they are among these.
    """
    return bytes(
        _SPELLED[chr(c)]
        if chr(c) in characters
        else DIGIT
        if ord("0") <= c <= ord("9")
        else BLANK
        if c in b" \t\v\f\r\n"
        else OTHER
        for c in range(256)
    )


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text up to the first mistake: the kind of the first character of each, and the
    value of each number and name, 0 for other words. Values are int64, or Python's integers if one
    needs more. `mistake` is the position of the character that fits in no word.
    """

    kinds: NDArray[np.uint8]
    values: Integers
    mistake: int | None


def split(text: bytes, table: bytes) -> Words:
    """Return the words of a text."""
    kinds: list[NDArray[np.uint8]] = []
    values: list[Integers] = []
    mistake = None
    for start, stop in _pieces(text):
        piece = text[start:stop]
        steps, characters = _steps_of(piece, table)
        if not steps.all():
            bad = int(np.argmin(steps))
            mistake = start + min(bad, len(piece) - 1)
            # Up to the last word that began before it, which may be the wrong one.
            begun = np.flatnonzero(steps[:bad] == _START)
            last = int(begun[-1]) if len(begun) else 0
            piece, steps, characters = piece[:last], steps[:last], characters[:last]
        found = characters[steps[: len(piece)] == _START]
        numbers: Integers = np.zeros(len(found), np.int64)
        is_number = (found >= DIGIT) & (found <= NAME)
        if is_number.any():
            spelled = piece.translate(_NUMBERS)
            numbers[is_number] = np.fromstring(spelled, np.int64, sep=" ")
            if not _EDGES.isdisjoint((int(numbers.max()), int(numbers.min()))):
                if too_long := _TOO_LONG.search(spelled):
                    mistake, spelled = start + too_long.start(), spelled[: too_long.start()]
                    count = int((steps[: too_long.start()] == _START).sum())
                    found, is_number = found[:count], is_number[:count]
                numbers = np.zeros(len(found), object)
                numbers[is_number] = list(map(int, spelled.split()))
        kinds.append(found)
        values.append(numbers)
        if mistake is not None:
            break
    if not kinds:
        return Words(np.zeros(0, np.uint8), np.zeros(0, np.int64), None)
    return Words(np.concatenate(kinds), np.concatenate(values), mistake)


def position(text: bytes, table: bytes, word: int) -> int:
    """Where the word of this number begins in the text, which has so many words."""
    seen = 0
    for start, stop in _pieces(text):
        steps, _ = _steps_of(text[start:stop], table)
        begins = np.flatnonzero(steps[:-1] == _START)
        if word < seen + len(begins):
            return start + int(begins[word - seen])
        seen += len(begins)
    return len(text)


def _pieces(text: bytes) -> list[tuple[int, int]]:
    """Where pieces begin and end that fit into the CPU cache, and end with a line."""
    pieces = []
    start = 0
    while start < len(text):
        stop = text.find(b"\n", start + _PIECE) + 1 or len(text)
        pieces.append((start, stop))
        start = stop
    return pieces


def _steps_of(piece: bytes, table: bytes) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """What each character is to the one before, and what a newline after the last would be; and the
    kinds of the characters.
    """
    kinds = np.frombuffer((b"\n" + piece + b"\n").translate(table), np.uint8)
    return _STEPS[kinds[:-1] * np.uint8(_KINDS) + kinds[1:]], kinds[1:-1]
