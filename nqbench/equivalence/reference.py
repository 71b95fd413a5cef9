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


def essential(problem: Problem, stated: CNF) -> tuple[Clauses, Block | None]:
    """The clauses without those that follow from the others by the pigeonhole principle, unless
    these are stated; and the board to which it is applied, turned such that each row has a queen
    and each column at most one. None if it is not needed.

    Solvers find no short proofs of that principle, so a formula that relies on it, as `alo-row` and
    `level1` do, could be proved correct for small n only: see `pigeonhole`.
    """
    clauses = list(formula(problem).clauses())
    if not kinds.is_board(problem):
        return clauses, None
    grid = Grid(kinds.board(problem, "the grid").n)
    there = set(map(frozenset, stated.clauses()))
    has_rows, has_columns = (_lines(lines) <= there for lines in (grid.rows, grid.columns))
    if has_rows and has_columns:
        return clauses, None
    board = grid.rows if has_rows or not has_columns else grid.columns
    following = set(map(frozenset, pigeonhole.following(board)))
    return [clause for clause in clauses if frozenset(clause) not in following], board


def _lines(lines: Block) -> set[frozenset[int]]:
    return set(map(frozenset, lines.tolist()))
