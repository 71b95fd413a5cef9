"""What formats of rows have in common: a header with counts, comments, rows of words; and errors
that name the line.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses import words
from nqbench.clauses.comment_lines import Annotations
from nqbench.clauses.constraints import Formula
from nqbench.clauses.definitions import SoftClauses
from nqbench.clauses.dimacs import Counts, difference
from nqbench.clauses.dimacs_flaws import ADD_HEADER, LARGEST, beyond, correct_header, shown
from nqbench.clauses.rows import Integers
from nqbench.clauses.stated_rows import StatedRows
from nqbench.clauses.stated_text import StatedObjective, StatedText
from nqbench.clauses.words import Words
from nqbench.common.errors import InputError, Place

_OBJECTIVE: Final = re.compile(rb"\s*(min|max)[ \t]*:([^;]*;?)")
_NOT_NEWLINE: Final = re.compile(rb"[^\n]")

_WORD: Final = re.compile(rb"[+-]?\d+|~?x\d+|[<>]?=|\S")


HEADER: Final = -2
"""In place of the number of a word: the header."""


class WordError(ValueError):
    """A word that has no place where it is. `reason` says why; `{word}` in it is the word, and
    `{line}` its line. A reader needs no reason if another one reads the text after it.
    """

    def __init__(self, word: int | np.intp, reason: str = "") -> None:
        super().__init__(reason)
        self.word = int(word)
        self.reason = reason


class ParsedRows(NamedTuple):
    """The rows in a text, the number of the first word of each, and which words are literals; and
    what else it has: soft clauses; and what to know of how it was read.
    """

    rows: StatedRows
    firsts: NDArray[np.intp]
    is_literal: NDArray[np.bool_]
    soft: SoftClauses | None = None
    note: str = ""

    def held(self, objective: StatedObjective | None) -> Counts:
        """The numbers of variables and rows."""
        rows = len(self.rows.lengths)
        largest = [self.rows.largest_variable]
        if objective is not None and len(objective.literals):
            largest.append(int(np.abs(objective.literals).max()))
        if self.soft is not None:
            rows += len(self.soft.lengths)
            largest.append(int(np.abs(self.soft.literals).max(initial=0)))
        return Counts(max(largest), rows)


@dataclass(frozen=True, slots=True)
class RowFormat:
    """A format of files.

    `any_header` finds the line of the header as its group, and `header` matches one that is right:
    its groups are the counts, and perhaps more. If it `needs_header`, a text without one is wrong.
    `comment` begins the lines of comments. `table` has the kinds of characters, see
    `words.kinds_of`. `parse` is given the match of the header as well, if there is one, and raises
    `WordError` for a word in the wrong place. `explain` says what is wrong with a word that is
    none, from the word and its line. `write` writes a formula to a file. If it is not `is_counted`,
    a missing or wrong header is only worth a note, as it is to most solvers.
    """

    name: str
    expected: str
    header: re.Pattern[bytes]
    table: bytes
    parse: Callable[[Words, re.Match[bytes] | None], ParsedRows]
    explain: Callable[[bytes, bytes], str]
    write: Callable[[Formula, BinaryIO, Annotations], None]
    any_header: re.Pattern[bytes] = re.compile(rb"^([ \t\v\f]*p\b.*)$", re.MULTILINE)
    comment: bytes = b"c"
    needs_header: bool = True
    is_counted: bool = True
    parse_objective: Callable[[Words, bool], StatedObjective] | None = None
    """Returns the objective of the words up to its ;, and whether it is to be maximised."""


class RowText:
    """The text of a file of rows, read. Raises `InputError` if it is not in its format."""

    def __init__(self, form: RowFormat, data: bytes, source: str) -> None:
        self._format, self._source = form, source
        header = form.any_header.search(data)
        self._first_line = data.count(b"\n", 0, header.start(1)) + 1 if header else 1
        self.stated = self._counts(header[1]) if header else None
        # Before the header are only comments: so the format was recognised.
        self._body = data[header.end() :] if header else data
        if form.comment in self._body:
            # Their lines stay, so that the numbers of lines are right.
            comments = re.compile(rb"^[ \t\v\f]*" + re.escape(form.comment) + rb".*$", re.MULTILINE)
            self._body = comments.sub(b"", self._body)
        objective = self._take_objective(form)
        self._words = self._split()
        try:
            match = form.header.fullmatch(header[1]) if header else None
            self._parsed = form.parse(self._words, match)
        except WordError as error:
            raise self._of_word(error) from None
        self._objective = objective
        self.note = self._parsed.note
        self.held = self._parsed.held(self._objective)

    def _split(self) -> Words:
        split = words.split(self._body, self._format.table)
        if split.mistake is not None:
            raise self._of_mistake(split.mistake)
        return split

    def _take_objective(self, form: RowFormat) -> StatedObjective | None:
        """The objective before the rows, of which only the lines are left in the text then; None if
        there is none.
        """
        match = _OBJECTIVE.match(self._body) if form.parse_objective else None
        if match is None or form.parse_objective is None:
            return None
        # The places of words stay, so that errors name the right line.
        whole, (start, end) = self._body, match.span(2)
        self._body = _NOT_NEWLINE.sub(b" ", whole[:start]) + whole[start:end]
        try:
            objective = form.parse_objective(self._split(), match[1] == b"max")
        except WordError as error:
            raise self._of_word(error) from None
        self._body = _NOT_NEWLINE.sub(b" ", whole[:end]) + whole[end:]
        return objective

    @property
    def is_miscounted(self) -> bool:
        """Whether the header is missing, or its counts are not those of the rows."""
        if self.stated is None:
            return self._format.needs_header
        variables, rows = self.stated
        return self.held.variables > variables or self.held.clauses != rows

    def difference(self) -> str:
        """How the header differs from what the text holds, in words."""
        return difference(self.stated, self.held, "constraint")

    def miscounted(self) -> InputError:
        """The error about the header."""
        if self.stated is None:
            expected = self._format.expected
            return self._error(1, f"expected '{expected}' first: {ADD_HEADER}")
        about = ""
        if self.held.variables > self.stated.variables:
            values = np.where(self._parsed.is_literal, self._words.values, 0)
            is_beyond = np.abs(values) > self.stated.variables
            first = int(np.argmax(is_beyond))
            about = " (in the objective)"
            if is_beyond.any():
                about = f" (literal {values[first]} in line {self._line_of(self._position(first))})"
        is_short = self.held.clauses < self.stated.clauses
        reason = f"{self.difference()}{about}: {correct_header(is_short=is_short)}"
        return self._error(self._first_line, reason)

    def statement(self) -> StatedText:
        """What the text states, with the variables of the header, and all that occur."""
        variables = self.held.variables
        if self.stated:
            variables = max(variables, self.stated.variables)
        return StatedText(variables, self._parsed.rows, self._objective, self._parsed.soft)

    def _counts(self, line: bytes) -> Counts:
        numbers = self._format.header.fullmatch(line)
        if numbers is None:
            reason = f"expected '{self._format.expected}', two whole numbers"
        elif len(numbers[1]) > 18 or len(numbers[2]) > 18 or int(numbers[1]) > LARGEST:
            reason = f"solvers take at most {LARGEST} variables"
        else:
            return Counts(int(numbers[1]), int(numbers[2]))
        raise self._error(self._first_line, f"the header is '{shown(line.strip())}', but {reason}")

    def _of_mistake(self, position: int) -> InputError:
        word = self._word_at(position)
        line = self._line_at(position).strip()
        return self._error(self._line_of(position), self._format.explain(word, line))

    def _of_word(self, error: WordError) -> InputError:
        if error.word == HEADER:
            return self._error(self._first_line, error.reason)
        # Of an objective without any word, the last of its words is -1.
        position = self._position(error.word) if error.word >= 0 else len(self._body)
        word = _WORD.match(self._body, position)
        line = shown(self._line_at(position).strip())
        reason = error.reason.replace("{word}", shown(word[0], 24) if word else "")
        reason = reason.replace("{line}", line)
        return self._error(self._line_of(position), reason)

    def _position(self, word: int) -> int:
        return words.position(self._body, self._format.table, word)

    def _line_of(self, position: int) -> int:
        return self._first_line + self._body.count(b"\n", 0, position)

    def _line_at(self, position: int) -> bytes:
        start = self._body.rfind(b"\n", 0, position) + 1
        end = self._body.find(b"\n", position)
        return self._body[start : end if end >= 0 else None]

    def _word_at(self, position: int) -> bytes:
        """The characters without blanks around this position, or before it if a blank is there."""
        start = self._body.rfind(b"\n", 0, position) + 1
        end = len(self._line_at(position)) + start
        for word in re.finditer(rb"\S+", self._body[start:end]):
            if start + word.end() >= position:
                return word[0]
        return self._line_at(position).strip()

    def _error(self, line: int, reason: str) -> InputError:
        return InputError(reason, place=Place(self._source, line))


def ends_and_starts(is_end: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The places where rows end, and where each begins."""
    ends = np.flatnonzero(is_end)
    return ends, np.concatenate([[0], ends[:-1] + 1]).astype(np.intp)[: len(ends)]


def check_literals(values: Integers, is_literal: NDArray[np.bool_]) -> None:
    """Raise `WordError` for the first literal beyond the largest variable."""
    large = is_literal & ((values > LARGEST) | (values < -LARGEST))
    if large.any():
        raise WordError(
            np.argmax(large),
            beyond("{word}"),
        )
