"""The clauses that a formula has to be equivalent to: those of `pairwise`."""

from nqbench.encodings.base import Encoding
from nqbench.instances.cnf import CNF
from nqbench.plugins import load_encoding
from nqbench.problems import kinds
from nqbench.problems.base import Problem
from nqbench.problems.grid import Grid

NAME = "pairwise"

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


def essential(problem: Problem, stated: CNF) -> tuple[Clauses, bool]:
    """The clauses without those that follow from the others by the pigeonhole principle and that
    are not stated, and whether there are such clauses.

    With a queen in each row and at most one in each column, n queens are in n columns. Proofs of
    that by resolution are exponentially long (A. Haken, TCS 39, 1985), so a formula that relies on
    it, as `alo-row` does, could be proved correct for small n only.
    """
    clauses = list(formula(problem).clauses())
    if not kinds.is_board(problem):
        return clauses, False
    grid = Grid(kinds.board(problem, "the grid").n)
    rows, columns = (set(map(frozenset, lines.tolist())) for lines in (grid.rows, grid.columns))
    there = set(map(frozenset, stated.clauses()))
    following = columns if rows <= there or not columns <= there else rows
    if following <= there:
        return clauses, False
    return [clause for clause in clauses if frozenset(clause) not in following], True
