"""`regions`: a queen in each row, column and coloured region, and no two queens touch.

The daily puzzle "Queens" of LinkedIn, also known as "Star Battle" with one star. An n x n board is
divided into n connected regions. Options are (row, column): a queen on a square. Rows, columns and
regions are primary items. Two squares that touch diagonally are a secondary item, unless they are
in one region, which keeps them apart already. A 2 x 2 block could be one item in place of its two
diagonals, but it repeats what rows and columns state: with `pairwise`, six clauses instead of two.
If every row is a region, this is Hertzsprung's problem (OEIS A002464), which has no solution for
n = 2 and 3.

>>> from nqbench.instances import dimacs
>>> from nqbench.plugins import load_encoding, load_family
>>> (two,) = load_family("regions").parsed("a a\\nb b", "two.regions", "two")
>>> print(dimacs.text(load_encoding("pairwise").clauses(two)))
p cnf 4 14
1 2 0
3 4 0
1 3 0
2 4 0
1 2 0
3 4 0
-1 -2 0
-3 -4 0
-1 -3 0
-2 -4 0
-1 -2 0
-3 -4 0
-1 -4 0
-2 -3 0
"""

import random
from collections.abc import Iterable, Iterator, Sequence

from nqbench.errors import InputError
from nqbench.families.base import Family, LeftOut
from nqbench.problems import region_puzzles, regions_picture
from nqbench.problems.base import Problem
from nqbench.problems.regions import Regions


class RegionPuzzles(Family):
    """Random puzzles with exactly one solution, or regions in files."""

    meaning = "one queen per row, column and coloured region; no two touch"
    reference = "LinkedIn, 'Queens'; 'Star Battle' with one star; OEIS A002464"
    problem = Regions
    has_sizes = False
    is_random = True
    suffixes = (".regions", ".txt")

    def drawn(
        self, sizes: Iterable[int], densities: Sequence[float], instances: int, seed: int
    ) -> Iterator[Problem | LeftOut]:
        for n in sizes:
            try:
                for number in range(1, instances + 1):
                    name = f"{seed}-{number}"
                    yield self._drawn(n, name)
            except InputError as error:
                yield LeftOut(f"{self.name}: {error}")

    def _drawn(self, n: int, name: str) -> Regions:
        board, _ = region_puzzles.puzzle(n, random.Random(f"{self.name} {n} {name}"))
        return Regions(region_puzzles.rows(board), name)

    def parsed(self, text: str, source: str, name: str) -> list[Problem]:
        return [regions_picture.parse(text, source, name)]
