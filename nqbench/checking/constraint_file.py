"""Reads a file of constraints for the judge, and checks models against it.

This shares no code with the readers that encoders get their rows from, so that a mistake in one of
the two shows. It is written to be believed: word by word, and five formats only.

DIMACS CNF      clauses, each ended by 0.
KNF             the same below `p knf`; `k 3 1 -2 4 0` is at least 3 of these literals.
CNF+            the same below `p cnf+`; `1 2 3 <= 1` is at most 1, `1 2 3 >= 2` at least 2.
OPB             `+1 x1 -2 ~x2 >= 1 ;`, and the same with `<=` and `=`; `*` begins a comment. An
                objective, `min: +2 x1 -1 ~x3 ;` or `max:`, may come first.
WCNF            `10 1 -2 0` below `p wcnf 3 2 10` is a clause, and with a weight below 10 one that
                costs its weight if it is false; without a header, `h 1 -2 0` and `4 1 -2 0`.

A literal that a row has twice counts twice. An objective makes no model wrong: see `value`.
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
_WCNF_HEADER: Final = re.compile(rb"\s*p\s+wcnf\s+(\d{1,18})\s+(\d{1,18})(?:\s+(\d{1,19}))?\s*")
_WCNF_LINE: Final = re.compile(rb"\s*(h|\d+)(\s+-?\d+)*\s+0\s*")
_OPB_HEADER: Final = re.compile(rb"\*\s*#variable=\s*(\d{1,18})\s+#constraint=\s*(\d{1,18})\b")
_OPB_KEYWORD: Final = re.compile(rb"\b(min|max)\s*:")
_OPB_LITERAL: Final = re.compile(rb"~?x\d+")
_LARGEST_VARIABLE: Final = 2**31 - 1
_LARGEST_SUM: Final = 2.0**62

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Costs:
    """An objective: the sum of the weights of true literals, or of soft clauses that are false.

    Each of the `terms` is a weight and literals: one if it `is_sum`, those of a clause otherwise.
    """

    terms: Sequence[tuple[int, tuple[int, ...]]]
    is_sum: bool
    is_maximised: bool = False

    @property
    def largest_variable(self) -> int:
        """The largest variable, 0 if there is none. Raises `ValueError` if one is 0."""
        variables = [abs(literal) for _, literals in self.terms for literal in literals]
        if not all(variables):
            raise ValueError("a variable of the objective is 0")
        return max(variables, default=0)

    def value(self, values: Sequence[bool]) -> int:
        """The value in a model, which has the value of variable v at v - 1."""
        total = 0  # of Python, which does not overflow
        for weight, literals in self.terms:
            is_true = any(values[abs(literal) - 1] == (literal > 0) for literal in literals)
            if is_true == self.is_sum:
                total += weight
        return total

    def is_worse(self, value: int, other: int) -> bool:
        """Whether one value is worse than another one."""
        return value < other if self.is_maximised else value > other


@dataclass(frozen=True, slots=True, eq=False)
class FileRows:
    """The rows of a file. Row r begins in line `lines[r]` of the file and has the literals
    `starts[r]` to `starts[r + 1]` - 1. The weights of those that are true sum up to at most, to
    exactly or to at least `bounds[r]`, as `relations[r]` is -1, 0 or 1. Objectives worse than
    `worst` are not wanted, if it is not None.
    """

    num_variables: int
    lines: Integers
    starts: Integers
    literals: Integers
    weights: Integers
    relations: Integers
    bounds: Integers
    costs: Costs | None = None
    worst: int | None = None

    def digest(self) -> str:
        """A hash of the rows, 32 hexadecimal digits."""
        arrays = (self.starts, self.literals, self.weights, self.relations, self.bounds)
        digest = hashlib.blake2b(str(self.num_variables).encode(), digest_size=16)
        for array_of_rows in arrays:
            digest.update(str(len(array_of_rows)).encode())
            digest.update(np.ascontiguousarray(array_of_rows, dtype=np.int64).data)
        if self.worst is not None:
            digest.update(f"{self.worst} {self.costs}".encode())
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
            return self._worse(model)
        row = int(broken[0])
        asked = f"{_IN_WORDS[int(self.relations[row])]} {self.bounds[row]}"
        return f"the model breaks line {self.lines[row]}: it has {sums[row]}, not {asked}"

    def _worse(self, model: Assignment) -> str | None:
        """How the objective is worse than wanted, in words; None if it is not."""
        if self.worst is None or self.costs is None:
            return None
        value = self.costs.value(model.tolist())
        if self.costs.is_worse(value, self.worst):
            return f"the model has the objective {value}, which is worse than {self.worst}"
        return None

    def value(self, model: Assignment) -> int | None:
        """The value of the objective in a model of shape (num_variables,); None without one."""
        return None if self.costs is None else self.costs.value(model.tolist())


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
        self._costs: Costs | None = None

    def read(self) -> FileRows:
        for line in self._numbered():
            if line.strip() and not line.lstrip().startswith(b"c"):
                self._read_from(line)
                break
        rows = np.array(self._rows, dtype=np.int64).reshape(-1, 4).T
        weights, literals = np.array(self._terms, dtype=np.int64).reshape(-1, 2).T
        largest, held = int(np.abs(literals).max(initial=0)), rows.shape[1]
        if self._costs is not None:
            largest = max(largest, self._costs.largest_variable)
            held += 0 if self._costs.is_sum else len(self._costs.terms)
        num_variables, count = self._stated or (largest, held)
        if self._lenient:
            num_variables, count = max(num_variables, largest), held
        if largest > min(num_variables, _LARGEST_VARIABLE) or not literals.all():
            raise ValueError(f"a variable is 0, or beyond {num_variables}")
        if held != count:
            raise ValueError(f"the file has {held} rows, and its header states {count}")
        if np.abs(weights.astype(float)).sum() > _LARGEST_SUM:
            raise ValueError("the weights are too large to be added up")
        starts = np.concatenate([[0], rows[1]])
        return FileRows(
            num_variables, rows[0], starts, literals, weights, rows[2], rows[3], self._costs
        )

    def _read_from(self, line: bytes) -> None:
        """Read the lines from this one on, the first that is neither empty nor a DIMACS comment."""
        if header := _HEADER.fullmatch(line):
            self._stated = int(header[2]), int(header[3])
            self._read_dimacs(header[1])
        elif header := _WCNF_HEADER.fullmatch(line):
            self._stated = int(header[1]), int(header[2])
            self._read_wcnf(0 if header[3] is None else int(header[3]))
        elif line.split()[0] == b"p":
            raise ValueError("expected 'p cnf', 'p cnf+', 'p knf' or 'p wcnf', and numbers")
        else:
            self._lines = chain([line], self._lines)
            self.line -= 1
            if _WCNF_LINE.fullmatch(line):
                self._read_wcnf(None)
            else:
                self._read_opb()

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
        """Clauses with weights: those of `top` and more, or with h if there is none, are not soft.
        A top of 0 says that all are.
        """
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
        if top is None and word == b"h":
            return 0
        (weight,) = _integers([word])
        if weight < 1:
            raise ValueError("a weight is not positive")
        return 0 if top and weight >= top else weight

    def _read_opb(self) -> None:
        row: list[bytes] = []
        begin = 0
        for line in self._numbered():
            if line.lstrip().startswith(b"*"):
                if self._stated is None and (header := _OPB_HEADER.match(line)):
                    self._stated = int(header[1]), int(header[2])
                continue
            for word in _OPB_KEYWORD.sub(rb" \1: ", line.replace(b";", b" ; ")).split():
                begin = begin if row else self.line
                row.append(word)
                if word == b";":
                    if row[0] in (b"min:", b"max:"):
                        self._set_objective(row)
                    else:
                        self._add_opb_row(begin, row)
                    row = []
        if row:
            raise ValueError("the last row does not end with ';'")

    def _set_objective(self, row: Sequence[bytes]) -> None:
        if self._costs is not None or len(self._rows):
            raise ValueError("an objective comes first, and there is only one")
        weights, literals = _opb_terms(row[1:-1])
        terms = [(weight, (literal,)) for weight, literal in zip(weights, literals, strict=True)]
        self._costs = Costs(terms, is_sum=True, is_maximised=row[0] == b"max:")

    def _add_opb_row(self, begin: int, row: Sequence[bytes]) -> None:
        *words, relation, bound, _ = row if len(row) > 2 else [b""] * 3
        if relation not in _RELATIONS or len(words) % 2:
            raise ValueError(
                "expected weights and literals in turn, '>=', '<=' or '=', and a bound"
            )
        terms = list(chain.from_iterable(zip(*_opb_terms(words), strict=True)))
        self._add(begin, terms, _RELATIONS[relation], *_integers([bound]))


def _opb_terms(words: Sequence[bytes]) -> tuple[list[int], list[int]]:
    """The weights and literals that these words are in turn."""
    if len(words) % 2:
        raise ValueError("expected weights and literals in turn")
    if not all(map(_OPB_LITERAL.fullmatch, words[1::2])):
        raise ValueError(f"expected literals like x1 and ~x1, not {_shown(words[1::2])}")
    literals = [word.replace(b"~x", b"-").lstrip(b"x") for word in words[1::2]]
    return _integers(words[::2]), _integers(literals)


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
