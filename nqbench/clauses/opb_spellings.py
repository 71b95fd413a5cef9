"""Reads OPB however it is spelled, and WBO: a text that the fast reader of `opb` has refused.

    min: 2*apple - pear;            a coefficient of 1 may be left out, and * stands before a factor
    c1: apple + pear >= 1;          a label; variables have any names
    -2 ~apple 3 pear apple <= 2;    a product of literals
    >= -1;                          a row without literals
    soft: 6;  [2] +1 x1 >= 1;       WBO: a row that costs 2 if broken; all cost less than 6

Comments are lines that begin with *, and what stands between /* and */. The objective may be
anywhere. A new term begins with a sign or a number. If all variables are x1, x2, and so on, these
are their numbers; otherwise they are numbered as they occur first. Numbers have any size.

A name has letters, digits and signs other than ; < > = ~ * + and :, and begins with a letter or _.
It may have a -, but 2 x1-3 x2 is a difference: what follows x and digits is a coefficient and x. If
x1-x2 may be either, it is refused; so is ~ behind a name without a blank.

O. Roussel, V. Manquinho, "Input/output format and solver requirements for the competitions of
pseudo-Boolean solvers", 2012; P. Barth, "A Davis-Putnam based enumeration algorithm for linear
pseudo-Boolean optimization", MPI-I-95-2-003, 1995; StephanGocht/VeriPB, its format of OPB.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from nqbench.clauses.definitions import Definition, Product, SoftRow, stated_rows
from nqbench.clauses.dimacs import Counts, difference
from nqbench.clauses.dimacs_flaws import LARGEST, beyond, shown, unended
from nqbench.clauses.opb import explain
from nqbench.clauses.rows import AT_LEAST, AT_MOST, EXACTLY, whole_numbers
from nqbench.clauses.stated_text import StatedObjective, StatedText
from nqbench.clauses.words import MOST_DIGITS
from nqbench.common.errors import InputError, Place

_COMMENT: Final = re.compile(rb"^[ \t\v\f\r]*\*[^\n]*|/\*.*?\*/", re.MULTILINE | re.DOTALL)
_NOT_NEWLINE: Final = re.compile(rb"[^\n]+")
_HEADER: Final = re.compile(
    rb"(?:[ \t\v\f\r]*(?:\*[^\n]*)?\n)*?"
    rb"[ \t\v\f]*\*[ \t]*#variable=[ \t]*(\d{1,18})[ \t]+#constraint=[ \t]*(\d{1,18})(?![^\s])"
)
_BLANK: Final = rb"[ \t\v\f\r\n]"
_REST_OF_NAME: Final = rb"(?:(?![;<>=~*+:])[!-~])*"
_TOKEN: Final = re.compile(
    rb"(?P<blank>%(blank)s+)"
    rb"|(?P<number>\d+)"
    rb"|(?P<name>~?(?:x\d+(?=-\d+%(blank)s*\*?%(blank)s*~?x\d)|[A-Za-z_]%(rest)s))"
    rb"|(?P<relation>[<>]?=)"
    rb"|(?P<mark>[-+*:;\[\]])"
    rb"|(?P<other>.)" % {b"blank": _BLANK, b"rest": _REST_OF_NAME},
    re.DOTALL,
)
_NUMBERED: Final = re.compile(rb"x\d+")
_DIFFERENCE: Final = re.compile(rb"~?x\d+(?:-x\d+)+")
_WORD: Final = re.compile(rb"[+-]?\d+|~?[A-Za-z_]%s|[<>]?=|\S" % _REST_OF_NAME)
_UNREAD: Final = re.compile(rb"[\s;]")
_RELATIONS: Final = {b">=": AT_LEAST, b"<=": AT_MOST, b"=": EXACTLY}


class Token(NamedTuple):
    """A word of a text: what it is, how it is written, and where."""

    kind: str
    text: bytes
    position: int


class Term(NamedTuple):
    """A weight, and the literals that it is multiplied with."""

    weight: int
    literals: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    terms: list[Term]
    relation: int
    bound: int
    cost: int | None


class _TokenError(ValueError):
    """What is wrong with a token; nothing more is wrong with the end of a text that is cut off."""

    def __init__(self, token: Token, reason: str) -> None:
        super().__init__(reason)
        self.token = token
        self.reason = reason
        if token.kind == "end":
            self.reason = unended("row", ";")


@dataclass(slots=True)
class _Statements:
    """What the statements of a text say, in its order."""

    parts: "list[_Row | list[Term]]" = field(default_factory=list)
    """The rows, and in its place the terms of the objective."""

    is_maximised: bool = False
    has_objective: bool = False
    top: int | None = None
    is_soft: bool = False

    def add(self, tokens: list[Token]) -> None:
        """Add a statement, of which the last token is its ;. Raises `_TokenError`."""
        first = tokens[0]
        has_label = len(tokens) > 1 and tokens[1].text == b":" and first.kind == "name"
        if has_label and not first.text.startswith(b"~"):
            if first.text in (b"min", b"max"):
                self._set_objective(tokens)
            elif first.text == b"soft":
                self._set_top(tokens)
            else:
                self.parts.append(_row(tokens[2:]))
        elif first.text == b"[":
            self.parts.append(self._soft_row(tokens))
        else:
            self.parts.append(_row(tokens))

    def _set_objective(self, tokens: list[Token]) -> None:
        if self.has_objective:
            raise _TokenError(tokens[0], "'{line}' is a second objective")
        terms, at = _terms(tokens, 2)
        if tokens[at].kind == "relation":
            raise _TokenError(
                tokens[at], "{word} in an objective: end it with ; before the first row"
            )
        _expect(tokens[at], b";")
        self.has_objective, self.is_maximised = True, tokens[0].text == b"max"
        self.parts.append(terms)

    def _set_top(self, tokens: list[Token]) -> None:
        if self.top is not None:
            raise _TokenError(tokens[0], "'{line}' is a second line soft:")
        self.is_soft = True
        if tokens[2].text != b";":
            self.top = _natural(tokens[2])
            _expect(tokens[3], b";")

    def _soft_row(self, tokens: list[Token]) -> _Row:
        cost = _natural(tokens[1])
        _expect(tokens[2], b"]")
        self.is_soft = True
        row = _row(tokens[3:])
        return _Row(row.terms, row.relation, row.bound, cost)


def _row(tokens: list[Token]) -> _Row:
    terms, at = _terms(tokens, 0)
    if tokens[at].kind != "relation":
        if tokens[at].text == b";" and not terms:
            raise _TokenError(tokens[at], "'{line}' has no literals before {word}")
        if tokens[at].text == b";":
            raise _TokenError(tokens[at], "'{line}' has no >= or = with a bound before {word}")
        raise _unknown(tokens[at])
    relation = _RELATIONS[tokens[at].text]
    sign, at = _sign(tokens, at + 1)
    if tokens[at].kind == "other":
        raise _unknown(tokens[at])
    if tokens[at].kind != "number":
        raise _TokenError(tokens[at], "'{line}' has no bound before {word}")
    bound = sign * _number(tokens[at])
    if tokens[at + 1].kind == "other":
        raise _unknown(tokens[at + 1])
    if tokens[at + 1].text != b";":
        raise _TokenError(tokens[at + 1], "the row does not end with ; before {word}")
    return _Row(terms, relation, bound, None)


def _terms(tokens: list[Token], at: int) -> tuple[list[Term], int]:
    """The terms from this token on, and the place of the first token after them."""
    terms: list[Term] = []
    while True:
        start = at
        sign, at = _sign(tokens, at)
        weight = 1
        if tokens[at].kind == "number":
            weight, at = _number(tokens[at]), at + 1
        literals, at = _product(tokens, at)
        if literals:
            terms.append(Term(sign * weight, tuple(literals)))
            continue
        if at == start:
            return terms, at
        if tokens[at].kind == "number":
            raise _TokenError(
                tokens[at], "the variable before {word} is missing: write for instance +1 x1"
            )
        if tokens[at].kind == "other":
            raise _unknown(tokens[at])
        raise _TokenError(tokens[at], "'{line}' has a weight without a variable before {word}")


def _product(tokens: list[Token], at: int) -> tuple[list[bytes], int]:
    """The literals from this token on, which may have * before each, and the place of the first
    token after them.
    """
    literals: list[bytes] = []
    while True:
        is_factor = tokens[at].text == b"*" and (literals or tokens[at - 1].kind == "number")
        token = tokens[at + 1] if is_factor else tokens[at]
        if token.kind != "name":
            if is_factor:
                raise _TokenError(token, "there is no variable before {word}")
            return literals, at
        if not is_factor and literals and token.text[:1] == b"~":
            before = tokens[at - 1]
            if before.position + len(before.text) == token.position:
                raise _TokenError(before, "write a blank before {next}")
        if _DIFFERENCE.fullmatch(token.text):
            raise _TokenError(
                token, "{word} may be one name or a difference: write blanks around -"
            )
        literals.append(token.text)
        at += 2 if is_factor else 1


def _sign(tokens: list[Token], at: int) -> tuple[int, int]:
    """The product of the signs from this token on, and the place of the first token after them."""
    sign = 1
    while tokens[at].text in (b"+", b"-"):
        sign = -sign if tokens[at].text == b"-" else sign
        at += 1
    return sign, at


def _number(token: Token) -> int:
    if len(token.text) > MOST_DIGITS:
        raise _TokenError(token, f"a number has more than {MOST_DIGITS} digits")
    return int(token.text)


def _natural(token: Token) -> int:
    if token.kind != "number" or not (number := _number(token)):
        raise _TokenError(token, "{word} is no cost: costs are whole numbers from 1")
    return number


def _expect(token: Token, text: bytes) -> None:
    if token.text != text:
        raise _TokenError(token, f"expected {text.decode()} in place of {{word}}")


def _unknown(token: Token) -> _TokenError:
    return _TokenError(token, "")


class SpelledText:
    """The text of a file of rows, read. Raises `InputError` if it is not OPB or WBO in any of the
    spellings.
    """

    is_miscounted: bool
    note = ""

    def __init__(self, data: bytes, source: str) -> None:
        self._source = source
        header = _HEADER.match(data)
        is_possible = header is not None and int(header[1]) <= LARGEST
        self.stated = Counts(int(header[1]), int(header[2])) if header and is_possible else None
        self._body = _COMMENT.sub(lambda match: _NOT_NEWLINE.sub(b" ", match[0]), data)
        try:
            self._statements = self._read()
            self._text = self._numbered()
        except _TokenError as error:
            raise self._of_token(error.token, error.reason) from None
        rows = sum(isinstance(part, _Row) for part in self._statements.parts)
        self.held = Counts(self._num_held, rows)
        self.is_miscounted = self.stated is None or (
            self._num_held > self.stated.variables or rows != self.stated.clauses
        )

    def statement(self) -> StatedText:
        """What the text states, with the variables of the header, and all that occur."""
        return self._text

    def difference(self) -> str:
        """How the header differs from what the text holds, in words."""
        return difference(self.stated, self.held, "constraint")

    def _read(self) -> _Statements:
        statements = _Statements()
        tokens: list[Token] = []
        last = Token("mark", b"", 0)
        for match in _TOKEN.finditer(self._body):
            kind = match.lastgroup or ""
            if kind == "blank":
                continue
            last = Token(kind, match[0], match.start())
            tokens.append(last)
            if last.text == b";":
                statements.add(tokens)
                tokens = []
        if tokens:
            # What is wrong before the end comes first.
            end = Token("end", b"", last.position)
            statements.add([*tokens, end, end, end])
        return statements

    def _numbered(self) -> StatedText:
        """The statements with numbers in place of names."""
        names = dict.fromkeys(
            name.removeprefix(b"~")
            for part in self._statements.parts
            for term in (part.terms if isinstance(part, _Row) else part)
            for name in term.literals
        )
        is_named = not all(_NUMBERED.fullmatch(name) and name.strip(b"x0") for name in names)
        if is_named:
            number_of = {name: number for number, name in enumerate(names, 1)}
        else:
            self._check_largest(names)
            number_of = {name: int(name[1:]) for name in names}
        self._num_held = max(number_of.values(), default=0)
        num_variables = self._num_held
        if self.stated and not is_named:
            num_variables = max(num_variables, self.stated.variables)
        shown_names = [name.decode() for name in names] if is_named else []
        return _Numbering(number_of, num_variables).text(self._statements, shown_names)

    def _check_largest(self, names: Iterable[bytes]) -> None:
        for name in names:
            if len(name) > MOST_DIGITS or int(name[1:]) > LARGEST:
                position = self._body.find(name)
                raise _TokenError(
                    Token("name", name, position),
                    beyond("{word}"),
                )

    def _of_token(self, token: Token, reason: str) -> InputError:
        position = token.position
        start = self._body.rfind(b"\n", 0, position) + 1
        end = self._body.find(b"\n", position)
        line = self._body[start : end if end >= 0 else None].strip()
        if not reason:
            before = self._body[start:position]
            begin = start + len(before) - len(_UNREAD.split(before)[-1])
            unread = _UNREAD.split(self._body[begin:end] if end >= 0 else self._body[begin:])[0]
            reason = explain(unread or token.text, line)
        word = _WORD.match(self._body, position)
        reason = reason.replace("{word}", shown(word[0], 24) if word else "")
        if "{next}" in reason:
            after = position + len(token.text)
            reason = reason.replace("{next}", shown(self._body[after : after + 8].split()[0]))
        reason = reason.replace("{line}", shown(line))
        line_number = self._body.count(b"\n", 0, position) + 1
        return InputError(reason, place=Place(self._source, line_number))


class _Numbering:
    """Numbers of variables by their names, and of what the variables after those stand for."""

    def __init__(self, number_of: dict[bytes, int], num_variables: int) -> None:
        self._literal_of = dict(number_of)
        self._literal_of |= {b"~" + name: -number for name, number in number_of.items()}
        self._num_variables = num_variables
        self._definitions: list[Definition] = []
        self._number_of_product: dict[tuple[int, ...], int] = {}

    def text(self, statements: _Statements, names: Sequence[str]) -> StatedText:
        """What the statements say."""
        rows: list[tuple[Sequence[int], Sequence[int], int, int]] = []
        objective = None
        costs: list[tuple[int, int]] = []
        for part in statements.parts:
            if not isinstance(part, _Row):
                literals, weights = self._linear(part)
                objective = _objective(literals, weights, statements.is_maximised)
                continue
            literals, weights = self._linear(part.terms)
            if part.cost is None:
                rows.append((literals, weights, part.relation, part.bound))
                continue
            soft = SoftRow(part.cost, tuple(literals), tuple(weights), part.relation, part.bound)
            costs.append((part.cost, self._number(soft)))
        if statements.is_soft:
            if statements.has_objective:
                raise _TokenError(Token("name", b"min", 0), "soft rows and an objective: use one")
            softs, weights = [number for _, number in costs], [cost for cost, _ in costs]
            objective = _objective(softs, weights, False)
            if statements.top is not None:
                rows.append((softs, weights, AT_MOST, statements.top - 1))
        return StatedText(
            self._num_variables, stated_rows(rows), objective, None, self._definitions, names
        )

    def _linear(self, terms: Sequence[Term]) -> tuple[list[int], list[int]]:
        """The literals and weights of terms, with a variable in place of each product. A product
        that is never true is left out.
        """
        literals, weights = [], []
        for term in terms:
            factors = {self._literal_of[name] for name in term.literals}
            if len({abs(factor) for factor in factors}) < len(factors):
                continue
            key = tuple(sorted(factors, key=abs))
            if len(key) == 1:
                literal = key[0]
            else:
                literal = self._number_of_product.get(key) or self._number(Product(key))
                self._number_of_product[key] = literal
            literals.append(literal)
            weights.append(term.weight)
        return literals, weights

    def _number(self, definition: Definition) -> int:
        self._definitions.append(definition)
        return self._num_variables + len(self._definitions)


def _objective(
    literals: Sequence[int], weights: Sequence[int], is_maximised: bool
) -> StatedObjective:
    return StatedObjective(np.array(literals, np.int32), whole_numbers(weights), is_maximised)
