"""`quasigroup`: a Latin square with some symbols placed already, to be completed.

NP-complete: C. Colbourn, "The complexity of completing partial Latin squares", Discrete Applied
Mathematics 8, 1984. Options and items are those of `latin`; the placed symbols are given.

By default cells are filled in random order, each with a random symbol that is not in its row or
column yet. The symbols may then exclude every completion. C. Gomes, B. Selman, "Problem structure
in the presence of perturbations", AAAI 1997: the share with a solution drops near a density of
0.42, where the effort peaks. Here half have one at about 0.44 for n = 12, 0.48 for n = 16 and 0.52
for n = 24. CaDiCaL needs few conflicts up to n = 24; at n = 30 their mean rises tenfold near 0.55.

With `from=square` the symbols are those of a random Latin square, so there is always a solution.
D. Achlioptas, C. Gomes, H. Kautz, B. Selman, "Generating satisfiable problem instances", AAAI 2000:
the effort peaks as well, here at 0.65 for n = 30.

Random squares are drawn by moves: M. Jacobson, P. Matthews, "Generating uniformly distributed
random Latin squares", Journal of Combinatorial Designs 4, 1996. A move changes eight cells of the
n x n x n cube whose 1 at (row, column, symbol) says that the cell holds the symbol. It may leave
one -1 there, which the next moves start from until it is gone. The squares between moves approach
the uniform distribution.

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> one = LatinSquare(1, "quasigroup", placed=((0, 0, 0),))
>>> print(dimacs.text(Encoding.named("pairwise").clauses(one)))
p cnf 1 4
1 0
1 0
1 0
1 0
"""

import random
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nqbench.plugins.parameters import Choice, Parameter
from nqbench.problems.families.base import FilledFamily
from nqbench.problems.families.latin import LatinSquare
from nqbench.problems.options import Option, Solution

_Place = tuple[int, int, int]


def draw(n: int, source: random.Random) -> Solution:
    """A Latin square as options (row, column, symbol), row by row, after about n³ moves."""
    row, column, symbol = np.indices((n, n, n))
    cube = ((row + column) % n == symbol).astype(np.int8)
    wrong: _Place | None = None
    moves_left = n**3 if n > 1 else 0
    while moves_left > 0 or wrong is not None:
        wrong = _move(cube, wrong or _zero(cube, source), source)
        moves_left -= 1
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


class Quasigroup(FilledFamily):
    """Random partial Latin squares, or random Latin squares with holes."""

    meaning = "a Latin square with some symbols placed already"
    reference = "C. Gomes, B. Selman, AAAI 1997; D. Achlioptas et al., AAAI 2000"
    problem = LatinSquare
    measure = "cells filled / n²"
    part = "cells"
    parameters: Mapping[str, Parameter] = {"from": Choice("cells", ("cells", "square"))}

    def whole(self, n: int) -> int:
        return n * n

    def parts(self, n: int, source: random.Random) -> Sequence[Option]:
        LatinSquare(n)  # raises InputError for an n that is too large
        if self.values["from"] == "square":
            square = list(draw(n, source))
            source.shuffle(square)
            return square
        return _filled_at_random(n, source)

    def filled(self, n: int, parts: Sequence[Any], name: str) -> LatinSquare:
        density = len(parts) / n**2
        return LatinSquare(n, self.name, tuple(parts), f"{name} c={len(parts)}", density)


def _filled_at_random(n: int, source: random.Random) -> Sequence[Option]:
    """Cells in random order with symbols; those for which no symbol is left are not there."""
    cells = list(product(range(n), range(n)))
    source.shuffle(cells)
    rows, columns = ([set(range(n)) for _ in range(n)] for _ in range(2))
    placed = []
    for row, column in cells:
        if free := sorted(rows[row] & columns[column]):
            symbol = source.choice(free)
            rows[row].remove(symbol)
            columns[column].remove(symbol)
            placed.append((row, column, symbol))
    return placed
