"""The board as a grid of variables: which squares form the rows, columns and diagonals."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Lines = NDArray[np.int32]
"""Shape (lines, k): each row holds the variables of one line of k squares."""


@dataclass(frozen=True, slots=True)
class Grid:
    """An n x n board; the variable of square (r, c) is r*n + c + 1. If it wraps, as a torus does,
    diagonals continue at the opposite edge.
    """

    n: int
    wraps: bool = False

    @property
    def num_squares(self) -> int:
        """Number of squares, n * n."""
        return self.n * self.n

    @property
    def rows(self) -> Lines:
        """The rows from top to bottom, shape (n, n)."""
        return np.arange(1, self.num_squares + 1, dtype=np.int32).reshape(self.n, self.n)

    @property
    def columns(self) -> Lines:
        """The columns from left to right, shape (n, n)."""
        return self.rows.T

    def diagonals(self) -> Iterator[Lines]:
        """Yield the diagonals of 2 or more squares, grouped by length, longest first.

        In each group, those from top left to bottom right come before those from top right to
        bottom left: shapes (2, n), (4, n - 1), ..., (4, 2). On a torus all have n squares: one
        array of shape (2n, n), with the squares of each from the first row to the last.
        """
        if self.wraps:
            rows, starts = np.arange(self.n), np.arange(self.n)[:, np.newaxis]
            if self.n > 1:
                columns = np.concatenate([starts + rows, starts - rows]) % self.n
                yield (rows * self.n + columns + 1).astype(np.int32)
            return
        falling, rising = self.rows, np.fliplr(self.rows)
        for offset in range(self.n - 1):
            sides = (offset, -offset) if offset else (0,)
            yield np.stack([np.diagonal(b, side) for b in (falling, rising) for side in sides])
