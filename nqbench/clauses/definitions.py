"""What a file has besides rows: soft clauses, and variables of products and soft rows.

A product of literals is a variable that is true if and only if all of them are. A soft row of WBO
is a variable that is true if the row may be broken, which costs its weight. They come after all
variables of the file, in the order in which it has them first.

O. Roussel, V. Manquinho, "Input/output format and solver requirements for the competitions of
pseudo-Boolean solvers", 2012, sections 3 and 4.

A soft clause of several literals gets a new variable, which is true if the clause may be false, and
which costs the weight. A clause of one literal needs none: its negation costs the weight. So the
least value of the objective is the least weight of clauses that are false.

Z. Fu, S. Malik, "On solving the partial MAX-SAT problem", SAT 2006.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import CNF, Block
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.rows import (
    AT_LEAST,
    AT_MOST,
    CLAUSE,
    EXACTLY,
    Integers,
    Objective,
    whole_numbers,
)
from nqbench.clauses.stated_rows import StatedRows

Row = tuple[Sequence[int], Sequence[int], int, int]
"""Literals, their weights, the relation and the bound."""


@dataclass(frozen=True, slots=True)
class Product:
    """Two or more literals of different variables, sorted by these."""

    literals: tuple[int, ...]

    def value(self, values: Sequence[bool]) -> bool:
        """The value of the variable, by those of the variables before it."""
        return all(_is_true(literal, values) for literal in self.literals)

    def rows(self, variable: int) -> Iterator[Row]:
        """Yield clauses that make the variable true if and only if all literals are."""
        clauses = [(variable, *(-literal for literal in self.literals))]
        clauses += [(-variable, literal) for literal in self.literals]
        for clause in clauses:
            yield clause, (1,) * len(clause), CLAUSE, 1


@dataclass(frozen=True, slots=True)
class SoftRow:
    """A row that may be broken, which costs the `cost`."""

    cost: int
    literals: tuple[int, ...]
    weights: tuple[int, ...]
    relation: int
    bound: int

    def value(self, values: Sequence[bool]) -> bool:
        """Whether the row is broken."""
        pairs = zip(self.literals, self.weights, strict=True)
        total = sum(weight for literal, weight in pairs if _is_true(literal, values))
        is_less, is_more = total < self.bound, total > self.bound
        return (is_less and self.relation != AT_MOST) or (is_more and self.relation != AT_LEAST)

    def rows(self, variable: int) -> Iterator[Row]:
        """Yield rows that hold if the variable is true or the row holds."""
        literals = (*self.literals, variable)
        if self.relation in (AT_LEAST, EXACTLY):
            lacking = self.bound - sum(weight for weight in self.weights if weight < 0)
            if lacking > 0:
                yield literals, (*self.weights, lacking), AT_LEAST, self.bound
        if self.relation in (AT_MOST, EXACTLY):
            surplus = sum(weight for weight in self.weights if weight > 0) - self.bound
            if surplus > 0:
                yield literals, (*self.weights, -surplus), AT_MOST, self.bound


Definition = Product | SoftRow


def _is_true(literal: int, values: Sequence[bool]) -> bool:
    return values[abs(literal) - 1] == (literal > 0)


def rows_of(definitions: Sequence[Definition], num_variables: int) -> Iterator[Row]:
    """Yield the rows of all definitions, whose variables follow those of the file."""
    for number, definition in enumerate(definitions, num_variables + 1):
        yield from definition.rows(number)


def stated_rows(rows: Sequence[Row]) -> StatedRows:
    """The rows as arrays."""
    weights = [weight for _, factors, _, _ in rows for weight in factors]
    return StatedRows(
        np.array([literal for literals, _, _, _ in rows for literal in literals], np.int32),
        None if all(weight == 1 for weight in weights) else whole_numbers(weights),
        np.array([len(literals) for literals, _, _, _ in rows], np.int64),
        np.array([relation for _, _, relation, _ in rows], np.uint8),
        whole_numbers([bound for _, _, _, bound in rows]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class SoftClauses:
    """The literals of all clauses one after the other, int32; for each clause its number of
    literals and its weight.
    """

    literals: NDArray[np.int32]
    lengths: Integers
    weights: Integers

    def relaxed(self, formula: Formula) -> Constraints:
        """The formula with these clauses, and their weights as its objective. New variables come
        after its own.
        """
        constraints = Constraints(formula) if isinstance(formula, CNF) else formula
        is_long = self.lengths > 1
        first = constraints.num_variables + 1
        fresh = np.arange(first, first + is_long.sum(), dtype=np.int32)
        starts = np.cumsum(self.lengths) - self.lengths
        blocks: list[Block] = []
        costs = np.zeros(len(self.lengths), np.int32)
        costs[is_long] = fresh
        costs[self.lengths == 1] = -self.literals[starts[self.lengths == 1]]
        for length in dict.fromkeys(self.lengths[is_long].tolist()):
            rows = np.flatnonzero(self.lengths == length)
            clauses = self.literals[starts[rows, np.newaxis] + np.arange(length)]
            blocks.append(np.concatenate([clauses, costs[rows, np.newaxis]], axis=1))
        is_empty = self.lengths == 0
        cnf = constraints.cnf
        return Constraints(
            CNF(first - 1 + len(fresh), cnf.num_main, (*cnf.blocks, *blocks)),
            constraints.rows,
            Objective.of(
                costs[~is_empty].tolist(),
                self.weights[~is_empty].tolist(),
                sum(self.weights[is_empty].tolist()),
            ),
            num_fresh=len(fresh),
        )
