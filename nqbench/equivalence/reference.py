"""The clauses that a formula has to be equivalent to: those of `pairwise`."""

from typing import Final

from nqbench.encodings.base import Encoding
from nqbench.equivalence import pigeonhole
from nqbench.instances.cnf import CNF, Block
from nqbench.plugins import load_encoding
from nqbench.problems import kinds
from nqbench.problems.base import Problem
from nqbench.problems.grid import Grid

NAME: Final = "pairwise"

Clauses = list[list[int]]


def formula(problem: Problem) -> CNF:
    """The clauses, whose variables are the options."""
    return load_encoding(NAME).clauses(problem)


def kept(problem: Problem, encoding: Encoding) -> CNF | None:
    """The clauses that have to be left if the encoding breaks symmetry: those with the queen of the
    first row in its left half. None if the encoding leaves out other solutions.
    """
    if not encoding.breaks_symmetry(problem):
        return formula(problem)
    if encoding.values.get("symmetry") != "half":
        return None
    return load_encoding(f"{NAME}:symmetry=half").clauses(problem)


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
    """The board, turned such that each row has a queen and each column at most one, if the formula
    does not state that each row and each column has one. None if it does, or for other problems.
    """
    if not kinds.is_board(problem):
        return None
    n = kinds.board(problem, "the grid").n
    grid = Grid(n)
    wide = [block for block in stated.blocks if block.shape[1] == n]
    there = set().union(*map(_lines, wide))
    has_rows, has_columns = (_lines(lines) <= there for lines in (grid.rows, grid.columns))
    if has_rows and has_columns:
        return None
    return grid.rows if has_rows or not has_columns else grid.columns


def _lines(lines: Block) -> set[frozenset[int]]:
    return set(map(frozenset, lines.tolist()))
