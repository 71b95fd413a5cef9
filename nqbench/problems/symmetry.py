"""The eight symmetries of the square, and one solution of each class of symmetric solutions."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nqbench.problems.lex_leader import LexLeader
from nqbench.problems.queens import Placement, Queens

Columns = NDArray[np.int64]
"""The column of the queen in each row, shape (placements, n)."""


@dataclass(frozen=True, slots=True)
class Symmetry:
    """Optional reflections: top to bottom, then left to right, then on the falling diagonal."""

    flip_rows: bool
    flip_columns: bool
    transpose: bool

    def image(self, row: Any, column: Any, n: int) -> tuple[Any, Any]:
        """The image of a square of a board with n rows; works on arrays of squares as well."""
        row = n - 1 - row if self.flip_rows else row
        column = n - 1 - column if self.flip_columns else column
        return (column, row) if self.transpose else (row, column)


SYMMETRIES: Final = [Symmetry(*parts) for parts in itertools.product((False, True), repeat=3)]


def of_squares(n: int) -> NDArray[np.int32]:
    """The image of each square of an n x n board by each of the eight symmetries, the identity
    first, as variables of the squares: shape (8, n * n).

    >>> of_squares(2).tolist()[:3]
    [[1, 2, 3, 4], [1, 3, 2, 4], [2, 1, 4, 3]]
    """
    squares = np.divmod(np.arange(n * n), n)
    images = [symmetry.image(*squares, n) for symmetry in SYMMETRIES]
    return np.array([row * n + column + 1 for row, column in images], dtype=np.int32)


def leader_of_squares(n: int) -> LexLeader:
    """The symmetries of the square, for problems whose options are the squares of an n x n board,
    which are compared row by row.
    """
    return LexLeader(of_squares(n)[1:], np.arange(1, n * n + 1, dtype=np.int32))


def of_problem(problem: Queens) -> list[Symmetry]:
    """The symmetries that map the problem to itself; all eight for an empty board."""
    return [
        symmetry
        for symmetry in SYMMETRIES
        if all(
            {symmetry.image(row, column, problem.n) for row, column in squares} == set(squares)
            for squares in (problem.placed, problem.blocked)
        )
    ]


def fundamental(columns: NDArray[Any], symmetries: Sequence[Symmetry]) -> NDArray[np.bool_]:
    """Whether each solution is the lexicographically first of its images; exactly one solution of
    each symmetry class is.

    `columns`, integers of shape (solutions, n), holds the column of the queen in each row; the
    result has shape (solutions,).
    """
    columns = columns.astype(np.int64)
    is_first = np.ones(len(columns), dtype=np.bool_)
    for symmetry in symmetries:
        difference = images(columns, symmetry) - columns
        at = np.argmax(difference != 0, axis=1)
        is_first &= difference[np.arange(len(columns)), at] >= 0
    return is_first


def is_fundamental(placement: Placement, symmetries: Sequence[Symmetry]) -> bool:
    """Whether one solution is the lexicographically first of its images."""
    columns = np.array([[column for _, column in sorted(placement)]])
    return bool(fundamental(columns, symmetries)[0])


def images(columns: Columns, symmetry: Symmetry) -> Columns:
    """The images of the placements; arrays of shape (placements, n)."""
    n = columns.shape[1]
    rows = np.broadcast_to(np.arange(n), columns.shape)
    to_rows, to_columns = symmetry.image(rows, columns, n)
    image_columns = np.empty_like(columns)
    np.put_along_axis(image_columns, to_rows, to_columns, axis=1)
    return image_columns
