"""`sudoku`: a grid of n² x n² cells, with each symbol once in each row, column and box.

H. Garns, "Number Place", 1979. The boxes are the n² squares of n x n cells; n = 3 is the puzzle in
newspapers. Options are (row, column, symbol): a symbol in a cell. Primary items are the cells, and
each symbol in each row, column and box: 4n⁴ items of n² options. An empty grid has a solution for
every n, as (n * row + row // n + column) mod n² shows.

A file has one puzzle per line, row by row: 16, 81, 256 or 625 symbols 1 to 9 and then A to P, with
0 or . for an empty cell.

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> from nqbench.problems.families.base import Family
>>> (one,) = Family.named("sudoku").parsed("1......2..3.4...", "a file", "one")
>>> dimacs.text(Encoding.named("pairwise").clauses(one)).splitlines()[0]
'p cnf 64 452'
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import ClassVar, Final

from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import Rows
from nqbench.common.errors import InputError, Place
from nqbench.problems.base import Problem
from nqbench.problems.cover import along
from nqbench.problems.families.base import Family
from nqbench.problems.families.latin import SYMBOLS, Line, Symbols
from nqbench.problems.options import Solution

_EMPTY: Final = "0."


@dataclass(frozen=True, slots=True)
class Puzzle:
    """The cells of a line in a file; `line` and `column` count from 1."""

    source: str
    line: int
    column: int
    cells: str

    @property
    def side(self) -> int:
        """The number of rows, if there are as many columns."""
        return isqrt(len(self.cells))

    @property
    def placed(self) -> Solution:
        """The symbols as (row, column, symbol). Raises `InputError` for any other character."""
        return tuple(
            (*divmod(at, self.side), self._number(at, cell))
            for at, cell in enumerate(self.cells)
            if cell not in _EMPTY
        )

    def _number(self, at: int, cell: str) -> int:
        symbols = SYMBOLS[: self.side]
        if cell.upper() not in symbols:
            expected = f"1 to {symbols[-1]}, and 0 or . for an empty cell"
            raise self.error(at, f"{cell!r} is not a symbol: expected {expected}")
        return symbols.index(cell.upper())

    def error(self, at: int, message: str) -> InputError:
        """What is wrong with a cell, and its place in the file."""
        return InputError(message, place=Place(self.source, self.line, self.column + at))


def puzzles(text: str, source: str, sides: Collection[int]) -> Iterator[Puzzle]:
    """Yield the puzzles of a file, whose grids have one of these sides. Empty lines, and lines that
    start with #, are left out. Raises `InputError` for a line of another length, and if there is no
    puzzle.
    """
    sizes = [side**2 for side in sides]
    every_puzzle = list(_lines(text, source))
    if not every_puzzle:
        raise InputError("no puzzle: expected one per line", place=Place(source))
    for puzzle in every_puzzle:
        count = len(puzzle.cells)
        if count not in sizes:
            position = min(count, max(sizes) + 1) - 1
            raise puzzle.error(position, f"{count} cells: expected {', '.join(map(str, sizes))}")
        yield puzzle


def _lines(text: str, source: str) -> Iterator[Puzzle]:
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.strip()
        if cells and not cells.startswith("#"):
            yield Puzzle(source, number, line.index(cells) + 1, cells)


@dataclass(frozen=True, slots=True)
class Sudoku(Symbols):
    """Write n² symbols into a grid, each once in each row, column and box of n x n cells."""

    family: str = "sudoku"

    kind: ClassVar[str] = "a sudoku"
    orders: ClassVar[range] = range(2, 6)

    @property
    def side(self) -> int:
        return self.n**2

    @property
    def box(self) -> int:
        return self.n

    def lines(self, row: int, column: int) -> Iterable[str]:
        return f"row {row}", f"column {column}", f"box ({row // self.n}, {column // self.n})"

    def line_numbers(self, row: Line, column: Line) -> Sequence[Line]:
        return row, column, row // self.n * self.n + column // self.n

    @property
    def satisfiable(self) -> bool | None:
        if self.clash(self.placed):
            return False
        return None if self.placed else True

    def constraints(self) -> Constraints:
        """Each cell has one symbol, and each row, column and box has each symbol once."""
        x = self.variables
        boxes = along(x.reshape(self.n, self.n, self.n, self.n, self.side), 1, 3)
        items = (along(x, 2), along(x, 1), along(x, 0), boxes)
        return Constraints.of(x.size, *(Rows.exactly(i, 1) for i in items), given=self.given)


class Sudokus(Family):
    """An empty grid for each n, or puzzles from files."""

    meaning = "each symbol once in each row, column and box"
    reference = "H. Garns, 'Number Place', Dell Pencil Puzzles and Word Games, 1979"
    problem = Sudoku
    suffixes = (".sdk", ".sudoku", ".txt")

    def parsed(self, text: str, source: str, name: str) -> list[Problem]:
        sides = [n**2 for n in Sudoku.orders]
        return [_sudoku(puzzle, name) for puzzle in puzzles(text, source, sides)]


def _sudoku(puzzle: Puzzle, name: str) -> Sudoku:
    n = isqrt(puzzle.side)
    sudoku = Sudoku(n, placed=puzzle.placed, instance=f"{name} {puzzle.line}")
    if clash := sudoku.clash(sudoku.placed):
        row, column, _ = clash.second
        raise puzzle.error(row * puzzle.side + column, str(clash))
    return sudoku
