"""What is made small: clauses, rows and queries as tuples, and the steps that make them smaller."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Final, NamedTuple, Protocol, runtime_checkable

from nqbench.clauses.constraints import Constraints
from nqbench.common.errors import InputError
from nqbench.common.units import counted


@runtime_checkable
class Asked(Protocol):
    """A file of queries that are put to one solver, each with the clauses that come before it and
    its assumptions.
    """

    def asked(self) -> Sequence[tuple[Sequence[Sequence[int]], Sequence[int]]]:
        """What is in the file."""

    def text_of(self, asked: Sequence[tuple[Sequence[Sequence[int]], Sequence[int]]]) -> str:
        """A file of this format with these."""


class Line(NamedTuple):
    """A row: the sum of the weights of the true literals is at least `bound`, or with `is_exact`
    equal to it. A clause has weights of 1 and 1 as bound. With `is_query`, the literals are assumed
    in a query about the clauses before it, and weights and bound say nothing.
    """

    literals: tuple[int, ...]
    weights: tuple[int, ...]
    bound: int
    is_exact: bool = False
    is_query: bool = False

    @classmethod
    def clause(cls, literals: Iterable[int]) -> "Line":
        """A clause."""
        literals = tuple(literals)
        return cls(literals, (1,) * len(literals), 1)

    @classmethod
    def query(cls, assumptions: Iterable[int]) -> "Line":
        """A query with assumptions."""
        assumptions = tuple(assumptions)
        return cls(assumptions, (0,) * len(assumptions), 1, is_query=True)

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
        return Line(literals, weights, self.bound - gained, self.is_exact, self.is_query)


@dataclass(frozen=True, slots=True)
class Statement:
    """A formula in clauses or rows. `is_clauses`: it is written in DIMACS, and otherwise in OPB.
    With `file`, there are queries between the clauses, and it is written as that file is.
    """

    lines: tuple[Line, ...]
    is_clauses: bool
    file: Asked | None = None

    @classmethod
    def of(cls, constraints: Constraints, *, is_clauses: bool) -> "Statement":
        """The clauses and rows of a file. Raises `InputError` if there is an objective."""
        if constraints.objective is not None:
            raise InputError("a file with an objective is not made smaller: leave it out")
        lines = [Line.clause(clause) for clause in constraints.cnf.clauses()]
        for rows in constraints.rows:
            for literals, weights, least, most in rows.one_by_one():
                lines += _rows(tuple(literals), tuple(weights), least, most)
        return cls(tuple(lines), is_clauses)

    @classmethod
    def of_queries(cls, file: Asked) -> "Statement":
        """The queries of a file, and the clauses between them."""
        lines: list[Line] = []
        for clauses, assumptions in file.asked():
            lines += [*map(Line.clause, clauses), Line.query(assumptions)]
        return cls(tuple(lines), is_clauses=True, file=file)

    @property
    def queries(self) -> list[int]:
        """The places of its queries."""
        return [place for place, line in enumerate(self.lines) if line.is_query]

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
        if self.file:
            return ".icnf"
        return ".cnf" if self.is_clauses else ".opb"

    @property
    def clauses(self) -> list[list[int]]:
        """The literals of each line: the clauses, if there are only clauses."""
        return [list(line.literals) for line in self.lines]

    def size(self) -> str:
        """The number of queries, lines and variables, in words."""
        queries = len(self.queries)
        words = [f"{queries} {'query' if queries == 1 else 'queries'}"] if self.file else []
        words.append(counted(len(self.lines) - queries, "clause" if self.is_clauses else "row"))
        return ", ".join([*words, counted(len(self.variables), "variable")])

    def text(self) -> str:
        """The formula in DIMACS or OPB, or its queries."""
        if self.file:
            ends = self.queries
            starts = [0, *(end + 1 for end in ends)]
            clauses = self.clauses
            return self.file.text_of(
                [
                    (clauses[start:end], clauses[end])
                    for start, end in zip(starts, ends, strict=False)
                ]
            )
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
        an empty clause have another fault, unless the start has one. A query needs no assumption.
        """
        return bool(self.lines) and all(line.literals or line.is_query for line in self.lines)

    def with_lines(self, lines: Iterable[Line]) -> "Statement":
        """The statement with other lines. Those that always hold are left out, and clauses that no
        query asks about.
        """
        left = [line for line in lines if not line.always_holds]
        while self.file and left and not left[-1].is_query:
            left.pop()
        return replace(self, lines=tuple(left))

    def with_values(self, true: frozenset[int]) -> "Statement":
        """What is left if these literals are true, without queries that assume another value."""
        negated = set(map(_negated, true))
        return self.with_lines(
            line.with_values(true)
            for line in self.lines
            if not (line.is_query and negated.intersection(line.literals))
        )

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
        return replace(self, lines=tuple(lines))


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


def fix_variables(statement: Statement, keep: Keep, least: float = 0) -> Statement:
    """Give variables a value: what it satisfies goes, and its negations leave the rest. Always at
    least this part of them at once.
    """
    to_try = statement.variables
    size, smallest = _first_size(to_try), max(1, int(least * len(to_try)))
    while to_try:
        for values in _values(statement, to_try[:size]):
            candidate = statement.with_values(values)
            if keep(candidate):
                statement = candidate
                still = set(statement.variables)
                to_try, size = [v for v in to_try[size:] if v in still], 2 * size
                break
        else:
            is_tried = size <= smallest
            to_try, size = to_try[size if is_tried else 0 :], max(smallest, size // 4)
    return statement


def drop_lines(statement: Statement, keep: Keep, least: float = 0) -> Statement:
    """Leave out clauses, rows and queries, always at least this part of them at once."""
    return _drop(statement, keep, least, lambda kept: range(len(kept.lines)))


def drop_queries(statement: Statement, keep: Keep) -> Statement:
    """Leave out queries, and no clauses but those after the last one."""
    return _drop(statement, keep, 0, lambda kept: kept.queries)


def _drop(
    statement: Statement,
    keep: Keep,
    least: float,
    places_in: Callable[[Statement], Sequence[int]],
) -> Statement:
    """Leave out lines at these places."""
    places = places_in(statement)
    start, size, smallest = 0, _first_size(places), max(1, int(least * len(places)))
    while start < len(places):
        left_out = set(places[start : start + size])
        candidate = statement.with_lines(
            line for place, line in enumerate(statement.lines) if place not in left_out
        )
        if keep(candidate):
            statement, places, size = candidate, places_in(candidate), 2 * size
        else:
            start, size = start + size * (size <= smallest), max(smallest, size // 4)
    return statement


def drop_literals(statement: Statement, keep: Keep) -> Statement:
    """Leave single literals out of their rows, and with their weight out of the bound; and single
    assumptions out of their queries.
    """
    for at in range(len(statement.lines)):
        place = 0
        while at < len(statement.lines) and place < len(statement.lines[at].literals):
            line = statement.lines[at]
            if len(line.literals) < 2 and not line.is_query:
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


_COARSE: Final = 1 / 8
"""Smaller parts are tried when no part of this size can go: a large formula has many of them."""

FIX_FIRST: Final[tuple[Pass, ...]] = (
    *(drop_queries, partial(fix_variables, least=_COARSE), partial(drop_lines, least=_COARSE)),
    *(fix_variables, drop_lines, drop_literals),
    *(lower_numbers, renumber),
)
"""For faults: few runs are enough."""

DROP_FIRST: Final[tuple[Pass, ...]] = (
    *(drop_queries, drop_lines, fix_variables, drop_literals),
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
    return replace(statement, lines=lines)


def _values(statement: Statement, variables: list[int]) -> Iterator[frozenset[int]]:
    """Values for these variables: those that queries assume, or else that most lines like; and the
    opposite.
    """
    if not variables:
        return
    liked = dict.fromkeys(variables, 0)
    for line in statement.lines:
        weight = len(statement.lines) if line.is_query else 1
        for literal in line.literals:
            if abs(literal) in liked:
                liked[abs(literal)] += weight if literal > 0 else -weight
    values = [variable if liked[variable] >= 0 else -variable for variable in variables]
    yield frozenset(values)
    yield frozenset(map(_negated, values))


def _first_size(items: Sequence[object]) -> int:
    """How many are tried at once at first. It doubles when that works."""
    return max(1, len(items) // 4)
