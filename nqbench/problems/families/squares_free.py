"""`squares-free`: k points in an n x n grid, no four of which are the corners of a square.

OEIS A227133 (sides parallel to the grid) and A240443 (any square). Options are (row, column). The
corners of each square are a bounded item [0, 3], and all points are one item [k, all]. With
`squares=all`, tilted squares count, too; by default only those with sides parallel to the grid.
`k` is by default the greatest number for which there is a solution, as far as that is published,
and otherwise n. With `symmetry=eight`, encodings keep one solution of each class under the
symmetries of the square.

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> from nqbench.problems.families.base import Family
>>> grid = Family.named("squares-free").of_size(2)
>>> print(dimacs.text(Encoding.named("pairwise").clauses(grid)))
p cnf 4 7
-1 -2 -4 -3 0
1 2 0
1 3 0
1 4 0
2 3 0
2 4 0
3 4 0
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Final

import numpy as np

from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import Rows
from nqbench.plugins.parameters import Choice
from nqbench.problems.base import ProblemOfK
from nqbench.problems.families.base import Better, FamilyOfK
from nqbench.problems.lex_leader import LexLeader
from nqbench.problems.options import Box, Option, variables
from nqbench.problems.picture import Cell, Picture, Piece, grid, grid_text
from nqbench.problems.rules import Counted, Rules
from nqbench.problems.symmetry import leader_of_squares

LARGEST_N: Final = 30
"""The largest n, whose grid has 67,425 squares of any kind."""

PARALLEL: Final = (1, 3, 7, 12, 17, 24, 32, 41)
"""The greatest number of points for n = 1..8. OEIS A227133."""

ALL: Final = (1, 3, 6, 10, 15, 21)
"""The same if no four points are any square, for n = 1..6. OEIS A240443."""


@dataclass(frozen=True, slots=True)
class SquaresFree(ProblemOfK):
    """At least k points in an n x n grid, no four of which form a square; with `tilted`, also none
    whose sides are not parallel to the grid.
    """

    n: int
    k: int
    tilted: bool = False
    family: str = "squares-free"
    symmetry: str = "none"

    plural: ClassVar[str] = "grids without squares"
    largest_n: ClassVar[int] = LARGEST_N

    @property
    def options(self) -> Box:
        return Box(self.n, self.n)

    def constraints(self) -> Constraints:
        """A square is the corner (row, column) from which it begins and the steps along its side:
        one side goes `down` and `right`, the next one `-right` and `down`.
        """
        squares = [
            [
                r * self.n + c + 1
                for r, c in (
                    (row, column),
                    (row + down, column + right),
                    (row + down + right, column + right - down),
                    (row + right, column - down),
                )
            ]
            for right in range(1, self.n)
            for down in range(self.n - right if self.tilted else 1)
            for row in range(self.n - right - down)
            for column in range(down, self.n - right)
        ]
        points = np.arange(1, self.n**2 + 1, dtype=np.int32).reshape(1, -1)
        corners = np.array(squares, np.int32).reshape(len(squares), 4)
        return Constraints.of(self.n**2, Rows.at_most(corners, 3), Rows.at_least(points, self.k))

    def rules(self) -> Rules:
        """Of the corners of each square one is missing, and there are enough points."""
        every = range(1, self.n**2 + 1)
        return Rules(
            self.options,
            None,
            [],
            counted=[
                *(
                    Counted(variables(self.options, square), 0, 3)
                    for square in sorted(self._squares(), key=sorted)
                ),
                Counted(every, self.k, self.n**2),
            ],
        )

    def _squares(self) -> set[frozenset[Option]]:
        """The corners of each square, from every two points that are a side of it."""
        return {
            frozenset([one, other, *corners])
            for one, other in combinations(self.options, 2)
            for corners in _beside(one, other)
            if all(0 <= row < self.n and 0 <= column < self.n for row, column in corners)
            and (self.tilted or one[0] == other[0] or one[1] == other[1])
        }

    def lex_leader(self) -> LexLeader:
        return leader_of_squares(self.n)

    def violation(self, solution: Iterable[Option]) -> str | None:
        points = set(solution)
        for row, column in points:
            if not (0 <= row < self.n and 0 <= column < self.n):
                return f"no point ({row}, {column})"
        if len(points) < self.k:
            return f"{len(points)} points instead of {self.k}"
        for one, other in combinations(sorted(points), 2):
            is_parallel = one[0] == other[0] or one[1] == other[1]
            if (self.tilted or is_parallel) and any(
                corners <= points for corners in _beside(one, other)
            ):
                return f"({one[0]}, {one[1]}) and ({other[0]}, {other[1]}) are a side of a square"
        return None

    def picture(self, solution: Iterable[Option]) -> Picture:
        """The grid with its points."""
        cells = {(row, column): Cell(piece=Piece.DOT) for row, column in solution}
        return grid(f"{len(cells)} points without a square", self.n, self.n, cells)

    def drawing(self, solution: Iterable[Option]) -> str:
        """The grid, with o for a point and a dot for none."""
        return grid_text(self.n, dict.fromkeys(solution, "o"))


def _beside(one: Option, other: Option) -> Iterator[set[Option]]:
    """The other two corners of the two squares with this side: the side, turned by 90 degrees."""
    down, right = other[0] - one[0], other[1] - one[1]
    for turn in (1, -1):
        yield {(r + turn * right, c - turn * down) for r, c in (one, other)}


class SquaresFreeGrids(FamilyOfK):
    """A grid for each n, with as many points as are known to fit without a square, or with k."""

    meaning = "k points in a grid, no four of which are a square"
    reference = "OEIS A227133 and A240443"
    problem = SquaresFree
    better = Better.MORE
    parameters = {
        **FamilyOfK.parameters,
        "squares": Choice("parallel", ("parallel", "all")),
    }

    def of_size(self, n: int) -> SquaresFree:
        tilted = self.values["squares"] == "all"
        best_k = ALL if tilted else PARALLEL
        return SquaresFree(n, self.k(n, best_k, n), tilted, self.name, self.symmetry)
