"""An exact count of solutions that knows no clauses: bit-parallel backtracking, row by row.

T. Rolfe, "Optimal queens", Dr. Dobb's Journal 30(5), 2005; M. Richards, "Backtracking algorithms in
MCPL using bit patterns and recursion", Cambridge, 1997. A partial placement is three bit patterns:
the columns and the two directions of diagonals that its queens hold, seen from the next row. Here
many of them lie side by side in an array and go down one row together.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.errors import InputError
from nqbench.problems.base import Problem

LARGEST_N: Final = 31
"""Bits of a pattern: beyond it a count would take longer than anybody waits for."""

_CHUNK: Final = 1 << 16

Patterns = NDArray[np.uint32]
"""Shape (placements,)."""


class OutOfBudget(Exception):  # noqa: N818 - an answer of its own kind, not an error
    """More partial placements would have to be looked at than was allowed."""


@dataclass(frozen=True, slots=True)
class _Front:
    """Partial placements of the rows above `row`. `path` has shape (placements, rows so far) with
    the columns of their queens, or no columns if nobody asks for them.
    """

    row: int
    columns: Patterns
    falling: Patterns
    rising: Patterns
    path: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, part: slice) -> "_Front":
        return _Front(
            self.row, self.columns[part], self.falling[part], self.rising[part], self.path[part]
        )


def count(problem: Problem, budget: int | None = None) -> int:
    """The number of solutions. Raises `OutOfBudget` rather than look at more than `budget` partial
    placements, `InputError` if n > 31.
    """
    share = budget and budget // problem.n
    return sum(weight * count_part(part, share) for weight, part in parts(problem))


def parts(problem: Problem) -> list[tuple[int, Problem]]:
    """Problems that have the solutions of this one between them, each with its weight: one for each
    column of the first queen, of which those in the left half of an empty board count twice.
    """
    n = problem.n
    if not problem.is_plain:
        return [(1, problem)]
    columns = [(2, column) for column in range(n // 2)] + [(1, n // 2)] * (n % 2)
    return [(weight, replace(problem, placed=((0, column),))) for weight, column in columns]


def count_part(problem: Problem, budget: int | None = None) -> int:
    """The number of solutions without looking for symmetries; raises as `count` does."""
    return sum(len(front) for front in _solutions(problem, budget, with_path=False))


def has_solution(problem: Problem, budget: int | None = None) -> bool:
    """Whether there is a solution; raises as `count` does."""
    return next(_solutions(problem, budget, with_path=False), None) is not None


def solutions(problem: Problem) -> Iterator[NDArray[np.int8]]:
    """All solutions, in arrays of shape (solutions, n): the column of the queen of each row. Raises
    `InputError` if n > 31.
    """
    for front in _solutions(problem, None, with_path=True):
        yield front.path


def _allowed(problem: Problem) -> list[int]:
    """For each row the columns that may hold its queen, as a bit pattern."""
    n = problem.n
    if n > LARGEST_N:
        raise InputError(f"n is {n}: the exhaustive count goes up to {LARGEST_N}")
    allowed = [(1 << n) - 1] * n
    for row, column in problem.placed:
        allowed[row] &= 1 << column
        # What a placed queen attacks is ruled out ahead of time, in rows above it as well.
        for other in range(n):
            if distance := abs(other - row):
                queen = 1 << column
                attacked = queen | queen << distance | queen >> distance
                if problem.wraps:
                    attacked |= queen << n >> distance | queen << distance >> n
                allowed[other] &= ~attacked
    for row, column in problem.blocked:
        allowed[row] &= ~(1 << column)
    return allowed


def _solutions(problem: Problem, budget: int | None, with_path: bool) -> Iterator[_Front]:
    """All solutions, some at a time: depth first over chunks, so that memory stays bounded."""
    n, allowed = problem.n, _allowed(problem)
    nothing = np.zeros(1, dtype=np.uint32)
    path = np.zeros((1, 0), dtype=np.int8)
    waiting = [_Front(0, nothing, nothing, nothing, path)]
    seen = 0
    while waiting:
        front = waiting.pop()
        if len(front) > _CHUNK:
            waiting.append(front[_CHUNK:])
            front = front[:_CHUNK]
        seen += len(front)
        if budget is not None and seen > budget:
            raise OutOfBudget
        below = _next_row(front, allowed[front.row], problem, with_path)
        if len(below) and below.row == n:
            yield below
        elif len(below):
            waiting.append(below)


def _next_row(front: _Front, allowed: int, problem: Problem, with_path: bool) -> _Front:
    n = problem.n
    free = ~(front.columns | front.falling | front.rising) & np.uint32(allowed)
    parents, queens, columns = [], [], []
    for column in range(n):
        queen = np.uint32(1 << column)
        (possible,) = np.nonzero(free & queen)
        parents.append(possible)
        queens.append(np.full(len(possible), queen))
        columns.append(np.full(len(possible), column, dtype=np.int8))
    parent, queen_of = np.concatenate(parents), np.concatenate(queens)
    path = front.path[parent]
    if with_path:
        path = np.column_stack([path, np.concatenate(columns)])
    falling, rising = front.falling[parent] | queen_of, front.rising[parent] | queen_of
    below_falling, below_rising = falling << np.uint32(1), rising >> np.uint32(1)
    if problem.wraps:
        below_falling |= falling >> np.uint32(n - 1)
        below_rising |= (rising & np.uint32(1)) << np.uint32(n - 1)
    return _Front(
        front.row + 1, front.columns[parent] | queen_of, below_falling, below_rising, path
    )
