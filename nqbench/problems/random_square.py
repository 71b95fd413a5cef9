"""Draws Latin squares at random.

M. Jacobson, P. Matthews, "Generating uniformly distributed random Latin squares", Journal of
Combinatorial Designs 4, 1996. A move changes eight cells of the n x n x n cube whose 1 at (row,
column, symbol) says that the cell holds the symbol. It may leave one -1 there, which the next moves
start from until it is gone. The squares between moves approach the uniform distribution.
"""

import random

import numpy as np
from numpy.typing import NDArray

from nqbench.problems.options import Solution

_Place = tuple[int, int, int]


def draw(n: int, source: random.Random) -> Solution:
    """A Latin square as options (row, column, symbol), row by row, after about n³ moves."""
    row, column, symbol = np.indices((n, n, n))
    cube = ((row + column) % n == symbol).astype(np.int8)
    wrong: _Place | None = None
    left = n**3 if n > 1 else 0
    while left > 0 or wrong is not None:
        wrong = _move(cube, wrong or _zero(cube, source), source)
        left -= 1
    return tuple((row, column, symbol) for row, column, symbol in np.argwhere(cube).tolist())


def _zero(cube: NDArray[np.int8], source: random.Random) -> _Place:
    """A random place that holds 0."""
    n = len(cube)
    while True:
        place = source.randrange(n), source.randrange(n), source.randrange(n)
        if cube[place] == 0:
            return place


def _move(cube: NDArray[np.int8], place: _Place, source: random.Random) -> _Place | None:
    """Add 1 at a place that holds 0 or -1. Return where there is a -1 then; None if nowhere."""
    r, c, s = place
    x, y, z = (
        source.choice(np.flatnonzero(line == 1).tolist())
        for line in (cube[:, c, s], cube[r, :, s], cube[r, c, :])
    )
    for more in ((r, c, s), (r, y, z), (x, c, z), (x, y, s)):
        cube[more] += 1
    for less in ((x, c, s), (r, y, s), (r, c, z), (x, y, z)):
        cube[less] -= 1
    return (x, y, z) if cube[x, y, z] < 0 else None
