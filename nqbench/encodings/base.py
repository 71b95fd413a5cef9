"""The interface of an encoding."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from nqbench.cnf import CNF, Assignment
from nqbench.plugins import Component
from nqbench.problem import Placement, Problem


class Encoding(Component, ABC):
    """Turns a problem into clauses, and a model of the clauses back into a placement."""

    reference: ClassVar[str]
    """The paper or system that the scheme comes from."""

    forces_all_queens: ClassVar[bool] = True
    """Whether every model places n queens. If not, the harness rejects short ones and asks on."""

    @abstractmethod
    def encode(self, problem: Problem) -> CNF:
        """The clauses whose models are the solutions of the problem."""

    def decode(self, problem: Problem, values: Assignment) -> Placement:
        """The placement of a model; `values` has shape (num_variables,).

        By default variables 1..n*n are the squares, row by row.
        """
        squares = values[: problem.n * problem.n].reshape(problem.n, problem.n)
        return tuple((int(row), int(column)) for row, column in np.argwhere(squares))
