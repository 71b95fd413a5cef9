"""The interface of an encoding."""

from abc import ABC, abstractmethod
from typing import ClassVar, Final

import numpy as np

from nqbench.cnf import CNF, Assignment, Block
from nqbench.component import Component
from nqbench.parameters import Choice
from nqbench.problem import Placement, Problem

SYMMETRY: Final = Choice("none", ("none", "half"))
"""`half`: the queen of the first row stands in its left half, the middle included.

Of a solution and its mirror image at least one does, so that a problem that is its own mirror
image stays satisfiable or not; but about half of the solutions are gone.
"""


class Encoding(Component, ABC):
    """Turns a problem into clauses, and a model of the clauses back into a placement."""

    reference: ClassVar[str]
    """The paper or system that the scheme comes from."""

    @property
    def forces_all_queens(self) -> bool:
        """Whether every model places n queens. If not, the harness rejects short ones and asks on;
        the board variables must then be the squares.
        """
        return True

    @property
    def symmetry_broken(self) -> bool:
        """Whether solutions are left out of which a mirror image is kept."""
        return self.values.get("symmetry", "none") != "none"

    @abstractmethod
    def encode(self, problem: Problem) -> CNF:
        """The clauses whose models are the solutions of the problem."""

    def decode(self, problem: Problem, values: Assignment) -> Placement:
        """The placement of a model; `values` has shape (num_variables,).

        By default variables 1..n*n are the squares, row by row.
        """
        squares = values[: problem.n * problem.n].reshape(problem.n, problem.n)
        return tuple((int(row), int(column)) for row, column in np.argwhere(squares))


def right_half(row: Block) -> Block:
    """The squares of a row that symmetry breaking leaves empty: those right of the middle."""
    return row[(len(row) + 1) // 2 :]
