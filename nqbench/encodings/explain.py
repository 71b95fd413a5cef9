"""Finds the clauses that mention a square, sorted by the line of the board that they constrain.

Works on any formula whose first n*n variables are the squares, since it looks only at the clauses
and not at the encoding.
"""

from dataclasses import dataclass
from typing import Final

from nqbench.clauses.cnf import CNF
from nqbench.problems.queens import Square, square_of, variable_of

LINES: Final = ("row", "column", "falling diagonal", "rising diagonal", "board")
"""The falling diagonal runs down to the right, the rising one up; board means several lines."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A clause that mentions the square, as literals and as names, and the line it constrains."""

    line: str
    literals: tuple[int, ...]
    names: tuple[str, ...]


def mentions(cnf: CNF, n: int, square: Square) -> list[Mention]:
    """Return the clauses that mention the square, in the order of `LINES` and then of the formula.

    A clause with auxiliary variables belongs to the line of all squares that these variables are
    linked to, directly or through other clauses.
    """
    variable = variable_of(square, n)
    clauses = [tuple(clause) for clause in cnf.clauses()]
    scopes = _scopes(clauses, n)
    unsorted = [
        Mention(_line(_squares(clause, scopes, n), n), clause, _names(clause, n))
        for clause in clauses
        if variable in map(abs, clause)
    ]
    return sorted(unsorted, key=lambda mention: LINES.index(mention.line))


def _scopes(clauses: list[tuple[int, ...]], n: int) -> dict[int, set[int]]:
    """The squares that each auxiliary variable is linked to, found by merging linked variables."""
    scopes: dict[int, set[int]] = {}
    members: dict[int, list[int]] = {}
    for clause in clauses:
        variables = [abs(literal) for literal in clause]
        auxiliary = [v for v in variables if v > n * n]
        if not auxiliary:
            continue
        squares = {v for v in variables if v <= n * n}
        for v in auxiliary:
            if v not in scopes:
                scopes[v], members[v] = set(), [v]
        largest = max(auxiliary, key=lambda v: len(members[v]))
        joined, group = scopes[largest], members[largest]
        joined |= squares
        for v in auxiliary:
            if scopes[v] is not joined:
                joined |= scopes[v]
                group += members[v]
                for moved in members[v]:
                    scopes[moved], members[moved] = joined, group
    return scopes


def _squares(clause: tuple[int, ...], scopes: dict[int, set[int]], n: int) -> set[int]:
    variables = [abs(literal) for literal in clause]
    squares = {v for v in variables if v <= n * n}
    return squares.union(*(scopes[v] for v in variables if v > n * n))


def _line(squares: set[int], n: int) -> str:
    places = [square_of(variable, n) for variable in squares]
    keys = {
        "row": {row for row, _ in places},
        "column": {column for _, column in places},
        "falling diagonal": {row - column for row, column in places},
        "rising diagonal": {row + column for row, column in places},
    }
    common = [line for line, values in keys.items() if len(values) == 1]
    return common[0] if len(common) == 1 else "board"


def _names(clause: tuple[int, ...], n: int) -> tuple[str, ...]:
    return tuple(_name(literal, n) for literal in clause)


def _name(literal: int, n: int) -> str:
    variable = abs(literal)
    row, column = square_of(variable, n)
    name = f"q[{row},{column}]" if variable <= n * n else f"a[{variable}]"
    return name if literal > 0 else f"not {name}"
