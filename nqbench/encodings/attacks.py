"""Pairs of squares in different rows that attack each other."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nqbench.encodings.grid import Grid
from nqbench.encodings.pairwise import two_of

Squares = NDArray[np.int32]
"""Shape (pairs,): squares as r*n + c."""


def attacks(board: Grid) -> Iterator[tuple[Squares, Squares]]:
    """Yield the pairs on columns, then those on diagonals by length; the upper square is first."""
    for lines in (board.columns, *board.diagonals()):
        upper, lower = (lines - 1).take(two_of(lines.shape[1]), axis=1).reshape(-1, 2).T
        yield upper, lower
