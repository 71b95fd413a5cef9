"""Queens in coloured regions, and their rules.

Place n queens on an n x n board that is divided into n connected regions: one in each row, column
and region, and no two on neighbouring squares, also not diagonally.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from string import ascii_lowercase
from typing import Final

import numpy as np

from nqbench.errors import InputError
from nqbench.problems.base import Problem
from nqbench.problems.cover import Cover, along, by_length
from nqbench.problems.options import Box, Option
from nqbench.problems.queens import Square, variable_of
from nqbench.problems.region_shapes import flaw, squares
from nqbench.problems.rules import Flags, Numbers, Rules, numbers

LARGEST_N: Final = len(ascii_lowercase)
"""The largest n: each region has a letter."""

SIZES_WITHOUT: Final = (2, 3)
"""The sizes of boards on which two queens in different rows and columns always touch."""


@dataclass(frozen=True, slots=True)
class Regions(Problem):
    """Place a queen in each row, column and region so that no two touch.

    `regions` holds a string for each row, with a symbol for each square that names its region. It
    is kept with the letters a, b, c, ... in the order of their first squares, so that puzzles that
    differ only in symbols are equal. Raises `InputError` unless there are n connected regions.
    """

    regions: tuple[str, ...]
    instance: str = ""
    family: str = "regions"
    n: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", len(self.regions))
        if not 1 <= self.n <= LARGEST_N:
            raise InputError(f"{self.n} rows of regions: expected 1 to {LARGEST_N}")
        if {*map(len, self.regions)} != {self.n}:
            raise InputError(f"a row of regions does not have {self.n} squares")
        if found := flaw(self.regions):
            raise InputError(f"square {found.square}: {found.what}")
        symbols = dict.fromkeys("".join(self.regions))
        letters = str.maketrans(dict(zip(symbols, ascii_lowercase, strict=False)))
        object.__setattr__(self, "regions", tuple(row.translate(letters) for row in self.regions))

    @property
    def options(self) -> Box:
        """The squares, row by row."""
        return Box(self.n, self.n)

    @property
    def solution_size(self) -> int:
        """The number of queens."""
        return self.n

    @property
    def satisfiable(self) -> bool | None:
        """False for n = 2 and 3, where two queens in different rows and columns always touch."""
        return False if self.n in SIZES_WITHOUT else None

    def cover(self) -> Cover:
        """Rows, columns and regions are primary items. Each two squares of different regions that
        touch diagonally are a secondary item.
        """
        board = np.arange(1, self.n**2 + 1, dtype=np.int32).reshape(self.n, self.n)
        lines = np.concatenate([along(board, 1), along(board, 0)])
        regions = [[variable_of(square, self.n) for square in s] for s in squares(self.regions)]
        touching = [
            [variable_of(square, self.n) for square in two]
            for two in _diagonal_neighbours(self.n)
            if len({self.region(square) for square in two}) == 2
        ]
        return Cover(self.n**2, (lines, *by_length(regions)), by_length(touching))

    def rules(self) -> Rules:
        """No two queens share a row, a column or a region, or are on neighbouring squares. Each
        row, column and region has a queen.
        """
        letters = np.array([list(row) for row in self.regions])
        row, column = numbers(self.options, 2)

        def clash(one: Numbers, other: Numbers) -> Flags:
            rows, columns = abs(one - other)
            same_region = letters[one[0], one[1]] == letters[other[0], other[1]]
            touch = (rows <= 1) & (columns <= 1)
            found: Flags = (rows == 0) | (columns == 0) | same_region | touch
            return found

        lines = [line == at for line in (row, column) for at in range(self.n)]
        return Rules(
            self.options, clash, lines + [letters.ravel() == each for each in np.unique(letters)]
        )

    def region(self, square: Square) -> str:
        """The letter of the region of a square."""
        row, column = square
        return self.regions[row][column]

    def violation(self, solution: Iterable[Option]) -> str | None:
        queens = sorted((row, column) for row, column in solution)
        for row, column in queens:
            if not (0 <= row < self.n and 0 <= column < self.n):
                return f"queen on ({row}, {column}), outside the {self.n} x {self.n} board"
        for first, second in combinations(queens, 2):
            if clash := self._clash(first, second):
                return f"queens on {first} and {second} {clash}"
        if len(queens) != self.n:
            return f"{len(queens)} queens on the board instead of {self.n}"
        return None

    def _clash(self, first: Square, second: Square) -> str | None:
        if first[0] == second[0]:
            return "share a row"
        if first[1] == second[1]:
            return "share a column"
        if self.region(first) == self.region(second):
            return f"share the region {self.region(first)}"
        if abs(first[0] - second[0]) == abs(first[1] - second[1]) == 1:
            return "touch"
        return None

    def drawing(self, solution: Iterable[Option]) -> str:
        """The regions as letters, in upper case where a queen is."""
        rows = [list(row) for row in self.regions]
        for row, column in solution:
            rows[row][column] = rows[row][column].upper()
        return "\n".join(map(" ".join, rows))


def _diagonal_neighbours(n: int) -> Iterator[tuple[Square, Square]]:
    for row in range(n - 1):
        for column in range(n - 1):
            yield (row, column), (row + 1, column + 1)
            yield (row, column + 1), (row + 1, column)
