"""The board as arrays of variables: which squares form the rows, columns and diagonals."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Lines = NDArray[np.int32]
"""Shape (lines, k): each row holds the variables of one line of k squares."""


@dataclass(frozen=True, slots=True)
class Board:
    """An n x n board; the variable of square (r, c) is r*n + c + 1."""

    n: int

    @property
    def num_squares(self) -> int:
        """N * n."""
        return self.n * self.n

    @property
    def rows(self) -> Lines:
        """Shape (n, n), top to bottom."""
        return np.arange(1, self.num_squares + 1, dtype=np.int32).reshape(self.n, self.n)

    @property
    def columns(self) -> Lines:
        """Shape (n, n), left to right."""
        return self.rows.T

    def falling(self) -> Iterator[Lines]:
        """Diagonals from top left to bottom right of 2 or more squares, those of a length together.

        Shapes (1, n), (2, n - 1), ..., (2, 2): row - column from 0 outwards.
        """
        return self._diagonals(self.rows)

    def rising(self) -> Iterator[Lines]:
        """Diagonals from top right to bottom left, in the same way: row + column outwards."""
        return self._diagonals(np.fliplr(self.rows))

    def _diagonals(self, squares: Lines) -> Iterator[Lines]:
        for offset in range(self.n - 1):
            above = np.diagonal(squares, offset)
            yield np.stack([above, np.diagonal(squares, -offset)] if offset else [above])
