"""The clauses that a formula has to be equivalent to: the rules of the problem."""

from typing import Final

import numpy as np

from nqbench.checking import reference
from nqbench.encodings.base import Encoding
from nqbench.equivalence import pigeonhole
from nqbench.errors import InputError
from nqbench.instances.cnf import CNF, Block
from nqbench.problems import kinds
from nqbench.problems.base import Problem

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
    if encoding.values.get("symmetry") != "half":
        return None
    n = kinds.board(problem, "symmetry").n
    right_half = np.arange((n + 1) // 2 + 1, n + 1, dtype=np.int32)
    return CNF(every.num_variables, every.num_main, (*every.blocks, -right_half[:, np.newaxis]))


def essential(problem: Problem, stated: CNF) -> Clauses:
    """The clauses that a formula has to imply: all but those that follow from the others by the
    pigeonhole principle on `board_to_cross`.

    Solvers find no short proofs of that principle, so a formula that relies on it, as `alo-row` and
    `level1` do, could be proved correct for small n only: see `pigeonhole`.
    """
    clauses = list(formula(problem).clauses())
    board = board_to_cross(problem, stated)
    if board is None:
        return clauses
    following = set(map(frozenset, pigeonhole.following(board))) - _lines(board)
    return [clause for clause in clauses if frozenset(clause) not in following]


def board_to_cross(problem: Problem, stated: CNF) -> Block | None:
    """The board, rotated so that each row has a queen and each column at most one, if the formula
    does not state that each row and each column has one. None if it does, or for other problems.
    """
    if not kinds.is_board(problem):
        return None
    n = kinds.board(problem, "the board").n
    rows = np.arange(1, n * n + 1, dtype=np.int32).reshape(n, n)
    wide = [block for block in stated.blocks if block.shape[1] == n]
    there = set().union(*map(_lines, wide))
    has_rows, has_columns = (_lines(lines) <= there for lines in (rows, rows.T))
    if has_rows and has_columns:
        return None
    return rows if has_rows or not has_columns else rows.T


def _lines(lines: Block) -> set[frozenset[int]]:
    return set(map(frozenset, lines.tolist()))
