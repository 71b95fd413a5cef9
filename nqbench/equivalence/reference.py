"""The clauses that a formula has to be equivalent to: the rules of the problem."""

from typing import Final

import numpy as np

from nqbench.checking import reference
from nqbench.encodings.base import Encoding
from nqbench.equivalence import pigeonhole
from nqbench.errors import InputError
from nqbench.instances.cnf import CNF
from nqbench.problems.base import Problem
from nqbench.problems.queens import Queens

NAME: Final = "the rules"

Clauses = list[list[int]]


def formula(problem: Problem) -> CNF:
    """The clauses, whose variables are the options. Raises `InputError` if there are none."""
    rules = reference.rules(problem)
    if rules is None:
        raise InputError(reference.why_none(problem))
    return reference.clauses(rules)


def why_none(problem: Problem) -> str:
    """Why there are no such clauses, in words; empty if there are."""
    return "" if reference.rules(problem) else reference.why_none(problem)


def kept(problem: Problem, encoding: Encoding) -> CNF | None:
    """The clauses that have to be left if the encoding breaks symmetry: those with the queen of the
    first row in its left half. None if the encoding leaves out other solutions.
    """
    every = formula(problem)
    if not encoding.breaks_symmetry(problem):
        return every
    if not isinstance(problem, Queens) or encoding.values.get("symmetry") != "half":
        return None
    n = problem.n
    right_half = np.arange((n + 1) // 2 + 1, n + 1, dtype=np.int32)
    return CNF(every.num_variables, every.num_main, (*every.blocks, -right_half[:, np.newaxis]))


def essential(problem: Problem, stated: CNF) -> Clauses:
    """The clauses that a formula has to imply: all but those that follow from the others by the
    pigeonhole principle on `pigeonhole.board_to_cross`.

    Solvers find no short proofs of that principle, so a formula that relies on it, as `alo-row` and
    `level1` do, could be proved correct for small n only: see `pigeonhole`.
    """
    clauses = list(formula(problem).clauses())
    board = pigeonhole.board_to_cross(problem, stated)
    if board is None:
        return clauses
    lines = set(map(frozenset, board.tolist()))
    following = set(map(frozenset, pigeonhole.following(board))) - lines
    return [clause for clause in clauses if frozenset(clause) not in following]
