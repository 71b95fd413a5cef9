"""The at-most-one constraints of a formula.

Those with auxiliary variables are found first: see `hidden`. The others are cliques of clauses of
two literals. Such a clause says that not both of their negations are true. So it is an edge between
these negations, and a clique of such edges is an at-most-one constraint, whatever the formula was
made from. A constraint is exactly-one if a clause says that one of its literals, or more, are true.

Some constraints need no clause of two literals. If the literals of a clause occur nowhere else,
then of a model in which several of them are true, all but one can be made false: no other clause
needs them. So exactly one of them may be assumed to be true. The formula keeps a model, if it has
one, but not every model.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import CNF, Block
from nqbench.clauses.rewriting import AtMostOne
from nqbench.clauses.rewriting.cliques import Edges, are_in, cover_edges
from nqbench.clauses.rewriting.hidden import find_hidden

_BASE: Final = np.int64(2**32)
"""More than any number of a literal."""

LEAST: Final = 3
"""Literals of the smallest constraint; two literals are a clause."""

LEAST_HIDDEN: Final = 4
"""Literals of the smallest constraint with auxiliary variables. With three, many a definition of a
variable looks like one.
"""


@dataclass(frozen=True, slots=True)
class Detection:
    """The constraints of a formula, the largest first. `is_exact`: those without auxiliary
    variables were chosen from all that the clauses contain. `binary` is the number of different
    clauses of two literals, without those of auxiliary variables, and `left` how many of them are
    in no constraint. `implicit` are the clauses of at least three literals that occur nowhere else.
    """

    constraints: list[AtMostOne]
    is_exact: bool
    binary: int
    left: int
    implicit: list[tuple[int, ...]]

    @property
    def sizes(self) -> dict[int, int]:
        """The number of constraints of each size, the largest first."""
        sizes = [len(constraint.literals) for constraint in self.constraints]
        return {size: sizes.count(size) for size in sorted(set(sizes), reverse=True)}


def find_constraints(formula: CNF, least: int = LEAST) -> Detection:
    """Find the at-most-one constraints of at least so many literals.

    Every binary clause is in a constraint, belongs to one with auxiliary variables, or is counted
    as left.
    """
    formula = formula.by_width()
    encoded = find_hidden(formula, max(least, LEAST_HIDDEN))
    edges = edges_of(without(formula, encoded))
    cover = cover_edges(2 * formula.num_variables + 2, edges)
    cliques = [_literals(clique) for clique in cover.cliques if len(clique) >= least]
    wide = _not_within(cliques, encoded)
    with_clause = literals_of_clauses(
        formula, wide + [constraint.literals for constraint in encoded]
    )
    constraints = [AtMostOne(literals, literals in with_clause) for literals in wide]
    constraints += [
        replace(constraint, exactly=constraint.exactly or constraint.literals in with_clause)
        for constraint in encoded
    ]
    constraints.sort(key=lambda constraint: (-len(constraint.literals), constraint.literals))
    num_left = int((~are_covered(edges, constraints)).sum())
    return Detection(constraints, cover.is_exact, len(edges), num_left, implicit(formula))


def without(formula: CNF, constraints: Iterable[AtMostOne]) -> CNF:
    """The formula without the clauses of the auxiliary variables of these constraints."""
    auxiliary = auxiliary_of(constraints, formula.num_variables)
    if not auxiliary.any():
        return formula
    blocks = (block[~auxiliary[np.abs(block)].any(axis=1)] for block in formula.blocks)
    return CNF(formula.num_variables, formula.num_main, tuple(filter(len, blocks)))


def auxiliary_of(constraints: Iterable[AtMostOne], variables: int) -> NDArray[np.bool_]:
    """Whether each variable is an auxiliary one of these constraints, shape (variables + 1,)."""
    auxiliary = np.zeros(variables + 1, np.bool_)
    for constraint in constraints:
        auxiliary[list(constraint.auxiliary)] = True
    return auxiliary


def _not_within(
    cliques: list[tuple[int, ...]], constraints: list[AtMostOne]
) -> list[tuple[int, ...]]:
    """The cliques that are not part of one of these constraints."""
    of_literal = defaultdict(set)
    for number, constraint in enumerate(constraints):
        for literal in constraint.literals:
            of_literal[literal].add(number)
    return [
        clique
        for clique in cliques
        if not set.intersection(*(of_literal.get(literal, set()) for literal in clique))
    ]


def implicit(formula: CNF) -> list[tuple[int, ...]]:
    """The clauses of at least `LEAST` literals that occur nowhere else."""
    occurring = np.zeros(2 * formula.num_variables + 2, np.int64)
    for block in formula.blocks:
        occurring += np.bincount(literal_indices(block).ravel(), minlength=len(occurring))
    return [
        tuple(clause)
        for block in formula.blocks
        if block.shape[1] >= LEAST
        for clause in block[(occurring[literal_indices(block)] == 1).all(axis=1)].tolist()
    ]


def edges_of(formula: CNF) -> Edges:
    """The edges that the binary clauses are, each once, between the numbers of literals."""
    blocks = [block for block in formula.blocks if block.shape[1] == 2]
    if not blocks:
        return np.zeros((0, 2), np.int64)
    clauses = np.concatenate(blocks)
    ends = np.sort(literal_indices(-clauses), axis=1)
    # A literal with its negation, or twice, says nothing about two literals.
    ends = ends[ends[:, 0] >> 1 != ends[:, 1] >> 1]
    every = np.sort(ends[:, 0] * _BASE + ends[:, 1])
    is_first = np.diff(every, prepend=-1) > 0
    return np.stack(np.divmod(every[is_first], _BASE), axis=1)


def literal_indices(literals: Block) -> Edges:
    """The number of each literal: 2 v for variable v, and 2 v + 1 for its negation."""
    wide = literals.astype(np.int64)
    return 2 * np.abs(wide) + (wide < 0)


def _literals(clique: list[int]) -> tuple[int, ...]:
    return tuple(sorted((-(n >> 1) if n & 1 else n >> 1 for n in clique), key=abs))


def literals_of_clauses(formula: CNF, constraints: list[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """The constraints whose literals are a clause of the formula."""
    with_clause = set()
    by_size: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    for literals in constraints:
        by_size[len(literals)].append(literals)
    for size, some in by_size.items():
        rows = _rows(np.array(some, np.int32))
        has_clause = np.zeros(len(some), np.bool_)
        for block in formula.blocks:
            if block.shape[1] == size:
                has_clause |= np.isin(rows, _rows(block))
        with_clause |= {
            literals for literals, is_stated in zip(some, has_clause, strict=True) if is_stated
        }
    return with_clause


def _rows(block: Block) -> NDArray[np.void]:
    """Each row as one value that does not depend on the order of its literals, shape (rows,)."""
    ordered = np.ascontiguousarray(np.sort(block, axis=1))
    return ordered.view(np.dtype((np.void, ordered.itemsize * ordered.shape[1]))).ravel()


def are_covered(edges: Edges, constraints: list[AtMostOne]) -> NDArray[np.bool_]:
    """Whether each edge is in one of the constraints, shape (edges,)."""
    pairs = [np.zeros((0, 2), np.int64)]
    for constraint in constraints:
        nodes = np.sort(literal_indices(np.array(constraint.literals, np.int32)))
        first, second = np.triu_indices(len(nodes), 1)
        pairs.append(np.column_stack([nodes[first], nodes[second]]))
    inside = np.concatenate(pairs)
    some = np.sort(inside[:, 0] * _BASE + inside[:, 1])
    return are_in(edges[:, 0] * _BASE + edges[:, 1], some)
