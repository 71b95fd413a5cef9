"""What is made small: clauses and rows as tuples, and each step that makes them smaller."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

from nqbench.clauses.constraints import Constraints
from nqbench.common.errors import InputError
from nqbench.common.units import counted


class Line(NamedTuple):
    """A row: the sum of the weights of the true literals is at least `bound`, or with `is_exact`
    equal to it. A clause has weights of 1 and 1 as bound.
    """

    literals: tuple[int, ...]
    weights: tuple[int, ...]
    bound: int
    is_exact: bool = False

    @property
    def always_holds(self) -> bool:
        """Whether no values break it."""
        return self.bound <= 0 and not (self.is_exact and (self.literals or self.bound))

    def without(self, place: int) -> "Line":
        """The row without a literal, and with the same bound."""
        literals = self.literals[:place] + self.literals[place + 1 :]
        return self._replace(
            literals=literals, weights=self.weights[:place] + self.weights[place + 1 :]
        )

    def with_values(self, true: frozenset[int]) -> "Line":
        """What is left of the row if these literals are true."""
        left = [
            (literal, weight)
            for literal, weight in zip(self.literals, self.weights, strict=True)
            if literal not in true and -literal not in true
        ]
        gained = sum(
            weight for each, weight in zip(self.literals, self.weights, strict=True) if each in true
        )
        literals, weights = zip(*left, strict=True) if left else ((), ())
        return Line(literals, weights, self.bound - gained, self.is_exact)


@dataclass(frozen=True, slots=True)
class Statement:
    """A formula in clauses or rows. `is_clauses`: it is written in DIMACS, and otherwise in OPB."""

    lines: tuple[Line, ...]
    is_clauses: bool

    @classmethod
    def of(cls, constraints: Constraints, *, is_clauses: bool) -> "Statement":
        """The clauses and rows of a file. Raises `InputError` if there is an objective."""
        if constraints.objective is not None:
            raise InputError("a file with an objective is not made smaller: leave it out")
        lines = [Line(tuple(clause), (1,) * len(clause), 1) for clause in constraints.cnf.clauses()]
        for rows in constraints.rows:
            for literals, weights, least, most in rows.one_by_one():
                lines += _rows(tuple(literals), tuple(weights), least, most)
        return cls(tuple(lines), is_clauses)

    @property
    def variables(self) -> list[int]:
        """The variables that occur, those that occur most first."""
        count: dict[int, int] = {}
        for literal in chain.from_iterable(line.literals for line in self.lines):
            count[abs(literal)] = count.get(abs(literal), 0) + 1
        return sorted(count, key=lambda variable: (-count[variable], variable))

    @property
    def suffix(self) -> str:
        """That of a file with its `text`."""
        return ".cnf" if self.is_clauses else ".opb"

    @property
    def clauses(self) -> list[list[int]]:
        """The literals of each line: the clauses, if there are only clauses."""
        return [list(line.literals) for line in self.lines]

    def size(self) -> str:
        """The number of lines and variables, in words."""
        lines = counted(len(self.lines), "clause" if self.is_clauses else "row")
        return f"{lines}, {counted(len(self.variables), 'variable')}"

    def text(self) -> str:
        """The formula in DIMACS or OPB."""
        last = max(self.variables, default=0)
        if self.is_clauses:
            rows = (" ".join(map(str, [*line.literals, 0])) for line in self.lines)
            return "\n".join([f"p cnf {last} {len(self.lines)}", *rows, ""])
        return "\n".join(
            [
                f"* #variable= {last} #constraint= {len(self.lines)}",
                *map(_opb, self.lines),
                "",
            ]
        )

    @property
    def is_sensible(self) -> bool:
        """Whether it has lines, and each has a literal: OPB has no others, and solvers that fail on
        an empty clause have another fault.
        """
        return bool(self.lines) and all(line.literals for line in self.lines)

    def with_lines(self, lines: Iterable[Line]) -> "Statement":
        """The statement with other lines; those that always hold are left out."""
        return Statement(tuple(line for line in lines if not line.always_holds), self.is_clauses)

    def renumbered(self) -> "Statement":
        """The same with variables from 1 on, in their order."""
        number = {variable: i for i, variable in enumerate(sorted(self.variables), 1)}
        lines = (
            line._replace(
                literals=tuple(
                    number[abs(literal)] * (1 if literal > 0 else -1) for literal in line.literals
                )
            )
            for line in self.lines
        )
        return Statement(tuple(lines), self.is_clauses)


def _rows(
    literals: tuple[int, ...], weights: tuple[int, ...], least: int, most: int
) -> Iterator[Line]:
    """A row with two bounds as rows with one each, or with an exact one."""
    total = sum(weights)
    if least == most:
        yield Line(literals, weights, least, is_exact=True)
        return
    if least > 0:
        yield Line(literals, weights, least)
    if most < total:
        yield Line(tuple(-literal for literal in literals), weights, total - most)


def _opb(line: Line) -> str:
    terms = (
        f"+{weight} {'~' if literal < 0 else ''}x{abs(literal)}"
        for literal, weight in zip(line.literals, line.weights, strict=True)
    )
    return f"{' '.join(terms)} {'=' if line.is_exact else '>='} {line.bound} ;"


Keep = Callable[[Statement], bool]
"""Whether a smaller statement is kept, since it shows the same."""

Pass = Callable[[Statement, Keep], Statement]
"""Tries smaller statements, each from the last one that was kept, which it returns."""


def fix_variables(statement: Statement, keep: Keep) -> Statement:
    """Give variables a value: what it satisfies goes, and its negations leave the rest."""
    to_try = statement.variables
    size = _first_size(to_try)
    while to_try:
        for values in _values(statement, to_try[:size]):
            candidate = statement.with_lines(line.with_values(values) for line in statement.lines)
            if keep(candidate):
                statement = candidate
                still = set(statement.variables)
                to_try, size = [v for v in to_try[size:] if v in still], 2 * size
                break
        else:
            to_try, size = (to_try[1:], 1) if size == 1 else (to_try, _smaller(size))
    return statement


def drop_lines(statement: Statement, keep: Keep) -> Statement:
    """Leave out clauses or rows."""
    start, size = 0, _first_size(statement.lines)
    while start < len(statement.lines):
        lines = statement.lines[:start] + statement.lines[start + size :]
        candidate = statement.with_lines(lines)
        if keep(candidate):
            statement, size = candidate, 2 * size
        else:
            start, size = (start + 1, 1) if size == 1 else (start, _smaller(size))
    return statement


def drop_literals(statement: Statement, keep: Keep) -> Statement:
    """Leave single literals out of their rows, and with their weight out of the bound."""
    for at in range(len(statement.lines)):
        place = 0
        while at < len(statement.lines) and place < len(statement.lines[at].literals):
            line = statement.lines[at]
            if len(line.literals) < 2:
                break
            smaller = line.without(place)
            both = [smaller, smaller._replace(bound=line.bound - line.weights[place])]
            for other in both[: 1 if statement.is_clauses else 2]:
                candidate = _with_line(statement, at, other)
                if candidate is not None and keep(candidate):
                    statement = candidate
                    break
            else:
                place += 1
    return statement


def lower_numbers(statement: Statement, keep: Keep) -> Statement:
    """Lower weights and bounds: to 1, by half, by 1."""
    for at in range(0 if statement.is_clauses else len(statement.lines)):
        for place in range(-1, len(statement.lines[at].literals)):
            is_lower = True
            while is_lower:
                is_lower = False
                line = statement.lines[at]
                number = line.bound if place < 0 else line.weights[place]
                for lower in dict.fromkeys((1, number // 2, number - 1)):
                    if not 0 < lower < number:
                        continue
                    other = (
                        line._replace(bound=lower)
                        if place < 0
                        else line._replace(
                            weights=(*line.weights[:place], lower, *line.weights[place + 1 :])
                        )
                    )
                    candidate = _with_line(statement, at, other)
                    if candidate is not None and keep(candidate):
                        statement, is_lower = candidate, True
                        break
    return statement


def renumber(statement: Statement, keep: Keep) -> Statement:
    """Number variables from 1 on."""
    candidate = statement.renumbered()
    return candidate if candidate == statement or keep(candidate) else statement


FIX_FIRST: Final[tuple[Pass, ...]] = (
    *(fix_variables, drop_lines, drop_literals),
    *(lower_numbers, renumber),
)
"""For faults: few runs are enough."""

DROP_FIRST: Final[tuple[Pass, ...]] = (
    *(drop_lines, fix_variables, drop_literals),
    *(lower_numbers, renumber),
)
"""For slow formulas, where a value too many makes them easy."""


def _negated(literal: int) -> int:
    return -literal


def _with_line(statement: Statement, at: int, line: Line) -> Statement | None:
    """The statement with one line changed; None if it always holds then, which is another step."""
    if line.always_holds:
        return None
    lines = (*statement.lines[:at], line, *statement.lines[at + 1 :])
    return Statement(lines, statement.is_clauses)


def _values(statement: Statement, variables: list[int]) -> Iterator[frozenset[int]]:
    """Values for these variables: those that most lines like, and the opposite."""
    if not variables:
        return
    liked = dict.fromkeys(variables, 0)
    for line in statement.lines:
        for literal in line.literals:
            if abs(literal) in liked:
                liked[abs(literal)] += 1 if literal > 0 else -1
    values = [variable if liked[variable] >= 0 else -variable for variable in variables]
    yield frozenset(values)
    yield frozenset(map(_negated, values))


def _first_size(items: Sequence[object]) -> int:
    """How many are tried at once at first. It doubles when that works."""
    return max(1, len(items) // 4)


def _smaller(size: int) -> int:
    """How many are tried at once after these together were too many."""
    return max(1, size // 4)
