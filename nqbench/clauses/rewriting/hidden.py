"""At-most-one constraints that are written with auxiliary variables: guessed, then verified.

A guess is a set of variables that may be auxiliary: they occur with both signs, or with one, and
only in short clauses. Those that share a clause form a cluster. The other variables in the clauses
of a cluster are its border, and clusters whose borders lie in another border belong to it, and so
do clauses of two literals of the border. The guess is right, whatever it came from, if the clauses

- imply that at most one literal of the border is true, and
- can be satisfied, by some values of the auxiliary variables, for each single literal that is true.

Then they say nothing else. No other clause contains one of the auxiliary variables, so these can be
left out together with their clauses. If no values are left when no literal is true, the constraint
is exactly-one.

The guesses follow J. Reeves, M. Heule, R. Bryant, "From clauses to klauses", CAV 2024, which
verifies them with a BDD; here a solver propagates.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from nqbench.clauses.cnf import CNF, Block
from nqbench.clauses.rewriting import AtMostOne

GUESSES: Final = ((2, ()), (3, ()), (5, ()), (3, (1,)), (3, (-1,)), (3, (1, -1)))
"""The guesses, one after the other: the literals of the longest clause of an auxiliary variable,
and the signs of one that has only one sign.
"""

MOST_CLAUSES: Final = 200_000
"""Clauses of a guess, above which it is not looked at."""

MOST_UNPROPAGATED: Final = 10_000
"""Pairs of literals that a solver has to search for, since they do not follow by propagation."""

_FEWER: Final = 4
"""No encoding of at most one of k has fewer clauses than 2 k + sqrt(k) - O(1): P. Kučera,
P. Savický, V. Vorel, Theoretical Computer Science 762, 2019.
"""

_SOLVER: Final = "glucose4"

Mask = NDArray[np.bool_]
"""Whether a variable is in a set, shape (variables + 1,)."""


@dataclass(slots=True)
class _Cluster:
    auxiliary: set[int]
    border: set[int]
    clauses: list[list[int]]


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """The clauses of two literals, shape (clauses, 2), sorted by their smaller variable: those of
    variable v are from `starts[v]` to `starts[v + 1]`.
    """

    clauses: Block
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, formula: CNF) -> "_Pairs":
        blocks = [block for block in formula.blocks if block.shape[1] == 2]
        clauses = np.concatenate([np.zeros((0, 2), np.int32), *blocks])
        smaller = np.abs(clauses).min(axis=1)
        order = np.argsort(smaller, kind="stable")
        starts = np.searchsorted(smaller[order], np.arange(formula.num_variables + 2))
        return cls(clauses[order], starts)

    def among(self, variables: set[int]) -> list[list[int]]:
        """The clauses both of whose variables are among these."""
        return [
            clause
            for variable in variables
            for clause in self.clauses[self.starts[variable] : self.starts[variable + 1]].tolist()
            if variables.issuperset(map(abs, clause))
        ]


def find_hidden(formula: CNF, least: int) -> list[AtMostOne]:
    """The constraints of at least so many literals that have auxiliary variables."""
    every: list[AtMostOne] = []
    pairs, occurring = _Pairs.of(formula), _Occurring.of(formula)
    is_used = np.zeros(formula.num_variables + 1, np.bool_)
    before = is_used
    for width, signs in GUESSES:
        candidates = occurring.within(width, signs) & ~is_used
        # The same variables would give the same guesses.
        if np.array_equal(candidates, before):
            continue
        before = candidates
        for guess in _guesses(list(_clusters(formula, candidates)), least):
            border_pairs = pairs.among(guess.border)
            guess.clauses += border_pairs
            k = len(guess.border)
            is_stated = len({frozenset(pair) for pair in border_pairs}) == math.comb(k, 2)
            # A literal of one constraint must not be dropped with another.
            is_dropped = is_used[list(guess.border)].any()
            if is_stated or is_dropped or len(guess.clauses) < 2 * k - _FEWER:
                continue
            constraint = _verified(guess)
            if constraint and (outputs := occurring.outputs(constraint, guess)):
                inside = _Cluster(guess.auxiliary | outputs, guess.border - outputs, guess.clauses)
                constraint = _verified(inside) or constraint
            if constraint and len(constraint.literals) >= least:
                every.append(constraint)
                is_used[list(constraint.auxiliary)] = True
    return every


@dataclass(frozen=True, slots=True, eq=False)
class _Occurring:
    """How often each variable occurs with each sign, the literals of its longest clause, and
    whether a clause is nothing but this variable; each of shape (variables + 1,).
    """

    positive: NDArray[np.int64]
    negative: NDArray[np.int64]
    longest: NDArray[np.int64]
    fixed: Mask

    @classmethod
    def of(cls, formula: CNF) -> "_Occurring":
        fixed = np.zeros(formula.num_variables + 1, np.bool_)
        positive, negative, longest = np.zeros((3, formula.num_variables + 1), np.int64)
        for block in formula.blocks:
            positive += np.bincount(block[block > 0], minlength=len(positive))
            negative += np.bincount(-block[block < 0], minlength=len(negative))
            variables = np.abs(block)
            longest[variables] = np.maximum(longest[variables], block.shape[1])
            if block.shape[1] == 1:
                fixed[variables] = True
        return cls(positive, negative, longest, fixed)

    def within(self, width: int, signs: Sequence[int]) -> Mask:
        """The variables whose clauses have at most so many literals, and that have both signs or
        only one of these, or one value.
        """
        candidates = (self.positive > 0) & (self.negative > 0) | self.fixed
        if 1 in signs:
            candidates |= self.positive > 0
        if -1 in signs:
            candidates |= self.negative > 0
        return candidates & (self.longest <= width)

    def outputs(self, constraint: AtMostOne, guess: _Cluster) -> set[int]:
        """The variables of a constraint that occur nowhere else, with another sign than most: the
        unused outputs of a network of comparators.
        """
        own = Counter(abs(literal) for clause in guess.clauses for literal in clause)
        most = 1 if sum(np.sign(constraint.literals)) > 0 else -1
        rare = {abs(literal) for literal in constraint.literals if literal * most < 0}
        return {v for v in rare if own[v] == self.positive[v] + self.negative[v]}


def _guesses(clusters: Sequence[_Cluster], least: int) -> Iterator[_Cluster]:
    """Each cluster with a wide border, and those whose borders lie in it."""
    of_variable: dict[int, list[int]] = defaultdict(list)
    for number, cluster in enumerate(clusters):
        for variable in cluster.border:
            of_variable[variable].append(number)
    used_clusters: set[int] = set()
    largest_first = sorted(range(len(clusters)), key=lambda at: -len(clusters[at].border))
    for number in largest_first:
        border = clusters[number].border
        if len(border) < least:
            return
        if number in used_clusters:
            continue
        near = {other for variable in border for other in of_variable[variable]}
        members = sorted(
            member for member in near - used_clusters if clusters[member].border <= border
        )
        used_clusters.update(members)
        yield _Cluster(
            set().union(*(clusters[member].auxiliary for member in members)),
            border,
            [clause for member in members for clause in clusters[member].clauses],
        )


def _clusters(formula: CNF, candidates: Mask) -> Iterator[_Cluster]:
    """The chosen variables that are connected by clauses, and the clauses that contain them."""
    touching = [block[candidates[np.abs(block)].any(axis=1)] for block in formula.blocks]
    touching = [block for block in touching if len(block)]
    if not touching:
        return
    # In each clause, its first chosen variable stands for it.
    firsts, edges = [], []
    for block in touching:
        variables = np.abs(block)
        inside = candidates[variables]
        first = variables[np.arange(len(block)), inside.argmax(axis=1)]
        firsts.append(first)
        for column, is_inside in zip(variables.T, inside.T, strict=True):
            edges.append(np.stack([first[is_inside], column[is_inside]]))
    rows, columns = np.concatenate(edges, axis=1)
    graph = coo_array((np.ones(len(rows), np.bool_), (rows, columns)), shape=(len(candidates),) * 2)
    _, component = connected_components(graph, directed=False)
    small = np.bincount(component[np.concatenate(firsts)]) <= MOST_CLAUSES
    clauses: dict[int, list[list[int]]] = defaultdict(list)
    for block, first in zip(touching, firsts, strict=True):
        is_small = small[component[first]]
        labels = component[first[is_small]].tolist()
        for label, clause in zip(labels, block[is_small].tolist(), strict=True):
            clauses[label].append(clause)
    for own in clauses.values():
        variables_here = {abs(literal) for clause in own for literal in clause}
        auxiliary = {variable for variable in variables_here if candidates[variable]}
        yield _Cluster(auxiliary, variables_here - auxiliary, own)


def _verified(guess: _Cluster) -> AtMostOne | None:
    """The constraint that the clauses say; None if they say another thing, or more."""
    from pysat.solvers import Solver

    # Other numbers, since a solver needs memory for every variable up to the largest one.
    border, auxiliary = sorted(guess.border), sorted(guess.auxiliary)
    numbers = {variable: number for number, variable in enumerate([*border, *auxiliary], 1)}
    clauses = [[numbers[v] if v > 0 else -numbers[-v] for v in clause] for clause in guess.clauses]
    with Solver(_SOLVER, bootstrap_with=clauses) as solver:
        literals = _literals(len(border), clauses, solver)
        if not _at_most_one(solver, literals):
            return None
        values = []
        for literal in literals:
            if not solver.solve(assumptions=[literal]):
                return None
            values.append(solver.get_model()[len(border) :])
        can_be_none = solver.solve(assumptions=[-literal for literal in literals])
        # If one literal has to be true, nobody reads the row for none.
        values.append(solver.get_model()[len(border) :] if can_be_none else values[0])
    return AtMostOne(
        tuple(v if literal > 0 else -v for v, literal in zip(border, literals, strict=True)),
        exactly=not can_be_none,
        auxiliary=tuple(auxiliary),
        values=np.array(values) > 0,
    )


def _literals(border: int, clauses: Sequence[Sequence[int]], solver: Any) -> list[int]:
    """A literal of each variable of the border: the one whose negation is in more clauses. If both
    are in as many, then the one that another literal makes false.
    """
    votes = Counter(literal for clause in clauses for literal in clause)
    literals = [v if votes[-v] >= votes[v] else -v for v in range(1, border + 1)]
    decided = [v for v in literals if votes[v] != votes[-v]]
    implied = set(solver.propagate(decided[:1])[1])
    return [-v if votes[v] == votes[-v] and v in implied else v for v in literals]


def _at_most_one(solver: Any, literals: Sequence[int]) -> bool:
    """Whether each two literals exclude each other, most of them by propagation."""
    unproved: list[tuple[int, int]] = []
    for literal in literals:
        is_possible, implied = solver.propagate([literal])
        if not is_possible:
            return False
        missing = {-other for other in literals if other != literal}.difference(implied)
        unproved += [(literal, -other) for other in missing]
        if len(unproved) > MOST_UNPROPAGATED:
            return False
    return not any(solver.solve(assumptions=pair) for pair in unproved)
