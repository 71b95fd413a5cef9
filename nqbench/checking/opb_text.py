"""Reads OPB and WBO for the judge: cuts a text at each `;`, and goes through what is between.

It shares no code with the readers of encoders, which split the text into words first. What a
statement may look like is the table of `tests/helpers/opb_grammar.py`, from which texts for both
are generated. Most statements are weights and variables x1, x2, ... in turn, which need no more
than `split`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from nqbench.checking.file_rows import BrokenRow, Definition, ProductOf

_PLAIN: Final = re.compile(
    rb"\s*((?:[+-]?\d{1,4000}\s+~?x\d{1,20}\s+)+)(<=|=|>=)\s+([+-]?\d{1,4000})\s*"
)
_HEADER: Final = re.compile(rb"\*\s*#variable=\s*(\d{1,18})\s+#constraint=\s*(\d{1,18})(\s.*)?")
_RELATIONS: Final = {b"<=": -1, b"=": 0, b">=": 1}
_LARGEST_VARIABLE: Final = 2**31 - 1
_MOST_DIGITS: Final = 4000
_BLANKS: Final = " \t\v\f\r\n"
_DIGITS: Final = frozenset("0123456789")
_LETTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
_OF_NAMES: Final = frozenset(map(chr, range(ord("!"), ord("~") + 1))) - frozenset(";<>=~*+:")

Terms = list[tuple[int, tuple[str, ...]]]
"""A weight, and the literals that it is multiplied with, as they are spelled."""


class StatementError(ValueError):
    """What is wrong with the statement that begins in a line."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class _NamesError(Exception):
    """Variables are not x1, x2, ..., so that they have no numbers yet."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A row with its line, perhaps a soft one with its cost; or the objective, without relation. A
    plain one has weights and literals in turn, as `numbers`.
    """

    line: int
    terms: Terms
    relation: int | None
    bound: int = 0
    cost: int | None = None
    numbers: list[int] | None = None


@dataclass(slots=True)
class OpbText:
    """What a text states: rows, each with its line, terms in turn of weight and literal, relation
    and bound; the terms of the objective; what variables after the last of the file stand for; and
    names, if variables are not x1, x2, ...
    """

    num_variables: int = 0
    rows: list[tuple[int, list[int], int, int]] = field(default_factory=list)
    objective: list[tuple[int, int]] | None = None
    is_maximised: bool = False
    definitions: list[Definition] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


def read_opb(lines: Iterable[bytes]) -> OpbText:
    """What the lines of a text state. Raises `StatementError`."""
    lines = list(lines)
    try:
        return _read(_Reader(may_be_plain=True), lines)
    except _NamesError:
        return _read(_Reader(may_be_plain=False), lines)


def _read(reader: "_Reader", lines: Iterable[bytes]) -> OpbText:
    for line, text in _statements(reader.look_at_header(lines)):
        try:
            reader.add(line, text)
        except ValueError as error:
            raise StatementError(line, str(error)) from error
    return reader.text()


def _statements(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield each statement without its `;` and comments, and the line in which it begins."""
    is_comment, begin, parts, number = False, 0, list[bytes](), 0
    for number, line in enumerate(lines, 1):
        if not is_comment and line.lstrip().startswith(b"*"):
            continue
        rest = line
        if is_comment or b"/*" in line:
            rest, is_comment = _without_comments(line, is_comment)
        *ended, rest = rest.split(b";")
        for text in ended:
            whole = b" ".join([*parts, text])
            yield (begin if parts else number), whole
            parts = []
        if rest.strip():
            begin = begin if parts else number
            parts.append(rest)
    if is_comment:
        raise StatementError(number, "a comment does not end with */")
    if parts:
        raise StatementError(begin, "the last row does not end with ';'")


def _without_comments(line: bytes, is_comment: bool) -> tuple[bytes, bool]:
    """The line without what stands between `/*` and `*/`, and whether a comment goes on after it.
    The first may have begun before the line.
    """
    left = b""
    while True:
        before, mark, line = line.partition(b"*/" if is_comment else b"/*")
        left += b" " if is_comment else before
        if not mark:
            return left, is_comment
        is_comment = not is_comment


class _Reader:
    """Collects statements. Literals of plain ones are numbers at once, if there `may_be_plain`
    ones. Then it raises `_NamesError` if there are names.
    """

    def __init__(self, *, may_be_plain: bool) -> None:
        self._may_be_plain = may_be_plain
        self._stated = 0
        self._statements: list[Statement] = []
        self._is_maximised, self._has_objective = False, False
        self._top: tuple[int, int] | None = None
        self._is_soft = False

    def look_at_header(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the lines, and note the number of variables that a comment before the first
        statement says.
        """
        may_follow = True
        for line in lines:
            if may_follow and line.strip():
                may_follow = line.lstrip().startswith(b"*")
                if may_follow and (header := _HEADER.fullmatch(line.strip())):
                    self._stated, may_follow = int(header[1]), False
            yield line

    def add(self, line: int, text: bytes) -> None:
        """Add a statement. Raises `ValueError`."""
        if self._may_be_plain and (plain := _plain(line, text)):
            self._statements.append(plain)
            return
        try:
            spelled = text.decode("ascii")
        except UnicodeDecodeError:
            raise ValueError(f"expected ASCII, not {text.strip()[:40]!a}") from None
        self._add_spelled(line, spelled.strip(_BLANKS))

    def _add_spelled(self, line: int, text: str) -> None:
        if text.startswith("["):
            cost, bracket, row = text[1:].partition("]")
            if not bracket:
                raise ValueError("expected ] after the cost of a soft row")
            self._is_soft = True
            self._statements.append(_row(line, row, _positive(cost)))
            return
        key, colon, rest = text.partition(":")
        key = key.strip(_BLANKS)
        if not colon:
            self._statements.append(_row(line, text, None))
        elif key in ("min", "max"):
            if self._has_objective:
                raise ValueError("a second objective")
            self._has_objective, self._is_maximised = True, key == "max"
            self._statements.append(Statement(line, _Scanner(rest).terms(), None))
        elif key == "soft":
            if self._top is not None:
                raise ValueError("a second 'soft:'")
            self._is_soft = True
            if rest.strip(_BLANKS):
                self._top = line, _positive(rest)
        elif key and key[0] in _LETTERS and _OF_NAMES.issuperset(key):
            self._statements.append(_row(line, rest, None))
        else:
            raise ValueError(f"{key[:40]!r} is no label")

    def text(self) -> OpbText:
        """What all statements say."""
        spelled = (name for each in self._statements for _, names in each.terms for name in names)
        names = dict.fromkeys(name.removeprefix("~") for name in spelled)
        is_numbered = all(name[0] == "x" and name[1:].isdecimal() for name in names)
        is_numbered = is_numbered and all(name.strip("x0") for name in names)
        plain = [each.numbers for each in self._statements if each.numbers is not None]
        if plain and not is_numbered:
            raise _NamesError
        if is_numbered:
            number_of = {name: _whole(name[1:]) for name in names}
            stated = self._stated if self._stated <= _LARGEST_VARIABLE else 0
            largest = max((max(map(abs, numbers[1::2])) for numbers in plain), default=0)
            last = max([*number_of.values(), stated, largest])
        else:
            number_of = {name: number for number, name in enumerate(names, 1)}
            last = len(names)
        text = OpbText(last, names=[] if is_numbered else list(names))
        if last > _LARGEST_VARIABLE:
            raise StatementError(1, f"a variable is beyond {_LARGEST_VARIABLE}")
        _Resolver(number_of, text).add_all(self._statements)
        if self._has_objective:
            text.is_maximised = self._is_maximised
        if self._is_soft:
            self._add_costs(text)
        return text

    def _add_costs(self, text: OpbText) -> None:
        """The sum of the costs of broken rows as the objective, and as a row if it is bounded."""
        if self._has_objective:
            raise StatementError(1, "soft rows and an objective")
        costs = [
            (definition.cost, text.num_variables + number)
            for number, definition in enumerate(text.definitions, 1)
            if isinstance(definition, BrokenRow)
        ]
        text.objective = costs
        if self._top is not None:
            line, top = self._top
            flat = [number for cost in costs for number in cost]
            text.rows.append((line, flat, -1, top - 1))


class _Resolver:
    """Turns statements into rows of numbers."""

    def __init__(self, number_of: dict[str, int], text: OpbText) -> None:
        self._number_of, self._text = number_of, text
        self._products: dict[frozenset[int], int] = {}

    def add_all(self, statements: Iterable[Statement]) -> None:
        """Add each statement to the text."""
        for statement in statements:
            if statement.numbers is not None and statement.relation is not None:
                self._text.rows.append(
                    (statement.line, statement.numbers, statement.relation, statement.bound)
                )
                continue
            pairs = [
                (weight, self._literal(names))
                for weight, names in statement.terms
                if not self._is_never(names)
            ]
            if statement.relation is None:
                self._text.objective = pairs
                continue
            if statement.cost is None:
                flat = [number for pair in pairs for number in pair]
                self._text.rows.append((statement.line, flat, statement.relation, statement.bound))
                continue
            self._define(
                BrokenRow(
                    statement.cost,
                    tuple(literal for _, literal in pairs),
                    tuple(weight for weight, _ in pairs),
                    statement.relation,
                    statement.bound,
                )
            )

    def _signed(self, name: str) -> int:
        return -self._number_of[name[1:]] if name[0] == "~" else self._number_of[name]

    def _is_never(self, names: Sequence[str]) -> bool:
        """Whether a product has a literal and its negation."""
        if len(names) == 1:
            return False
        factors = set(map(self._signed, names))
        return any(-factor in factors for factor in factors)

    def _literal(self, names: Sequence[str]) -> int:
        """The literal, or the variable that stands for the product."""
        if len(names) == 1:
            return self._signed(names[0])
        factors = frozenset(map(self._signed, names))
        if len(factors) == 1:
            return next(iter(factors))
        if factors not in self._products:
            in_order = tuple(sorted(factors, key=abs))
            self._products[factors] = self._define(ProductOf(in_order))
        return self._products[factors]

    def _define(self, definition: Definition) -> int:
        self._text.definitions.append(definition)
        return self._text.num_variables + len(self._text.definitions)


def _plain(line: int, text: bytes) -> Statement | None:
    """The row in this text, if it has weights and x1, x2, ... in turn, a relation and a bound, with
    blanks between them; None otherwise. Raises `_NamesError` for x0, which is a name.
    """
    plain = _PLAIN.fullmatch(text)
    if plain is None:
        return None
    numbers = list(map(int, plain[1].replace(b"~x", b"-").replace(b"x", b"").split()))
    if 0 in numbers[1::2]:
        raise _NamesError
    return Statement(line, [], _RELATIONS[plain[2]], int(plain[3]), numbers=numbers)


def _whole(digits: str) -> int:
    """The number. Raises `ValueError` for anything else, and for one that is too long."""
    if not digits or not _DIGITS.issuperset(digits):
        raise ValueError(f"expected a whole number, not {digits[:40]!r}")
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number has more than {_MOST_DIGITS} digits")
    return int(digits)


def _positive(text: str) -> int:
    cost = _whole(text.strip(_BLANKS))
    if not cost:
        raise ValueError("a cost is not positive")
    return cost


def _row(line: int, text: str, cost: int | None) -> Statement:
    """The row in this text, which ends with its bound. Raises `ValueError`."""
    left, equals, right = text.partition("=")
    if not equals:
        raise ValueError("expected weights and literals in turn, '>=', '<=' or '=', and a bound")
    relation = {"<": -1, ">": 1}.get(left[-1:], 0)
    terms = _Scanner(left[:-1] if relation else left).terms()
    sign, bound = 1, right.strip(_BLANKS)
    while bound[:1] in ("+", "-"):
        sign = -sign if bound[0] == "-" else sign
        bound = bound[1:].lstrip(_BLANKS)
    return Statement(line, terms, relation, sign * _whole(bound), cost)


class _Scanner:
    """Goes through a sum, character by character."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._terms: Terms = []
        self._clear()

    def _clear(self) -> None:
        self._sign = 1
        self._weight: int | None = None
        self._is_signed, self._is_factor = False, False
        self._names: list[str] = []

    def terms(self) -> Terms:
        """The terms of the sum. Raises `ValueError`."""
        while (mark := self._next()) is not None:
            if mark in "+-":
                self._end_term()
                self._sign = -self._sign if mark == "-" else self._sign
                self._is_signed = True
                self._at += 1
            elif mark in _DIGITS:
                self._end_term()
                self._weight = _whole(self._take(_DIGITS))
            elif mark == "*":
                if self._is_factor or (self._weight is None and not self._names):
                    raise ValueError("'*' follows neither a number nor a variable")
                self._is_factor = True
                self._at += 1
            else:
                self._names.append(self._name())
                self._is_factor = False
        self._end_term()
        if self._is_signed:
            raise ValueError("a sign has no variable")
        return self._terms

    def _next(self) -> str | None:
        """The next character that is no blank."""
        while self._at < len(self._text) and self._text[self._at] in _BLANKS:
            self._at += 1
        return self._text[self._at] if self._at < len(self._text) else None

    def _take(self, allowed: frozenset[str]) -> str:
        start = self._at
        while self._at < len(self._text) and self._text[self._at] in allowed:
            self._at += 1
        return self._text[start : self._at]

    def _end_term(self) -> None:
        """End a term that has a variable. Raises `ValueError` if there is only a weight."""
        if self._is_factor or (self._weight is not None and not self._names):
            raise ValueError("a weight has no variable")
        if self._names:
            weight = 1 if self._weight is None else self._weight
            self._terms.append((self._sign * weight, tuple(self._names)))
            self._clear()

    def _name(self) -> str:
        """The literal that begins here."""
        start = self._at
        if self._text[start] == "~":
            if start and self._names and self._text[start - 1] in _OF_NAMES:
                raise ValueError("a blank is missing before '~'")
            self._at += 1
        if self._at >= len(self._text) or self._text[self._at] not in _LETTERS:
            raise ValueError(f"expected a variable, not {self._text[start : start + 40]!r}")
        begin = self._at
        name = self._take(_OF_NAMES)
        first, dash, rest = name.partition("-")
        if dash and _is_x(first):
            if self._is_difference(begin + len(first) + 1):
                self._at = begin + len(first)
                name = first
            elif all(map(_is_x, rest.split("-"))):
                raise ValueError(f"{name[:40]!r} may be one name or a difference")
        return "~" * (begin - start) + name

    def _is_difference(self, at: int) -> bool:
        """Whether a coefficient and an x with digits follow here, behind a -."""
        rest = self._text[at:]
        after = rest.lstrip("0123456789")
        if len(after) == len(rest):
            return False
        after = after.lstrip(_BLANKS).removeprefix("*").lstrip(_BLANKS).removeprefix("~")
        return after[:1] == "x" and after[1:2] in _DIGITS and bool(after[1:2])


def _is_x(name: str) -> bool:
    return name[:1] == "x" and name[1:].isdecimal()
