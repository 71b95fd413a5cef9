"""Sequences: queries with assumptions that one solver answers, and clauses that come between them.

Read from interaction files of IDRUP (`p icnf`: K. Fazekas, F. Pollitt, M. Fleury, A. Biere,
"Certifying incremental SAT solving", LPAR 2024) and from incremental CNF (`p inccnf`):

    i 1 2 0              a clause; without the letter as well
    q -3 0               a query with its assumptions; in incremental CNF, `a`
    s SATISFIABLE        its answer, or UNSATISFIABLE, or UNKNOWN
    m 1 -2 -3 0          its model; `v` are some values, `u` is a core, `f` some literals of one

nqbench's own recorders add comments: `c solver NAME` and `c lost: WHAT`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Several
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses import dimacs
from nqbench.clauses.cnf import CNF, Block
from nqbench.clauses.dimacs_flaws import LARGEST, beyond, flaw_of_whole, shown, word_flaw
from nqbench.common.errors import InputError, Place
from nqbench.common.printable import printable
from nqbench.common.vocabulary import Answer

MOST_QUERIES: Final = 10_000
"""A record keeps what was measured of so many."""

SOLVER, LOST = "solver", "lost:"
"""The first words of comments that recorders write."""

STATUS: Final = {
    "SATISFIABLE": Answer.SAT,
    "UNSATISFIABLE": Answer.UNSAT,
    "UNKNOWN": Answer.UNKNOWN,
}

_LITERALS: Final = re.compile(rb"(?:-?\d{1,10}\s+)*0\s*")
_HEADER: Final = re.compile(rb"p\s+(?:icnf|inccnf)\b.*")
_ANSWER_OF: Final = {b"m": Answer.SAT, b"v": Answer.SAT, b"u": Answer.UNSAT, b"f": Answer.UNSAT}


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """A query in `line` of its file: the clauses that were added since the one before it, and its
    assumptions. `said` is the answer in the file, if any; of `model` and `core` each literal is
    true and was assumed.
    """

    line: int
    added: tuple[Block, ...]
    assumptions: tuple[int, ...]
    said: Answer | None = None
    model: tuple[int, ...] | None = None
    core: tuple[int, ...] | None = None

    @property
    def num_added(self) -> int:
        """The number of clauses that were added."""
        return sum(map(len, self.added))


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """Queries, in order, on so many variables. `recorded_with` is the solver that answered them
    when they were recorded; empty if that is unknown.
    """

    num_variables: int
    queries: tuple[Query, ...]
    recorded_with: str = ""

    def clauses(self, first: int = 0, end: int | None = None) -> CNF:
        """The clauses that come before query `end`, without those before query `first`; by default
        all.
        """
        added = (block for query in self.queries[first:end] for block in query.added)
        return CNF(self.num_variables, 0, tuple(added))

    def place(self, number: int) -> str:
        """Which query this is, in words; the first is number 0."""
        return f"query {number + 1} (line {self.queries[number].line})"

    def shuffled(self, seed: int | Several[int]) -> tuple[Sequence, NDArray[np.int32]]:
        """The same with other names for its variables, and clauses and assumptions in another
        order; and for each literal of that, shape (2 num_variables + 1,), the original one.
        """
        random = np.random.default_rng(seed)
        names = (random.permutation(self.num_variables) + 1).astype(np.int32)
        renamed = np.concatenate([[0], names, -names[::-1]]).astype(np.int32)
        original = np.zeros_like(renamed)
        original[renamed] = [*range(len(names) + 1), *range(-len(names), 0)]

        def mixed(query: Query) -> Query:
            added = tuple(renamed[random.permutation(block)] for block in query.added)
            assumed = random.permutation(np.array(query.assumptions, np.int32))
            return replace(query, added=added, assumptions=tuple(renamed[assumed].tolist()))

        return replace(self, queries=tuple(map(mixed, self.queries))), original


@dataclass(slots=True)
class _Reader:
    """Reads the lines of a file, one after the other."""

    source: str
    largest: int = 0
    queries: list[Query] = field(default_factory=list)
    recorded_with: str = ""
    _flat: list[int] = field(default_factory=list)
    _ends: list[int] = field(default_factory=list)
    _line: int = 0
    _has_begun: bool = False
    _first_added: int = 0
    """The line of the first clause since the last query."""

    def read(self, lines: Iterable[bytes]) -> Sequence:
        """The sequence in these lines."""
        for self._line, line in enumerate(lines, 1):
            if words := line.strip():
                self._take(words)
        if not self.queries:
            raise InputError(f"{self.source} has no query: a line such as 'q -1 2 0'")
        return Sequence(self.largest, tuple(self.queries), self.recorded_with)

    def _take(self, line: bytes) -> None:
        letter = line[:1]
        if letter == b"c":
            self._take_comment(printable(line[1:].decode(errors="replace")).split())
        elif letter == b"s":
            self._take_status(printable(line[1:].decode(errors="replace")).strip())
        elif letter in b"-0123456789":
            self._take_clause(line)
        elif letter == b"i":
            self._take_clause(line[1:])
        elif letter in (b"q", b"a"):
            self._take_query(line[1:])
        elif letter in _ANSWER_OF:
            self._take_answer(letter, self._literals(line[1:]))
        elif not _HEADER.fullmatch(line):
            what = "is no clause, query or answer of 'p icnf' or 'p inccnf'"
            raise self._error(f"'{shown(line)}' {what}")
        elif self._has_begun:
            what = "is not at the beginning: are these several sequences?"
            raise self._error(f"'{shown(line)}' {what}")
        self._has_begun |= letter != b"c"

    def _take_comment(self, words: list[str]) -> None:
        if words[:1] == [LOST]:
            lost = " ".join(words[1:])
            raise self._error(f"the recording lacks what the format has not: {lost}")
        if words[:1] == [SOLVER]:
            self.recorded_with = " ".join(words[1:])

    def _take_clause(self, line: bytes) -> None:
        literals = self._literals(line)
        if not self._ends:
            self._first_added = self._line
        self._flat += (*literals, 0)
        self._ends.append(len(self._flat) - 1)

    def _take_query(self, line: bytes) -> None:
        if len(self.queries) == MOST_QUERIES:
            raise self._error(f"more than {MOST_QUERIES:,} queries")
        flat, ends = np.array(self._flat, np.int32), np.array(self._ends, np.intp)
        added = dimacs.from_flat(0, flat, ends).blocks
        self._flat, self._ends = [], []
        self.queries.append(Query(self._line, added, self._literals(line)))

    def _take_status(self, status: str) -> None:
        if status not in STATUS:
            raise self._error(f"'s {status}' is no status: write {', '.join(STATUS)}")
        query = self._last()
        if query.said is not None:
            raise self._error(f"a second answer to the query of line {query.line}")
        if self._ends:
            self._line = self._first_added
            raise self._error(f"a clause within the query of line {query.line}, before its answer")
        self._say(said=STATUS[status])

    def _take_answer(self, letter: bytes, literals: tuple[int, ...]) -> None:
        """Note what a file says of an answer, and what it cannot say."""
        query, name = self._last(), letter.decode()
        if query.said is not _ANSWER_OF[letter] or self._ends:
            raise self._error(f"'{name}' without an answer of its kind before it")
        given, assumed = set(literals), set(query.assumptions)
        if letter in (b"u", b"f"):
            if strange := [literal for literal in literals if literal not in assumed]:
                raise self._error(f"the core has {strange[0]}, which was not assumed")
        elif wrong := [v for v in literals if -v in given or -v in assumed]:
            raise self._error(f"the model has {wrong[0]}, against itself or an assumption")
        if name in "mu":
            what = "model" if name == "m" else "core"
            if getattr(query, what) is not None:
                raise self._error(f"a second {what} of the query of line {query.line}")
            self._say(**{what: literals})

    def _say(self, **what: object) -> None:
        self.queries[-1] = replace(self._last(), **what)  # type: ignore[arg-type]

    def _last(self) -> Query:
        if not self.queries:
            raise self._error("an answer before the first query")
        return self.queries[-1]

    def _literals(self, text: bytes) -> tuple[int, ...]:
        if not _LITERALS.fullmatch(text.strip()):
            raise self._error(_flaw_of_literals(text))
        literals = tuple(map(int, text.split()[:-1]))
        largest = max(map(abs, literals), default=0)
        if largest > LARGEST:
            raise self._error(f"variable {largest} is beyond {LARGEST}")
        if 0 in literals:
            raise self._error("0 is only the end of a line")
        self.largest = max(self.largest, largest)
        return literals

    def _error(self, reason: str) -> InputError:
        return InputError(reason, place=Place(self.source, self._line))


def read_sequence(data: bytes, source: str) -> Sequence:
    """The sequence in a file. Clauses after its last query are left out. Raises `InputError` with
    `source` and the line if something else is in it, such as a clause within a query, or what a
    recorder says that the format lacks.
    """
    if flaw := flaw_of_whole(data):
        raise InputError(f"{source} {flaw}")
    return _Reader(source).read(data.split(b"\n"))


def _flaw_of_literals(text: bytes) -> str:
    """What is wrong with words that are not literals and a 0."""
    for word in text.split():
        if not re.fullmatch(rb"-?\d+", word):
            return word_flaw(word, text.strip())
        if len(word) > len(f"-{LARGEST}"):
            return beyond(shown(word, 24))
    return "expected literals and 0, all in one line"


def icnf_lines(sequence: Sequence) -> Iterator[str]:
    """Yield the lines of the file `p icnf` of a sequence, with its answers."""
    yield "p icnf"
    if sequence.recorded_with:
        yield f"c {SOLVER} {sequence.recorded_with}"
    words = {answer: status for status, answer in STATUS.items()}
    for query in sequence.queries:
        for block in query.added:
            yield from (line("i", clause) for clause in block.tolist())
        yield line("q", query.assumptions)
        if query.said is not None:
            yield f"s {words[query.said]}"
        if query.model is not None:
            yield line("m", query.model)
        if query.core is not None:
            yield line("u", query.core)


def line(letter: str, literals: Iterable[int]) -> str:
    """A line of literals.

    >>> line("q", [-3, 1])
    'q -3 1 0'
    """
    return " ".join(map(str, (letter, *literals, 0)))
