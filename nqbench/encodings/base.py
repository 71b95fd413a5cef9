"""The interface of an encoding."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from itertools import chain
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from nqbench.components.component import Component
from nqbench.components.parameters import Choice
from nqbench.errors import InputError, SolverError
from nqbench.instances.base import Instance
from nqbench.instances.cnf import CNF, Assignment, Block
from nqbench.problems.base import Placement, Problem, Square, variable_of
from nqbench.vocabulary import Form

_LARGEST_COORDINATE: Final = 2**31 - 1

SYMMETRY: Final = Choice("none", ("none", "half"))
"""`half`: the queen of the first row is in its left half, the middle included.

At least one of a solution and its mirror image meets this. A problem that is its own mirror image
therefore stays satisfiable, or unsatisfiable, but loses about half of its solutions. On any other
board the parameter has no effect.
"""


class Encoding(Component, ABC):
    """Turns a problem into an instance, usually clauses, and a model back into a placement."""

    reference: ClassVar[str]
    """The paper or system that the scheme comes from."""

    makes: ClassVar[Form] = Form.CNF
    """The kind of instance that `encode` returns."""

    @property
    def forces_all_queens(self) -> bool:
        """Whether every model places n queens. If not, models with fewer queens are rejected and
        the solver is asked again; the board variables must then be the squares.
        """
        return True

    def breaks_symmetry(self, problem: Problem) -> bool:
        """Whether it leaves out solutions of this problem and keeps their mirror images."""
        return self.values.get("symmetry", "none") != "none" and problem.mirror_symmetric

    @abstractmethod
    def encode(self, problem: Problem) -> Instance:
        """Return the instance whose models are the solutions of the problem."""

    def clauses(self, problem: Problem) -> CNF:
        """Return the instance as clauses. Raises `InputError` if the encoding makes none."""
        instance = self.encode(problem)
        if not isinstance(instance, CNF):
            raise InputError(f"encoding '{self.name}' makes a {self.makes}, not clauses")
        return instance

    def decode(self, problem: Problem, values: Assignment) -> Placement:
        """Return the placement of a model, whose `values` have shape (model_size,). By default the
        first n*n values are the squares, row by row.
        """
        squares = np.flatnonzero(values[: problem.n * problem.n]).tolist()
        return tuple(divmod(square, problem.n) for square in squares)


def decoded(encoding: Encoding, problem: Problem, values: Assignment) -> Placement:
    """Return the result of `decode`. Raises `SolverError` unless it consists of pairs of int."""
    placement = tuple(encoding.decode(problem, values))
    pairs = set(map(len, placement)) <= {2} and set(map(type, chain(*placement))) <= {int}
    if not pairs or max(map(abs, chain(*placement)), default=0) > _LARGEST_COORDINATE:
        shown = f"{placement[:2]}"[:60]
        raise SolverError(f"decode() of {encoding.name} returned {shown}: expected pairs of int")
    return placement


def given(problem: Problem) -> Block:
    """The placed squares as positive literals, the blocked ones as negative; shape (squares,)."""
    return np.concatenate(
        [_variables(problem, problem.placed), -_variables(problem, problem.blocked)]
    )


def forbidden(problem: Problem) -> NDArray[np.int64]:
    """The squares r*n + c that cannot hold a queen, ascending: blocked squares, and those in the
    row of a placed queen.
    """
    free = np.ones((problem.n, problem.n), dtype=np.bool_)
    for row, column in problem.blocked:
        free[row, column] = False
    for row, column in problem.placed:
        free[row, np.arange(problem.n) != column] = False
    return np.flatnonzero(~free)


def _variables(problem: Problem, squares: Iterable[Square]) -> Block:
    return np.array([variable_of(square, problem.n) for square in squares], dtype=np.int32)


def right_half(row: Block) -> Block:
    """The squares of a row that symmetry breaking leaves empty: those right of the middle."""
    return row[(len(row) + 1) // 2 :]
