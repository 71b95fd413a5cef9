"""An explicit solution without any search: E. Pauls, "Das Maximalproblem der Damen auf dem
Schachbrete", Deutsche Schachzeitung 29, 1874; E. Hoffman, J. Loessi, R. Moore, "Constructions for
the solution of the m queens problem", Mathematics Magazine 42, 1969.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nqbench.backends.base import Backend, Capabilities, Solver
from nqbench.clauses.cnf import Assignment
from nqbench.common.vocabulary import Answer, Form
from nqbench.problems.queens import Queens, Square
from nqbench.problems.symmetry import SYMMETRIES, images

Columns = NDArray[np.int64]
"""The column of the queen in each row, shape (n,)."""


class Construction(Backend):
    """A baseline for plots: the cost of an answer without search.

    It knows one board for each n. If none of its eight images has the placed queens and avoids the
    blocked squares, the answer is `unknown`.
    """

    takes = Form.PROBLEM
    default_encoding = "none"
    capabilities = Capabilities(complete=False)

    def load(self, problem: Queens) -> Solver:
        return _ConstructionSolver(problem)


class _ConstructionSolver(Solver):
    def __init__(self, problem: Queens) -> None:
        self._n = problem.n
        self._wraps = problem.wraps
        self._possible = replace(problem, placed=(), blocked=()).satisfiable
        self._placed = _rows_and_columns(problem.placed)
        self._blocked = _rows_and_columns(problem.blocked)
        self._columns = np.zeros(0, dtype=np.int64)

    def solve(self) -> Answer:
        if not self._possible:
            return Answer.UNSAT
        board = (_on_torus(self._n) if self._wraps else constructed(self._n))[np.newaxis]
        for symmetry in SYMMETRIES:
            columns = images(board, symmetry)[0]
            if self._fits(columns):
                self._columns = columns
                return Answer.SAT
        return Answer.UNKNOWN

    def model(self) -> Assignment:
        queens = np.zeros((self._n, self._n), dtype=np.bool_)
        queens[np.arange(self._n), self._columns] = True
        return queens.ravel()

    def _fits(self, columns: Columns) -> bool:
        (row, column), (blocked_row, blocked_column) = self._placed, self._blocked
        return bool(
            (columns[row] == column).all() and (columns[blocked_row] != blocked_column).all()
        )


def constructed(n: int) -> Columns:
    """The solution of the empty board for n = 1 or n >= 4.

    >>> constructed(6).tolist()
    [1, 3, 5, 0, 2, 4]
    >>> constructed(8).tolist()
    [3, 5, 7, 1, 6, 0, 2, 4]
    >>> constructed(9).tolist()
    [3, 5, 7, 1, 6, 0, 2, 4, 8]
    """
    if n % 2:
        # No board below has a queen on the main diagonal, which the new corner square extends.
        return np.append(constructed(n - 1), n - 1)
    i = np.arange(n // 2)
    if n % 6 != 2:
        return np.concatenate([2 * i + 1, 2 * i])
    upper = (n // 2 - 1 + 2 * i) % n
    return np.concatenate([upper, n - 1 - upper[::-1]])


def _on_torus(n: int) -> Columns:
    """A knight's move from row to row; a solution if n and 6 are coprime."""
    return 2 * np.arange(n) % n


def _rows_and_columns(squares: Sequence[Square]) -> NDArray[np.int64]:
    """The rows and the columns of squares, shape (2, squares)."""
    return np.array(squares, dtype=np.int64).reshape(-1, 2).T
