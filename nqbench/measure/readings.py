"""Compares what the two readers make of a file: the one of encoders, and that of the judge.

They share no code. Where they differ, the file can be read in two ways, so that a right answer to
one is wrong for the other: no solver is asked.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from nqbench.checking.constraint_file import read_rows
from nqbench.checking.file_rows import BrokenRow, FileRows
from nqbench.clauses import constraint_files
from nqbench.clauses.cnf import Assignment
from nqbench.clauses.definitions import SoftRow
from nqbench.clauses.dimacs_flaws import shown
from nqbench.clauses.rows import AT_LEAST, AT_MOST, CLAUSE, EXACTLY
from nqbench.clauses.stated_text import StatedText
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import AMBIGUOUS
from nqbench.problems.clausal import Clausal

_RELATIONS: Final = {CLAUSE: 1, AT_LEAST: 1, EXACTLY: 0, AT_MOST: -1}
_SIGNS: Final = {1: ">=", 0: "=", -1: "<="}
_SHOWN: Final = 5
"""Terms or names that messages have at most."""


class AmbiguousError(InputError):
    """The two readers differ."""


class _Row(NamedTuple):
    """Pairs of weight and literal, a relation (-1, 0 or 1), and a bound."""

    terms: tuple[tuple[int, int], ...]
    relation: int
    bound: int

    def spelled(self, names: Sequence[str]) -> str:
        """The row as OPB has it, shortened."""
        text = " ".join(
            f"{weight:+} {_spelled(literal, names)}" for weight, literal in self.terms[:_SHOWN]
        )
        return f"'{f'{text} {_SIGNS[self.relation]} {self.bound}'.strip()}'"


def read_twice(problem: Clausal) -> FileRows:
    """The rows of a file as the judge reads them. Raises `AmbiguousError` with the line if the
    reader of encoders has others, and `InputError` if one of the two refuses the file.
    """
    return compare(problem.content(), problem.source, lenient=problem.lenient)


def broken_as_encoded(problem: Clausal, values: Assignment) -> str | None:
    """What values of the variables of a file break, as the reader of encoders reads it: with rows
    that are normalised, and with the bound on the objective that is asked for. None if nothing.
    """
    text = constraint_files.statement(problem.content(), problem.source)
    return problem.formula().broken_by(values if text is None else text.extended(values))


def compare(data: bytes, source: str, *, lenient: bool = False) -> FileRows:
    """The same of a text."""
    theirs = constraint_files.statement(data, source)
    lines = data.splitlines()
    try:
        ours = read_rows(lines, lenient=lenient)
    except InputError as error:
        raise InputError(f"{source}, {error}") from error
    if theirs is None:
        return ours
    if (difference := _difference(theirs, ours)) is not None:
        line, what = difference
        text = lines[line - 1].strip() if 0 < line <= len(lines) else b""
        raise AmbiguousError(
            f"{source} is {AMBIGUOUS}: of line {line}, '{shown(text)}', one reader of nqbench has "
            f"{what}: no solver was asked"
        )
    return ours


def _difference(theirs: StatedText, ours: FileRows) -> tuple[int, str] | None:
    """The line of the first difference, and what each has, in words; None if there is none."""
    if not _same_rows(theirs, ours):
        pairs = zip(_rows_of(theirs), _judged_rows(ours), strict=False)
        for number, (one, other) in enumerate(pairs):
            if one != other:
                line = int(ours.lines[number])
                return line, f"{one.spelled(theirs.names)}, the other {other.spelled(ours.names)}"
        number = min(len(theirs.rows.lengths), len(ours.lines) - 1)
        line = int(ours.lines[number]) if number >= 0 else 1
        return line, f"{len(theirs.rows.lengths)} rows in the file, the other {len(ours.lines)}"
    first = int(ours.lines[0]) if len(ours.lines) else 1
    if _defined(theirs) != _judged_definitions(ours):
        return first, "other products or soft rows than the other"
    objectives = _objective(theirs), _judged_objective(ours)
    if objectives[0] != objectives[1]:
        what = [
            "none" if each is None else f"'{each.spelled(names)}'"
            for each, names in zip(objectives, (theirs.names, ours.names), strict=True)
        ]
        return first, f"the objective {what[0]}, the other {what[1]}"
    if list(theirs.names) != list(ours.names):
        return first, f"the variables {_some(theirs.names)}, the other {_some(ours.names)}"
    if theirs.num_variables != ours.num_variables:
        return 1, f"{theirs.num_variables} variables, the other {ours.num_variables}"
    return None


def _same_rows(theirs: StatedText, ours: FileRows) -> bool:
    """Whether both have the same rows, all at once."""
    rows = theirs.rows
    weights = np.ones(len(rows.literals), np.int64) if rows.weights is None else rows.weights
    relation_of = np.array([_RELATIONS[relation] for relation in range(4)], np.int64)
    pairs = (
        (rows.literals, ours.literals),
        (weights, ours.weights),
        (rows.lengths, np.diff(ours.starts)),
        (relation_of[rows.relations], ours.relations),
        (rows.bounds, ours.bounds),
    )
    return all(
        len(one) == len(other) and bool((np.asarray(one) == np.asarray(other)).all())
        for one, other in pairs
    )


def _rows_of(theirs: StatedText) -> Iterator[_Row]:
    rows, start = theirs.rows, 0
    for length, relation, bound in zip(
        rows.lengths.tolist(), rows.relations.tolist(), rows.bounds.tolist(), strict=True
    ):
        of_row = slice(start, start + length)
        literals = rows.literals[of_row].tolist()
        weights = [1] * length if rows.weights is None else rows.weights[of_row].tolist()
        yield _Row(tuple(zip(weights, literals, strict=True)), _RELATIONS[relation], bound)
        start += length


def _judged_rows(ours: FileRows) -> Iterator[_Row]:
    starts = ours.starts.tolist()
    for row, (relation, bound) in enumerate(
        zip(ours.relations.tolist(), ours.bounds.tolist(), strict=True)
    ):
        of_row = slice(starts[row], starts[row + 1])
        pairs = zip(ours.weights[of_row].tolist(), ours.literals[of_row].tolist(), strict=True)
        yield _Row(tuple(pairs), relation, bound)


def _defined(theirs: StatedText) -> list[object]:
    return [
        (each.cost, each.literals, each.weights, _RELATIONS[each.relation], each.bound)
        if isinstance(each, SoftRow)
        else each.literals
        for each in theirs.definitions
    ]


def _judged_definitions(ours: FileRows) -> list[object]:
    return [
        (each.cost, each.literals, each.weights, each.relation, each.bound)
        if isinstance(each, BrokenRow)
        else each.literals
        for each in ours.definitions
    ]


class _Objective(NamedTuple):
    """Weights with literals: a sum that is to be small or large, or the costs of false clauses."""

    terms: Sequence[tuple[int, tuple[int, ...]]]
    is_sum: bool
    is_maximised: bool

    def spelled(self, names: Sequence[str]) -> str:
        """The objective, shortened."""
        terms = (
            f"{weight:+} {' '.join(_spelled(literal, names) for literal in literals)}"
            for weight, literals in self.terms[:_SHOWN]
        )
        return f"{'max' if self.is_maximised else 'min'}: {' '.join(terms)}"


def _objective(theirs: StatedText) -> _Objective | None:
    if theirs.soft is not None:
        soft, start = theirs.soft, 0
        clauses = []
        for length, weight in zip(soft.lengths.tolist(), soft.weights.tolist(), strict=True):
            clauses.append((weight, tuple(soft.literals[start : start + length].tolist())))
            start += length
        return _Objective(clauses, is_sum=False, is_maximised=False)
    if (objective := theirs.objective) is None:
        return None
    literals = ((literal,) for literal in objective.literals.tolist())
    terms = list(zip(objective.weights.tolist(), literals, strict=True))
    return _Objective(terms, is_sum=True, is_maximised=objective.is_maximised)


def _judged_objective(ours: FileRows) -> _Objective | None:
    costs = ours.costs
    if costs is None:
        return None
    return _Objective(list(costs.terms), costs.is_sum, costs.is_maximised)


def _spelled(literal: int, names: Sequence[str]) -> str:
    variable = abs(literal)
    name = names[variable - 1] if variable <= len(names) else f"x{variable}"
    return f"~{name}" if literal < 0 else name


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) or "x1, x2, ..."
