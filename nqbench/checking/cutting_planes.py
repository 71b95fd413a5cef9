"""Checks proofs about rows: derivations of a row that no values meet, in VeriPB's format.

S. Gocht, J. Nordström, "Certifying parity reasoning efficiently using pseudo-Boolean proofs", AAAI
2021; B. Bogaerts, S. Gocht, C. McCreesh, J. Nordström, "Certified dominance and symmetry breaking
for combinatorial optimisation", JAIR 77, 2023. Versions 1.1 to 3.0 spell the rules below in nearly
the same way. Of any other rule, the check says that it is not supported.

The rows and the objective are those of the judge's reader: row k of the file is its row k. Nothing
that a solver says of them is believed. A variable x1, x2, ... up to their number is that of the
rows; any other name is one of the proof alone, however it is spelled.

The invariant: each choice of the file's variables that meets its rows, and has an objective below
each value that `soli` has stated, extends to values of the proof's variables that meet all rows
which have a number. A row that no values meet shows that there is no such choice. So the proof is
read only up to the first one.

f, l    Number the rows of the file, or the one that is named. They hold by the definition.
pol, p  Adds two rows; multiplies one with a positive number; divides one by a positive number, and
        rounds up its weights and then its degree, which the sum reaches as it is whole; lowers the
        weights to the degree (`s`), since one true literal of such a weight meets the row alone;
        leaves out a variable (`w`), which can contribute its weight at most. A literal is the row
        that says that it is at least 0. So all values that meet the operands meet the result.
rup, u  If the row's negation and the rows that have a number are propagated, one of them cannot be
        met any more. A literal is set only if its row cannot be met otherwise. So no values meet
        all rows and the negation. The negation of a sum of at least d out of t is that the negated
        literals add up to at least t - d + 1. Hints are not needed, and not read.
red     Only with one variable that neither the file nor any line before has, and its value. With
        that value, the row is met whatever the other values are. No other row with a number has the
        variable, so that each extension of the invariant goes on to one with that value.
soli, o States a solution, of which the variables of the objective are needed. From now on only less
        than its value is asked for: the row that says so holds for all choices that are left. That
        it is a solution matters to nobody: the check returns the least of these values as a bound,
        which a wrong one can only make weaker.
d, del  Without a row, the others still extend. Rows that are not named by numbers stay.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from nqbench.checking.normal_rows import NormalRow, NormalRows, normal_row

_NUMBER: Final = re.compile(rb"[+-]?\d{1,4000}")
_NAME: Final = re.compile(rb"[A-Za-z_][!-}]*")
_OF_ROWS: Final = re.compile(rb"x[1-9]\d{0,9}")
_ENDS: Final = (b";", b":")
_CONCLUSIONS: Final = (b"c", b"output", b"conclusion", b"end")


class NoProofError(ValueError):
    """A line does not follow, or its rule is not supported."""


def proved_bound(rows: NormalRows, proof: Iterable[bytes]) -> int | None:
    """The bound that the lines of a proof show: no values that meet the rows have a sum of the
    objective below it; None: no values meet the rows. Raises `NoProofError`, which names the line.
    """
    checker = Checker(rows)
    if any(row.is_contradiction for row in rows.rows):
        return None
    for number, line in enumerate(proof, 1):
        try:
            if checker.is_refuted_by(line):
                return checker.bound
        except IndexError as error:
            raise NoProofError(f"line {number}: an operand is missing") from error
        except ValueError as error:
            raise NoProofError(f"line {number}: {error}") from error
    raise NoProofError("it ends without a contradiction")


def add(row: NormalRow, other: NormalRow) -> NormalRow:
    """The sum. Of a literal and its negation, the smaller weight is a number."""
    weights, degree = dict(row.weights), row.degree + other.degree
    for literal, weight in other.weights.items():
        opposite = weights.pop(-literal, 0)
        degree -= min(weight, opposite)
        if opposite > weight:
            weights[-literal] = opposite - weight
        elif opposite < weight:
            weights[literal] = weights.get(literal, 0) + weight - opposite
    return NormalRow(weights, degree)


def multiply(row: NormalRow, factor: int) -> NormalRow:
    """The row, `factor` times."""
    weights = {literal: weight * factor for literal, weight in row.weights.items()}
    return NormalRow(weights, row.degree * factor)


def divide(row: NormalRow, divisor: int) -> NormalRow:
    """The quotient, rounded up."""
    weights = {literal: -(-weight // divisor) for literal, weight in row.weights.items()}
    return NormalRow(weights, -(-row.degree // divisor))


def saturate(row: NormalRow) -> NormalRow:
    """The row with no weight above the degree."""
    if row.degree <= 0:
        return NormalRow({}, row.degree)
    weights = {literal: min(weight, row.degree) for literal, weight in row.weights.items()}
    return NormalRow(weights, row.degree)


def weaken(row: NormalRow, variable: int) -> NormalRow:
    """The row without a variable."""
    weights = dict(row.weights)
    removed = weights.pop(variable, 0) + weights.pop(-variable, 0)
    return NormalRow(weights, row.degree - removed)


def is_refuted(row: NormalRow, others: Iterable[NormalRow]) -> bool:
    """Whether propagation shows that no values meet all of these rows."""
    waiting, is_true = [row, *others], set[int]()
    having = defaultdict[int, list[NormalRow]](list)
    for each in waiting:
        for x in each.weights:
            having[x].append(each)
    while waiting:
        each = waiting.pop()
        possible = [(x, weight) for x, weight in each.weights.items() if -x not in is_true]
        slack = sum(weight for _, weight in possible) - each.degree
        if slack < 0:
            return True
        forced = {x for x, weight in possible if weight > slack} - is_true
        is_true |= forced
        for x in forced:
            waiting += having[-x]
    return False


class Checker:
    """The `rows` that have a number, up to the `last` one; the variables that are only of the
    proof, as `others`; and the `bound` below which the objective is asked for.
    """

    def __init__(self, file: NormalRows) -> None:
        self.bound: int | None = None
        self.rows: dict[int, NormalRow] = {}
        self.others: dict[bytes, int] = {}
        self.last = 0
        self._file = file
        self._labels: dict[bytes, int] = {}
        self._rules: dict[bytes, Callable[[list[bytes]], Iterable[NormalRow]]] = {
            b"f": self._load_all,
            b"l": self._load,
            b"pol": self._calculate,
            b"p": self._calculate,
            b"rup": self._propagate,
            b"u": self._propagate,
            b"red": self._define,
            b"soli": self._improve,
            b"o": self._improve,
            b"d": self._delete,
            b"del": self._delete,
            b"pseudo-Boolean": lambda _: (),
        }

    def is_refuted_by(self, line: bytes) -> bool:
        """Take a line. Returns whether it has a row that no values meet."""
        # In the core, a NUL would end a word: there it is 1, too, which is in no name.
        words = line.replace(b";", b" ; ").replace(b"\0", b"\1").split()
        if not words or words[0].startswith(b"*"):
            return False
        label = words.pop(0) if words[0].startswith(b"@") else None
        if words[0] in _CONCLUSIONS:
            raise NoProofError("it concludes without a contradiction")
        rule = self._rules.get(words[0])
        if rule is None:
            raise NoProofError(f"the rule {_shown(words[0])} is not supported")
        found = False
        for row in rule(words[1:]):
            self.last += 1
            self.rows[self.last] = row
            found = found or row.is_contradiction
        if label is not None:
            self._labels[label] = self.last
        return found

    def _load_all(self, words: list[bytes]) -> Sequence[NormalRow]:
        count = len(self._file.rows)
        if words and words[0] not in _ENDS and _number(words[0]) != count:
            raise NoProofError(f"it is about {_number(words[0])} rows, and the file has {count}")
        return self._file.rows

    def _load(self, words: list[bytes]) -> Sequence[NormalRow]:
        number = _number(words[0])
        if not 1 <= number <= len(self._file.rows):
            raise NoProofError(f"the file has no row {number}")
        return [self._file.rows[number - 1]]

    def _calculate(self, words: list[bytes]) -> Sequence[NormalRow]:
        # Numbers stand for rows, unless an operation takes one as it is.
        stack: list[NormalRow | int] = []
        words, _ = _cut(words)
        for word in words[:-1] if words[-1:] == [b"0"] else words:
            if word == b"+":
                stack[-2:] = [add(self._row(stack[-2]), self._row(stack[-1]))]
            elif word in (b"*", b"d"):
                row, number = self._row(stack[-2]), stack[-1]
                if not isinstance(number, int) or number < 1:
                    raise NoProofError(f"a positive number has to be before {_shown(word)}")
                stack[-2:] = [multiply(row, number) if word == b"*" else divide(row, number)]
            elif word == b"s":
                stack[-1] = saturate(self._row(stack[-1]))
            elif word == b"w":
                row, (literal,) = self._row(stack[-2]), self._row(stack[-1]).weights
                stack[-2:] = [weaken(row, abs(literal))]
            elif _NUMBER.fullmatch(word) or word.startswith(b"@"):
                stack.append(self._number_of(word))
            else:
                stack.append(NormalRow({self._literal(word): 1}, 0))
        if len(stack) != 1:
            raise NoProofError(f"'pol' ends with {len(stack)} rows, and not with one")
        return [self._row(stack[0])]

    def _propagate(self, words: list[bytes]) -> Sequence[NormalRow]:
        row, _ = self._stated(words)
        total = sum(row.weights.values())
        negated = {-literal: weight for literal, weight in row.weights.items()}
        negation = NormalRow(negated, total - row.degree + 1)
        if not is_refuted(negation, self.rows.values()):
            raise NoProofError("the row does not follow by propagation")
        return [row]

    def _define(self, words: list[bytes]) -> Sequence[NormalRow]:
        _, witness = _cut(words)
        witness = [word for word in witness if word not in (b"->", *_ENDS)]
        if len(witness) != 2 or witness[1] not in (b"0", b"1"):
            raise NoProofError("'red' is supported with one fresh variable and its value")
        name, value = witness
        # Not ~x1 either, which is no name.
        if not _NAME.fullmatch(name) or self._is_of_rows(name) or name in self.others:
            raise NoProofError(f"{_shown(name)} is not fresh")
        row, _ = self._stated(words)
        variable = self._literal(name)
        if row.weights.get(variable if value == b"1" else -variable, 0) < row.degree:
            raise NoProofError(f"{_shown(name)} does not meet the row alone")
        return [row]

    def _improve(self, words: list[bytes]) -> Sequence[NormalRow]:
        is_true = {self._literal(word) for word in words if word not in _ENDS}
        missing = {x for _, x in self._file.objective if {x, -x}.isdisjoint(is_true)}
        if missing:
            raise NoProofError("a solution lacks a variable of the objective")
        value = sum(weight for weight, x in self._file.objective if x in is_true)
        self.bound = value if self.bound is None else min(value, self.bound)
        return [normal_row([(-weight, x) for weight, x in self._file.objective], 1 - value)]

    def _delete(self, words: list[bytes]) -> Sequence[NormalRow]:
        if words[:1] == [b"id"]:
            words = words[1:]
        if all(_NUMBER.fullmatch(word) or word.startswith(b"@") for word in _cut(words)[0]):
            for word in _cut(words)[0]:
                self.rows.pop(self._number_of(word), None)
        return ()

    def _row(self, item: NormalRow | int) -> NormalRow:
        if isinstance(item, NormalRow):
            return item
        number = item if item > 0 else self.last + 1 + item
        if number not in self.rows:
            raise NoProofError(f"no row has the number {item}")
        return self.rows[number]

    def _number_of(self, word: bytes) -> int:
        if not word.startswith(b"@"):
            return _number(word)
        if word not in self._labels:
            raise NoProofError(f"no row is called {_shown(word)}")
        return self._labels[word]

    def _stated(self, words: list[bytes]) -> tuple[NormalRow, list[bytes]]:
        """The row that is written in these words, and what follows it."""
        left, rest = _cut(words)
        *terms, relation, bound = left
        if relation != b">=" or len(terms) % 2:
            raise NoProofError("expected weights and literals in turn, '>=' and a bound")
        weights, literals = map(_number, terms[::2]), map(self._literal, terms[1::2])
        return normal_row(zip(weights, literals, strict=True), _number(bound)), rest

    def _literal(self, word: bytes) -> int:
        name = word.removeprefix(b"~")
        if not _NAME.fullmatch(name):
            raise NoProofError(f"{_shown(word)} is no literal, and nothing else that is supported")
        if self._is_of_rows(name):
            variable = int(name[1:])
        else:
            variable = self.others.setdefault(name, self._file.num_variables + len(self.others) + 1)
        return -variable if word.startswith(b"~") else variable

    def _is_of_rows(self, name: bytes) -> bool:
        is_number = _OF_ROWS.fullmatch(name) is not None
        return is_number and int(name[1:]) <= self._file.num_variables


def _cut(words: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """The words before and after the first `;` or `:`."""
    at = next((at for at, word in enumerate(words) if word in _ENDS), len(words))
    return words[:at], words[at + 1 :]


def _number(word: bytes) -> int:
    if not _NUMBER.fullmatch(word):
        raise NoProofError(f"expected a whole number, not {_shown(word)}")
    return int(word)


def _shown(word: bytes) -> str:
    return repr(word[:40].decode("ascii", errors="backslashreplace"))
