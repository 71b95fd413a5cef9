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
"""`half`: the queen of the first row stands in its left half, the middle included.

Of a solution and its mirror image at least one does, so that a problem that is its own mirror
image stays satisfiable or not; but about half of the solutions are gone. On any other board it
changes nothing.
"""


class Encoding(Component, ABC):
    """Turns a problem into an instance, mostly into clauses, and a model of it back into a
    placement.
    """

    reference: ClassVar[str]
    """The paper or system that the scheme comes from."""

    makes: ClassVar[Form] = Form.CNF
    """What `encode` returns."""

    @property
    def forces_all_queens(self) -> bool:
        """Whether every model places n queens. If not, the harness rejects short ones and asks on;
        the board variables must then be the squares.
        """
        return True

    def breaks_symmetry(self, problem: Problem) -> bool:
        """Whether solutions of this problem are left out of which a mirror image is kept."""
        return self.values.get("symmetry", "none") != "none" and problem.mirror_symmetric

    @abstractmethod
    def encode(self, problem: Problem) -> Instance:
        """The instance whose models are the solutions of the problem."""

    def clauses(self, problem: Problem) -> CNF:
        """The same for those who need clauses. Raises `InputError` if it makes something else."""
        instance = self.encode(problem)
        if not isinstance(instance, CNF):
            raise InputError(f"encoding '{self.name}' makes a {self.makes}, not clauses")
        return instance

    def decode(self, problem: Problem, values: Assignment) -> Placement:
        """The placement of a model; `values` has shape (model_size,). By default the first n*n are
        those of the squares, row by row.
        """
        squares = np.flatnonzero(values[: problem.n * problem.n]).tolist()
        return tuple(divmod(square, problem.n) for square in squares)


def decoded(encoding: Encoding, problem: Problem, values: Assignment) -> Placement:
    """What `decode` makes of a model. Raises `SolverError` if these are no pairs of int."""
    placement = tuple(encoding.decode(problem, values))
    pairs = set(map(len, placement)) <= {2} and set(map(type, chain(*placement))) <= {int}
    if not pairs or max(map(abs, chain(*placement)), default=0) > _LARGEST_COORDINATE:
        shown = f"{placement[:2]}"[:60]
        raise SolverError(f"decode() of {encoding.name} returned {shown}: expected pairs of int")
    return placement


def given(problem: Problem) -> Block:
    """The decided squares as literals, placed true and blocked false, shape (squares,)."""
    return np.concatenate(
        [_variables(problem, problem.placed), -_variables(problem, problem.blocked)]
    )


def forbidden(problem: Problem) -> NDArray[np.int64]:
    """The squares r*n + c that cannot hold a queen, ascending: blocked ones, and those beside a
    placed queen in its row.
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
