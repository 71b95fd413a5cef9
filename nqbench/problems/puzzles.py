"""Files of puzzles, one per line: a symbol for each cell, row by row, 0 or . for an empty cell."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from math import isqrt
from typing import Final

from nqbench.errors import InputError
from nqbench.problems.options import Solution
from nqbench.problems.symbols import SYMBOLS

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

    def error(self, at: int, what: str) -> InputError:
        """What is wrong with a cell, and its place in the file."""
        return InputError(f"{self.source}, line {self.line}, column {self.column + at}: {what}")


def puzzles(text: str, source: str, sides: Collection[int]) -> Iterator[Puzzle]:
    """Yield the puzzles of a file, whose grids have one of these sides. Empty lines, and lines that
    start with #, are left out. Raises `InputError` for a line of another length, and if there is no
    puzzle.
    """
    sizes = [side**2 for side in sides]
    found = list(_lines(text, source))
    if not found:
        raise InputError(f"{source}: no puzzle: expected one per line")
    for puzzle in found:
        count = len(puzzle.cells)
        if count not in sizes:
            last = min(count, max(sizes) + 1) - 1
            raise puzzle.error(last, f"{count} cells: expected {', '.join(map(str, sizes))}")
        yield puzzle


def _lines(text: str, source: str) -> Iterator[Puzzle]:
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.strip()
        if cells and not cells.startswith("#"):
            yield Puzzle(source, number, line.index(cells) + 1, cells)
