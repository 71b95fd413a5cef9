"""Counts solutions exactly and without clauses: bit-parallel backtracking, row by row.

T. Rolfe, "Optimal queens", Dr. Dobb's Journal 30(5), 2005; M. Richards, "Backtracking algorithms in
MCPL using bit patterns and recursion", Cambridge, 1997. A partial placement is three bit patterns:
the columns and the two directions of diagonals that its queens hold, seen from the next row. Here
an array holds many partial placements, which advance by one row together.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.common.errors import InputError
from nqbench.problems.queens import Queens

LARGEST_N: Final = 31
"""The largest n, limited by the bits of a pattern; larger counts would take too long anyway."""

_CHUNK: Final = 1 << 16

Patterns = NDArray[np.uint32]
"""A bit pattern for each placement, shape (placements,)."""


Observe = Callable[[int], None]
"""Called with a number of partial solutions, after they were looked at."""


class OutOfBudget(Exception):  # noqa: N818 - a result, not an error
    """The count would have to look at more partial placements than the budget allows."""


@dataclass(frozen=True, slots=True)
class _Front:
    """Partial placements of the rows above `row`. `path` holds the columns of their queens, shape
    (placements, rows so far), or has no columns if they are not needed.
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


def count(problem: Queens, budget: int | None = None) -> int:
    """Return the number of solutions. Raises `OutOfBudget` if it would have to look at more than
    `budget` partial placements, and `InputError` if n > 31.
    """
    share = budget and budget // problem.n
    return sum(weight * count_part(part, share) for weight, part in parts(problem))


def parts(problem: Queens) -> list[tuple[int, Queens]]:
    """Split the problem into (weight, part) such that the weighted counts add up to its count. An
    empty board has a part for each column of the first queen up to the middle; mirror images make
    the left half count twice.
    """
    n = problem.n
    if not problem.is_plain:
        return [(1, problem)]
    columns = [(2, column) for column in range(n // 2)] + [(1, n // 2)] * (n % 2)
    return [(weight, replace(problem, placed=((0, column),))) for weight, column in columns]


def count_part(problem: Queens, budget: int | None = None) -> int:
    """Return the number of solutions without using symmetries; raises as `count` does."""
    return sum(len(front) for front in _solutions(problem, budget, with_path=False))


def solution_counts(problem: Queens, observe: Observe | None = None) -> Iterator[int]:
    """Yield numbers that add up to the number of solutions, as they are found, without using
    symmetries. Raises `InputError` if n > 31.
    """
    yield from map(len, _solutions(problem, None, with_path=False, observe=observe))


def has_solution(problem: Queens, budget: int | None = None) -> bool:
    """Return whether there is a solution; raises as `count` does."""
    return next(_solutions(problem, budget, with_path=False), None) is not None


def solutions(problem: Queens, observe: Observe | None = None) -> Iterator[NDArray[np.int8]]:
    """Yield all solutions in arrays of shape (solutions, n), with the column of the queen in each
    row. Raises `InputError` if n > 31.
    """
    for front in _solutions(problem, None, with_path=True, observe=observe):
        yield front.path


def _allowed_columns(problem: Queens) -> list[int]:
    """The columns that may hold a queen, as a bit pattern for each row."""
    n = problem.n
    if n > LARGEST_N:
        raise InputError(f"n is {n}: the exhaustive count goes up to {LARGEST_N}")
    allowed = [(1 << n) - 1] * n
    for row, column in problem.placed:
        allowed[row] &= 1 << column
        # Rule out all squares that a placed queen attacks, including those in rows above it.
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


def _solutions(
    problem: Queens, budget: int | None, with_path: bool, observe: Observe | None = None
) -> Iterator[_Front]:
    """Yield all solutions in chunks. Chunks are searched depth first, which bounds the memory."""
    n, allowed = problem.n, _allowed_columns(problem)
    nothing = np.zeros(1, dtype=np.uint32)
    path = np.zeros((1, 0), dtype=np.int8)
    waiting = [_Front(0, nothing, nothing, nothing, path)]
    num_visited = 0
    while waiting:
        front = waiting.pop()
        if len(front) > _CHUNK:
            waiting.append(front[_CHUNK:])
            front = front[:_CHUNK]
        num_visited += len(front)
        if budget is not None and num_visited > budget:
            raise OutOfBudget
        if observe:
            observe(len(front))
        below = _next_row(front, allowed[front.row], problem, with_path)
        if len(below) and below.row == n:
            yield below
        elif len(below):
            waiting.append(below)


def _next_row(front: _Front, allowed: int, problem: Queens, with_path: bool) -> _Front:
    n = problem.n
    free = ~(front.columns | front.falling | front.rising) & np.uint32(allowed)
    parents, queens, columns = [], [], []
    for column in range(n):
        queen = np.uint32(1 << column)
        (positions,) = np.nonzero(free & queen)
        parents.append(positions)
        queens.append(np.full(len(positions), queen))
        columns.append(np.full(len(positions), column, dtype=np.int8))
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
