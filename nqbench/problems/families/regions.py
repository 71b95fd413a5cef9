"""`regions`: a queen in each row, column and coloured region, and no two queens touch.

The daily puzzle "Queens" of LinkedIn, also known as "Star Battle" with one star. An n x n board is
divided into n connected regions. Options are (row, column): a queen on a square. Rows, columns and
regions are primary items. Two squares that touch diagonally are a secondary item, unless they are
in one region, which keeps them apart already. A 2 x 2 block could be one item in place of its two
diagonals, but it repeats what rows and columns state: with `pairwise`, six clauses instead of two.
If every row is a region, this is Hertzsprung's problem (OEIS A002464), which has no solution for
n = 2 and 3.

Random puzzles have exactly one solution. Queens that do not touch are placed at random, and regions
grow from them at random until the board is full. As long as there is another solution, a square
with one of its queens moves to a region next to it, with what it cuts off from the first queen of
its region. The other solution then has two queens in one region, and the first solution remains. A
search by backtracking, which only the generator uses, finds other solutions; a set of squares is an
integer with a bit for each.

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> from nqbench.problems.families.base import Family
>>> (two,) = Family.named("regions").parsed("a a\\nb b", "two.regions", "two")
>>> print(dimacs.text(Encoding.named("pairwise").clauses(two)))
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
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, pairwise, product
from string import ascii_lowercase
from typing import Final

import numpy as np

from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import Rows
from nqbench.common.errors import InputError, Place
from nqbench.problems import board_text
from nqbench.problems.base import Problem
from nqbench.problems.board_text import place_at
from nqbench.problems.cover import along, by_length
from nqbench.problems.families.base import Family, LeftOut
from nqbench.problems.options import Box, Option
from nqbench.problems.picture import Cell, Picture, Piece, grid
from nqbench.problems.queens import Square, variable_of
from nqbench.problems.rules import Flags, Numbers, Rules, numbers


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong with regions, and a square that shows it."""

    square: Square
    what: str


def squares(regions: Sequence[Sequence[object]]) -> list[list[Square]]:
    """The squares of each region, in the order of their first squares."""
    by_region: dict[object, list[Square]] = {}
    for row, symbols in enumerate(regions):
        for column, symbol in enumerate(symbols):
            by_region.setdefault(symbol, []).append((row, column))
    return list(by_region.values())


def flaw(regions: Sequence[str]) -> Flaw | None:
    """What is wrong with regions of a square board; None if there are n, and all are connected."""
    n, by_region = len(regions), squares(regions)
    if len(by_region) != n:
        place = by_region[n][0] if len(by_region) > n else (n - 1, n - 1)
        return Flaw(place, f"{len(by_region)} regions in a board of {n} rows: expected {n}")
    for region in by_region:
        if apart := set(region) - connected(region):
            row, column = square = min(apart)
            return Flaw(square, f"region '{regions[row][column]}' is not connected")
    return None


def connected(region: Sequence[Square]) -> set[Square]:
    """The squares that steps between squares with a common edge reach from the first square."""
    inside = set(region)
    waiting = [region[0]]
    reached = set(waiting)
    while waiting:
        new = inside.intersection(edge_neighbours(waiting.pop())) - reached
        reached |= new
        waiting += new
    return reached


def edge_neighbours(square: Square) -> list[Square]:
    """The four squares that have an edge in common with a square; some may be outside the board."""
    row, column = square
    return [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]


_Rows = Sequence[Sequence[int]]
"""The number of the region of each square, row by row."""

Columns = tuple[int, ...]
"""The column of the queen in each row."""


def solutions(regions: _Rows) -> Iterator[Columns]:
    """Yield the solutions.

    >>> sorted(solutions([[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3], [2, 2, 3, 3]]))
    [(1, 3, 0, 2), (2, 0, 3, 1)]
    """
    n = len(regions)
    lines = [sum(1 << r * n + c for r, c in region) for region in squares(regions)]
    lines += [sum(1 << row * n + k for k in range(n)) for row in range(n)]
    lines += [sum(1 << k * n + column for k in range(n)) for column in range(n)]
    for queens in _below(n, lines, (1 << n * n) - 1, 0):
        yield tuple((queens >> row * n & (1 << n) - 1).bit_length() - 1 for row in range(n))


def _below(n: int, lines: Sequence[int], free: int, queens: int) -> Iterator[int]:
    """Yield the solutions with these queens: one more in each of these rows, columns and regions,
    on free squares.
    """
    if not lines:
        yield queens
        return
    # In the line with the fewest free squares: if it has none, there is no solution.
    fewest = min([line & free for line in lines], key=int.bit_count)
    while fewest:
        queen = fewest & -fewest
        fewest ^= queen
        lines_left = [line for line in lines if not line & queen]
        excluded = _touching(n, queen)
        for line in lines:
            if line & queen:
                excluded |= line
        yield from _below(n, lines_left, free & ~excluded, queens | queen)


@lru_cache(maxsize=1024)
def _touching(n: int, queen: int) -> int:
    """The squares that touch the square of a queen diagonally."""
    row, column = divmod(queen.bit_length() - 1, n)
    around = product((row - 1, row + 1), (column - 1, column + 1))
    return sum(1 << r * n + c for r, c in around if 0 <= r < n and 0 <= c < n)


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
        if fault := flaw(self.regions):
            raise InputError(f"square {fault.square}: {fault.what}")
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

    def constraints(self) -> Constraints:
        """One queen in each row, column and region. Of each two squares of different regions that
        touch diagonally, at most one has a queen.
        """
        board = np.arange(1, self.n**2 + 1, dtype=np.int32).reshape(self.n, self.n)
        lines = np.concatenate([along(board, 1), along(board, 0)])
        regions = [[variable_of(square, self.n) for square in s] for s in squares(self.regions)]
        touching = [
            [variable_of(square, self.n) for square in two]
            for two in _diagonal_neighbours(self.n)
            if len({self.region(square) for square in two}) == 2
        ]
        return Constraints.of(
            self.n**2,
            *(Rows.exactly(items, 1) for items in (lines, *by_length(regions))),
            *(Rows.at_most(items, 1) for items in by_length(touching)),
        )

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
            clashes: Flags = (rows == 0) | (columns == 0) | same_region | touch
            return clashes

        lines = [line == at for line in (row, column) for at in range(self.n)]
        return Rules(
            self.options,
            clash,
            lines + [letters.ravel() == letter for letter in np.unique(letters)],
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

    def picture(self, solution: Iterable[Option]) -> Picture:
        """The regions in colours, with a letter each where there is no queen."""
        queens = set(solution)
        names = sorted(set("".join(self.regions)))
        cells = {
            (row, column): Cell(colour=names.index(name), piece=Piece.WHITE_QUEEN)
            if (row, column) in queens
            else Cell(name, names.index(name))
            for row, line in enumerate(self.regions)
            for column, name in enumerate(line)
        }
        return grid(f"{self.n} regions with a queen each", self.n, self.n, cells)

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


LARGEST_DRAWN: Final = 13
"""The largest n of a random puzzle. Most take about 1 s; at n = 14, some take a minute."""

_MOST_MOVES: Final = 100
"""Moves of squares before new regions are drawn."""

Board = list[list[int]]
"""The number of the region of each square, row by row."""


def puzzle(n: int, source: random.Random) -> tuple[Board, Columns]:
    """Return the regions of a puzzle and the columns of its only solution. Raises `InputError` if
    there is no puzzle of this size, or if it would take too long to find one.
    """
    if n in SIZES_WITHOUT:
        raise InputError(f"n is {n}: two queens in different rows and columns always touch")
    if not 1 <= n <= LARGEST_DRAWN:
        raise InputError(f"n is {n}: random puzzles have 1 to {LARGEST_DRAWN} rows")
    while True:
        queens = _placement(n, source)
        board = _grow_regions(queens, source)
        if _make_unique(board, queens, source):
            return board, queens


def rows(board: Board) -> tuple[str, ...]:
    """The regions as letters, a string for each row."""
    return tuple("".join(ascii_lowercase[region] for region in row) for row in board)


def _placement(n: int, source: random.Random) -> Columns:
    """Columns of queens that do not touch: about one permutation in eight."""
    columns = list(range(n))
    while True:
        source.shuffle(columns)
        if all(abs(a - b) > 1 for a, b in pairwise(columns)):
            return tuple(columns)


def _grow_regions(queens: Columns, source: random.Random) -> Board:
    """Regions that contain one queen each. The one in row k has the number k."""
    n = len(queens)
    board = [[-1] * n for _ in range(n)]
    edge: list[tuple[int, Square]] = [(row, (row, column)) for row, column in enumerate(queens)]
    for region, (row, column) in edge:
        board[row][column] = region
    while edge:
        region, square = edge.pop(source.randrange(len(edge)))
        free = [(r, c) for r, c in _neighbours(square, n) if board[r][c] < 0]
        if free:
            row, column = source.choice(free)
            board[row][column] = region
            edge += [(region, square), (region, (row, column))]
    return board


def _neighbours(square: Square, n: int) -> list[Square]:
    return [(r, c) for r, c in edge_neighbours(square) if 0 <= r < n and 0 <= c < n]


def _make_unique(board: Board, queens: Columns, source: random.Random) -> bool:
    """Move squares between regions until there is no other solution; False if that fails."""
    for _ in range(_MOST_MOVES):
        other = next((solution for solution in solutions(board) if solution != queens), None)
        if other is None:
            return True
        row = source.choice([row for row, column in enumerate(other) if column != queens[row]])
        _move(board, queens, (row, other[row]), source)
    return False


def _move(board: Board, queens: Columns, square: Square, source: random.Random) -> None:
    """Move a square, and what it cuts off from the queen of its region, to a region next to it."""
    old = board[square[0]][square[1]]
    around = {board[r][c] for r, c in _neighbours(square, len(board))} - {old}
    if around:
        new = source.choice(sorted(around))
        region = next(region for region in squares(board) if square in region)
        connected_squares = connected(
            [(old, queens[old]), *(other for other in region if other != square)]
        )
        for row, column in set(region) - connected_squares:
            board[row][column] = new


def parse(text: str, source: str, name: str = "") -> Regions:
    """Parse a picture: for each square a letter or digit that names its region. Spaces between
    squares and empty lines are ignored. Raises `InputError`.
    """
    if wrong := re.search(r"[^\sA-Za-z0-9]", text):
        reason = f"{wrong[0]!r} is not a region: expected a letter or digit that names a region"
        raise InputError(reason, place=place_at(text, source, wrong.start()))
    rows = board_text.rows(text, source)
    if len(rows) > LARGEST_N:
        raise InputError(f"{len(rows)} rows: expected at most {LARGEST_N}", place=Place(source))
    regions = tuple(row for _, row in rows)
    if fault := flaw(regions):
        row, column = fault.square
        raise InputError(fault.what, place=board_text.place(text, source, rows[row][0], column))
    return Regions(regions, name)


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
                    yield self._draw(n, name)
            except InputError as error:
                yield LeftOut(f"{self.name}: {error}")

    def _draw(self, n: int, name: str) -> Regions:
        board, _ = puzzle(n, random.Random(f"{self.name} {n} {name}"))
        return Regions(rows(board), name)

    def parsed(self, text: str, source: str, name: str) -> list[Problem]:
        return [parse(text, source, name)]
