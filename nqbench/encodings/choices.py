"""The choices of a problem, which `log`, `order` and `csp` have variables for instead of options.

See `nqbench.problems.choices` for what choices are.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import Block
from nqbench.clauses.constraints import Constraints
from nqbench.common.errors import InputError
from nqbench.encodings.boards import SYMMETRY, BoardEncoding
from nqbench.encodings.pairwise import two_of
from nqbench.problems import choices
from nqbench.problems.base import Problem
from nqbench.problems.cover import Items
from nqbench.problems.options import Solution

Positions = NDArray[np.int64]
"""Shape (k,): options as choice * most + number."""

Values = NDArray[np.bool_]
"""Shape (most, width): the values of a choice's variables for each number."""


class ChoiceEncoding(BoardEncoding):
    """Has variables for the choices of a problem, and none for its options."""

    parameters = {"symmetry": SYMMETRY}
    needs_choices = True

    @abstractmethod
    def values_of(self, most: int) -> Values:
        """The values of a choice's variables for each number below `most`."""

    def shows_options(self, problem: Problem) -> bool:  # noqa: ARG002
        return False

    def option_literals(self, problem: Problem) -> Block:
        choices = of(problem)
        count, most = choices.options.shape
        values = self.values_of(most)
        width = values.shape[1]
        variables = np.arange(1, count * width + 1, dtype=np.int32).reshape(count, 1, width)
        literals = np.where(values, variables, -variables)
        return literals.reshape(count * most, width)[choices.positions]


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """`options`, shape (choices, most), holds the options of each choice, and 0 where it has fewer
    than `most`.
    """

    constraints: Constraints
    options: Items

    @property
    def most(self) -> int:
        """The largest number of options of a choice."""
        return int(self.options.shape[1])

    @property
    def positions(self) -> Positions:
        """The position of each option, shape (num_options,)."""
        position_of = np.zeros(self.constraints.num_variables + 1, dtype=np.int64)
        position_of[self.options.ravel()] = np.arange(self.options.size)
        return position_of[1:]

    @property
    def are_in_order(self) -> bool:
        """Whether each position is that of the same option in the problem."""
        return np.array_equal(self.positions, np.arange(self.options.size))

    def excluded(self) -> Positions:
        """The positions that cannot be chosen, ascending: those without an option, of excluded
        options, and of other options of a choice that is made already.
        """
        free = self.options > 0
        positions, given = self.positions, self.constraints.units
        free.ravel()[positions[-given[given < 0] - 1]] = False
        chosen = positions[given[given > 0] - 1]
        for choice, number in zip(*np.divmod(chosen, self.most), strict=True):
            free[choice, np.arange(self.most) != number] = False
        return np.flatnonzero(~free)

    def conflicts(self) -> Iterator[tuple[Positions, Positions]]:
        """Yield the positions of options of different choices that exclude each other, array by
        array of items; the first of each two comes first in its item.
        """
        positions = self.positions
        for items in (rows.literals for rows in self.constraints.counted):
            if items.shape[1] < 2:
                continue
            two = positions[items - 1].take(two_of(items.shape[1]), axis=1).reshape(-1, 2)
            first, second = two[two[:, 0] // self.most != two[:, 1] // self.most].T
            if first.size:
                yield first, second


def options_by_number(problem: Problem, numbers: NDArray[np.int_]) -> Solution:
    """The options with these numbers, one of each choice, shape (choices,)."""
    _, most = shape(problem)
    positions = np.arange(len(numbers)) * most + numbers
    return options_at(problem, np.where(numbers < most, positions, -1))


def options_at(problem: Problem, positions: Positions) -> Solution:
    """The options at these positions. A position without an option gives one whose numbers are all
    -1, which no problem has.
    """
    option_at = np.append(_of(problem).options.ravel(), 0)
    missing = (-1,) * len(problem.options[0])
    return tuple(problem.options[v - 1] if v else missing for v in option_at[positions].tolist())


def shape(problem: Problem) -> tuple[int, int]:
    """The number of choices, and the largest number of options of one."""
    count, most = _of(problem).options.shape
    return count, most


def of(problem: Problem) -> Choices:
    """The choices of a problem. Raises `InputError` if its options do not form choices."""
    constraints = problem.constraints()
    options = choices.find(constraints)
    if options is None:
        raise InputError(f"the options of {problem} do not form choices: choose another encoding")
    return Choices(constraints, options)


_of = lru_cache(maxsize=1)(of)
"""For `options_by_number`, which is called for each model of one problem."""
