"""Reads a file of constraints for the judge, which checks models against it.

This shares no code with the readers that encoders get their rows from, so that a mistake in one of
the two shows: see `measure.readings`. It is written to be believed: five formats only.

DIMACS CNF      clauses, each ended by 0.
KNF             the same below `p knf`; `k 3 1 -2 4 0` is at least 3 of these literals.
CNF+            the same below `p cnf+`; `1 2 3 <= 1` is at most 1, `1 2 3 >= 2` at least 2.
OPB             `+1 x1 -2 ~x2 >= 1 ;`, however it is spelled, and WBO: see `opb_text`.
WCNF            `10 1 -2 0` below `p wcnf 3 2 10` is a clause, and with a weight below 10 one that
                costs its weight if it is false; without a header, `h 1 -2 0` and `4 1 -2 0`.

A literal that a row has twice counts twice. An objective makes no model wrong: see
`FileRows.value`. The numbers in the header of OPB and WCNF may be wrong, as most solvers ignore
them.
"""

import contextlib
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

import numpy as np

from nqbench.checking.file_rows import LARGEST_SUM, Costs, FileRows, Integers
from nqbench.checking.opb_text import OpbText, StatementError, read_opb
from nqbench.common.errors import InputError, Place

_RELATIONS: Final = {b"<=": -1, b">=": 1}

_HEADER: Final = re.compile(rb"\s*p\s+(cnf|cnf\+|knf)\s+(\d{1,18})\s+(\d{1,18})\s*")
_WCNF_HEADER: Final = re.compile(rb"\s*p\s+wcnf\s+(\d{1,18})\s+(\d{1,18})(?:\s+(\d{1,999}))?\s*")
_WCNF_LINE: Final = re.compile(rb"\s*(h|\d+)(\s+-?\d+)*\s*")
_LARGEST_VARIABLE: Final = 2**31 - 1


def read_rows(lines: Iterable[bytes], *, lenient: bool = False) -> FileRows:
    """The rows of a file, which is given line by line. With `lenient`, the numbers in its header
    may be wrong. Raises `InputError`, which names the line, if they are in none of the formats.
    """
    reader = _Reader(lines, lenient)
    try:
        return reader.read()
    except StatementError as error:
        raise InputError(str(error), place=Place(line=error.line)) from error
    except ValueError as error:
        raise InputError(str(error), place=Place(line=reader.line)) from error


class _Numbers:
    """Whole numbers one after another, in 64 bits each as long as they fit."""

    def __init__(self) -> None:
        self._values: array[int] | list[int] = array("q")

    def __len__(self) -> int:
        return len(self._values)

    def extend(self, numbers: Iterable[int]) -> None:
        """Add the numbers."""
        numbers = list(numbers)
        length = len(self._values)
        try:
            self._values.extend(numbers)
        except OverflowError:
            # Some may have been added.
            self._values = [*self._values[:length], *numbers]

    def columns(self, count: int) -> Integers:
        """The numbers in so many columns, each of which is a row of the array."""
        kind = object if isinstance(self._values, list) else np.int64
        return np.array(self._values, dtype=kind).reshape(-1, count).T


class _Reader:
    def __init__(self, lines: Iterable[bytes], lenient: bool) -> None:
        self.line = 0
        self._lenient = lenient
        self._lines = iter(lines)
        self._stated: tuple[int, int] | None = None  # the numbers of variables and rows
        # For each row its line, the end of its literals, its relation, and its bound:
        self._rows = _Numbers()
        # For each literal its weight and itself:
        self._terms = _Numbers()
        self._costs: Costs | None = None
        self._opb = OpbText()

    def read(self) -> FileRows:
        skipped: list[bytes] = []
        for line in self._numbered():
            if line.strip() and not line.lstrip().startswith(b"c"):
                self._read_from(line, skipped)
                break
            skipped.append(line)
        rows = self._rows.columns(4)
        lines, ends, relations = (column.astype(np.int64) for column in rows[:3])
        weights, literals = self._terms.columns(2)
        # Not of np.abs, for which the opposite of -2**63 is itself.
        largest = max(int(literals.max(initial=0)), -int(literals.min(initial=0)))
        held = rows.shape[1]
        if self._costs is not None:
            largest = max(largest, self._costs.largest_variable)
        num_defined = len(self._opb.definitions)
        num_variables, count = self._stated or (largest, held)
        if self._lenient or self._costs is not None:
            num_variables, count = max(num_variables, largest - num_defined), held
        if largest > min(num_variables + num_defined, _LARGEST_VARIABLE) or not literals.all():
            raise ValueError(f"a variable is 0, or beyond {num_variables}")
        literals = literals.astype(np.int64)
        if held != count:
            raise ValueError(f"the file has {held} rows, and its header states {count}")
        if weights.dtype != object and np.abs(weights.astype(float)).sum() > LARGEST_SUM:
            weights = weights.astype(object)
        return FileRows(
            num_variables,
            lines,
            np.concatenate([[0], ends]),
            literals,
            weights,
            relations,
            rows[3],
            self._costs,
            definitions=self._opb.definitions,
            names=self._opb.names,
        )

    def _read_from(self, line: bytes, skipped: Sequence[bytes]) -> None:
        """Read the lines from this one on, the first that is neither empty nor a DIMACS comment,
        after those that were skipped.
        """
        if header := _HEADER.fullmatch(line):
            self._stated = int(header[2]), int(header[3])
            self._read_dimacs(header[1])
        elif header := _WCNF_HEADER.fullmatch(line):
            self._stated = int(header[1]), int(header[2])
            if header[3] is not None and not int(header[3]):
                raise ValueError(
                    "a top of 0 does not say which clauses are hard: leave it out if all are soft, "
                    "or mark hard ones with h"
                )
            self._read_wcnf(None if header[3] is None else int(header[3]))
        elif line.split()[0] == b"p":
            raise ValueError("expected 'p cnf', 'p cnf+', 'p knf' or 'p wcnf', and numbers")
        elif _WCNF_LINE.fullmatch(line):
            self._lines = chain([line], self._lines)
            self.line -= 1
            self._read_wcnf(None)
        else:
            self._read_opb(chain(skipped, [line], self._lines))

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

    def _read_wcnf(self, top: int | None) -> None:
        """Clauses with weights: those of `top` and more, or with h, are not soft."""
        clause: list[int] = []
        soft: list[tuple[int, tuple[int, ...]]] = []
        begin = 0
        for line in self._numbered():
            words = line.split()
            if not words or words[0].startswith(b"c"):
                continue
            for word in words:
                if not clause:
                    begin = self.line
                    clause = [self._cost(word, top)]
                    continue
                (literal,) = _integers([word])
                if literal:
                    clause.append(literal)
                    continue
                cost, *literals = clause
                if cost:
                    soft.append((cost, tuple(literals)))
                else:
                    self._add(begin, _unweighted(literals), 1, 1)
                clause = []
        if clause:
            raise ValueError("the last clause does not end with 0")
        self._costs = Costs(soft, is_sum=False)

    def _cost(self, word: bytes, top: int | None) -> int:
        """What a clause costs that begins with this word; 0 if it has to be true."""
        if word == b"h":
            return 0
        (weight,) = _integers([word])
        if weight < 1:
            raise ValueError("a weight is not positive")
        return 0 if top is not None and weight >= top else weight

    def _read_opb(self, lines: Iterable[bytes]) -> None:
        self._opb = text = read_opb(lines)
        for line, terms, relation, bound in text.rows:
            self._add(line, terms, relation, bound)
        self._stated = text.num_variables, len(text.rows)
        if text.objective is not None:
            costs = [(weight, (literal,)) for weight, literal in text.objective]
            self._costs = Costs(costs, is_sum=True, is_maximised=text.is_maximised)


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
