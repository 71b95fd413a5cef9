"""Reads a file of constraints for the judge, and checks models against it.

This shares no code with the readers that encoders get their rows from, so that a mistake in one of
the two shows. It is written to be believed: word by word, and four formats only.

DIMACS CNF      clauses, each ended by 0.
KNF             the same below `p knf`; `k 3 1 -2 4 0` is at least 3 of these literals.
CNF+            the same below `p cnf+`; `1 2 3 <= 1` is at most 1, `1 2 3 >= 2` at least 2.
OPB             `+1 x1 -2 ~x2 >= 1 ;`, and the same with `<=` and `=`; `*` begins a comment.

A literal that a row has twice counts twice. An objective is not read: it makes no model wrong.
"""

import contextlib
import hashlib
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import Assignment
from nqbench.common.errors import InputError

_RELATIONS: Final = {b"<=": -1, b"=": 0, b">=": 1}
_IN_WORDS: Final = {-1: "at most", 0: "exactly", 1: "at least"}

_HEADER: Final = re.compile(rb"\s*p\s+(cnf|cnf\+|knf)\s+(\d{1,18})\s+(\d{1,18})\s*")
_OPB_HEADER: Final = re.compile(rb"\*\s*#variable=\s*(\d{1,18})\s+#constraint=\s*(\d{1,18})\b")
_OPB_LITERAL: Final = re.compile(rb"~?x\d+")
_LARGEST_VARIABLE: Final = 2**31 - 1
_LARGEST_SUM: Final = 2.0**62

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class FileRows:
    """The rows of a file. Row r begins in line `lines[r]` of the file and has the literals
    `starts[r]` to `starts[r + 1]` - 1. The weights of those that are true sum up to at most, to
    exactly or to at least `bounds[r]`, as `relations[r]` is -1, 0 or 1.
    """

    num_variables: int
    lines: Integers
    starts: Integers
    literals: Integers
    weights: Integers
    relations: Integers
    bounds: Integers

    def digest(self) -> str:
        """A hash of the rows, 32 hexadecimal digits."""
        arrays = (self.starts, self.literals, self.weights, self.relations, self.bounds)
        digest = hashlib.blake2b(str(self.num_variables).encode(), digest_size=16)
        for array_of_rows in arrays:
            digest.update(str(len(array_of_rows)).encode())
            digest.update(np.ascontiguousarray(array_of_rows, dtype=np.int64).data)
        return digest.hexdigest()

    def broken_by(self, model: Assignment) -> str | None:
        """The first row that the model breaks, by its line; None if there is none.

        Raises `ValueError` unless the model has shape (num_variables,).
        """
        if model.shape != (self.num_variables,):
            raise ValueError(f"got values of shape {model.shape}, expected ({self.num_variables},)")
        values = model[np.abs(self.literals) - 1]
        is_true = np.where(self.literals > 0, values, ~values)
        before = np.concatenate([[0], np.cumsum(np.where(is_true, self.weights, 0))])
        sums = before[self.starts[1:]] - before[self.starts[:-1]]
        too_small = (sums < self.bounds) & (self.relations >= 0)
        too_large = (sums > self.bounds) & (self.relations <= 0)
        broken = np.flatnonzero(too_small | too_large)
        if not len(broken):
            return None
        row = int(broken[0])
        asked = f"{_IN_WORDS[int(self.relations[row])]} {self.bounds[row]}"
        return f"the model breaks line {self.lines[row]}: it has {sums[row]}, not {asked}"


def read_rows(lines: Iterable[bytes], *, lenient: bool = False) -> FileRows:
    """The rows of a file, which is given line by line. With `lenient`, the numbers in its header
    may be wrong. Raises `InputError`, which names the line, if they are in none of the four
    formats.
    """
    reader = _Reader(lines, lenient)
    try:
        return reader.read()
    except (ValueError, OverflowError) as error:
        raise InputError(f"line {reader.line}: {error}") from error


class _Reader:
    def __init__(self, lines: Iterable[bytes], lenient: bool) -> None:
        self.line = 0
        self._lenient = lenient
        self._lines = iter(lines)
        self._stated: tuple[int, int] | None = None  # the numbers of variables and rows
        # For each row its line, the end of its literals, its relation, and its bound:
        self._rows = array("q")
        # For each literal its weight and itself:
        self._terms = array("q")

    def read(self) -> FileRows:
        for line in self._numbered():
            if header := _HEADER.fullmatch(line):
                self._stated = int(header[2]), int(header[3])
                self._read_dimacs(header[1])
                break
            if header := _OPB_HEADER.match(line):
                self._stated = int(header[1]), int(header[2])
                self._read_opb()
            elif not line.strip() or line.lstrip().startswith(b"c"):
                continue
            elif line.split()[0] == b"p":
                raise ValueError("expected 'p cnf', 'p cnf+' or 'p knf', and two numbers")
            else:
                self._lines = chain([line], self._lines)
                self.line -= 1
                self._read_opb()
        rows = np.array(self._rows, dtype=np.int64).reshape(-1, 4).T
        weights, literals = np.array(self._terms, dtype=np.int64).reshape(-1, 2).T
        largest = int(np.abs(literals).max(initial=0))
        num_variables, count = self._stated or (largest, rows.shape[1])
        if self._lenient:
            num_variables, count = max(num_variables, largest), rows.shape[1]
        if largest > min(num_variables, _LARGEST_VARIABLE) or not literals.all():
            raise ValueError(f"a variable is 0, or beyond {num_variables}")
        if rows.shape[1] != count:
            raise ValueError(f"the file has {rows.shape[1]} rows, and its header states {count}")
        if np.abs(weights.astype(float)).sum() > _LARGEST_SUM:
            raise ValueError("the weights are too large to be added up")
        starts = np.concatenate([[0], rows[1]])
        return FileRows(num_variables, rows[0], starts, literals, weights, rows[2], rows[3])

    def _numbered(self) -> Iterator[bytes]:
        for line in self._lines:
            self.line += 1
            yield line

    def _add(self, line: int, terms: Sequence[int], relation: int, bound: int) -> None:
        self._terms.extend(terms)
        self._rows.extend((line, len(self._terms) // 2, relation, bound))

    def _read_dimacs(self, form: bytes) -> None:
        clause: list[int] = []
        begin = 0
        for line in self._numbered():
            words = line.split()
            if not words or words[0].startswith(b"c"):
                continue
            if words[0] == b"%" and not clause:
                return
            if form == b"knf" and words[0] == b"k" and not clause:
                bound, *literals, end = _integers(words[1:]) if len(words) > 2 else (0, 0, 0)
                if end or 0 in literals:
                    raise ValueError("expected 'k', a bound, literals, and one 0 at the end")
                self._add(self.line, _unweighted(literals), 1, bound)
            elif form == b"cnf+" and words[-2:-1] in ([b"<="], [b">="]) and not clause:
                *literals, bound = _integers([*words[:-2], words[-1]])
                self._add(self.line, _unweighted(literals), _RELATIONS[words[-2]], bound)
            else:
                for literal in _integers(words):
                    begin = begin if clause else self.line
                    clause.append(literal)
                    if not literal:
                        self._add(begin, _unweighted(clause[:-1]), 1, 1)
                        clause = []
        if clause:
            raise ValueError("the last clause does not end with 0")

    def _read_opb(self) -> None:
        row: list[bytes] = []
        begin = 0
        for line in self._numbered():
            if line.lstrip().startswith(b"*"):
                continue
            for word in line.replace(b";", b" ; ").split():
                begin = begin if row else self.line
                row.append(word)
                if word == b";":
                    if row[0] not in (b"min:", b"max:"):
                        self._add_opb_row(begin, row)
                    row = []
        if row:
            raise ValueError("the last row does not end with ';'")

    def _add_opb_row(self, begin: int, row: Sequence[bytes]) -> None:
        *words, relation, bound, _ = row if len(row) > 2 else [b""] * 3
        if relation not in _RELATIONS or len(words) % 2:
            raise ValueError(
                "expected weights and literals in turn, '>=', '<=' or '=', and a bound"
            )
        if not all(map(_OPB_LITERAL.fullmatch, words[1::2])):
            raise ValueError(f"expected literals like x1 and ~x1, not {_shown(words[1::2])}")
        words[1::2] = [word.replace(b"~x", b"-").lstrip(b"x") for word in words[1::2]]
        *terms, number = _integers([*words, bound])
        self._add(begin, terms, _RELATIONS[relation], number)


def _unweighted(literals: Sequence[int]) -> list[int]:
    terms = [1] * (2 * len(literals))
    terms[1::2] = literals
    return terms


def _integers(words: Sequence[bytes]) -> list[int]:
    # Python would read 1_0 as ten.
    if b"_" not in b"".join(words):
        with contextlib.suppress(ValueError):
            return list(map(int, words))
    raise ValueError(f"expected whole numbers, not {_shown(words)}")


def _shown(words: Sequence[bytes]) -> str:
    return "'" + b" ".join(words)[:40].decode("ascii", errors="backslashreplace") + "'"
