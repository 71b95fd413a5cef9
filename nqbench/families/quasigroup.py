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

>>> from nqbench.instances import dimacs
>>> from nqbench.plugins import load_encoding
>>> one = LatinSquare(1, "quasigroup", placed=((0, 0, 0),))
>>> print(dimacs.text(load_encoding("pairwise").clauses(one)))
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

from nqbench.families.base import FilledFamily
from nqbench.families.latin import LatinSquare
from nqbench.plugins.parameters import Choice, Parameter
from nqbench.problems import random_square
from nqbench.problems.options import Option


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
            square = list(random_square.draw(n, source))
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
