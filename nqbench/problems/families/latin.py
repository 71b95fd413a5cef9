"""`latin`: Latin squares of order n, with each of n symbols once in each row and column.

L. Euler, "Recherches sur une nouvelle espèce de quarrés magiques", 1782. Options are (row, column,
symbol): a symbol in a cell. Primary items are the cells, each symbol in each row, and each symbol
in each column: 3n² items of n options. There is a solution for every n, as (row + column) mod n
shows, and OEIS A002860 counts them: 1, 2, 12, 576, 161280.

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> from nqbench.problems.families.base import Family
>>> cnf = Encoding.named("pairwise").clauses(Family.named("latin").of_size(2))
>>> header, *clauses = dimacs.text(cnf).splitlines()
>>> header
'p cnf 8 24'
>>> for start in range(0, 24, 4):
...     print(*clauses[start : start + 4], sep="   ")
1 2 0   3 4 0   5 6 0   7 8 0
1 3 0   2 4 0   5 7 0   6 8 0
1 5 0   2 6 0   3 7 0   4 8 0
-1 -2 0   -3 -4 0   -5 -6 0   -7 -8 0
-1 -3 0   -2 -4 0   -5 -7 0   -6 -8 0
-1 -5 0   -2 -6 0   -3 -7 0   -4 -8 0
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.constraints import Constraints, Literals
from nqbench.clauses.rows import Rows
from nqbench.common.errors import InputError
from nqbench.problems.base import Problem
from nqbench.problems.cover import along
from nqbench.problems.families.base import Family
from nqbench.problems.options import Box, Option, Solution, variables
from nqbench.problems.picture import Cell, Picture, grid, grid_text
from nqbench.problems.rules import Flags, Numbers, Rules, numbers

LARGEST: Final = 512
"""The largest order: variables of options then fit in 27 bits."""

Line = NDArray[np.int64]
"""A number for each of some cells, shape (cells,)."""

SYMBOLS: Final = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""How symbols are drawn; numbers from 1 stand for them in grids that need more."""


def symbol(number: int, side: int) -> str:
    """How symbol `number` of a grid is drawn; all symbols of a grid have the same width.

    >>> symbol(9, 16), symbol(9, 100)
    ('A', ' 10')
    """
    return SYMBOLS[number] if side <= len(SYMBOLS) else str(number + 1).rjust(len(str(side)))


@dataclass(frozen=True, slots=True)
class Clash:
    """Two chosen options that break a rule, in words."""

    rule: str
    first: Option
    second: Option

    def __str__(self) -> str:
        return self.rule


@dataclass(frozen=True, slots=True)
class Symbols(Problem):
    """Write a symbol into each cell of a square grid, so that none is twice in a line: what Latin
    squares and sudoku have in common.

    `placed`: the symbols that are there already. Raises `InputError` for an order that the family
    does not have, and for a symbol outside the grid. Placed symbols that break a rule make a valid
    problem without a solution.
    """

    n: int
    family: str
    placed: Solution = ()
    instance: str = ""
    density: float | None = None

    kind: ClassVar[str]
    """What it is, with an article."""

    orders: ClassVar[range]
    """The orders n that there are."""

    def __post_init__(self) -> None:
        if self.n not in self.orders:
            least, most = self.orders[0], self.orders[-1]
            raise InputError(f"n is {self.n}: the order of {self.kind} is {least} to {most}")
        # Sorted without duplicates, so that equal problems have equal records.
        object.__setattr__(self, "placed", tuple(sorted(set(self.placed))))
        if wrong := [option for option in self.placed if option not in self.options]:
            raise InputError(f"{wrong[0]} is outside {self.kind} of order {self.n}")

    @property
    def side(self) -> int:
        """The number of rows, of columns and of symbols."""
        return self.n

    @abstractmethod
    def lines(self, row: int, column: int) -> Iterable[str]:
        """The names of the lines through a cell."""

    def line_numbers(self, row: Line, column: Line) -> Sequence[Line]:
        """Which row, which column, and which other line of each kind some cells are in, as a number
        below `side`.
        """
        return row, column

    @property
    def options(self) -> Box:
        """The symbols of each cell, row by row."""
        return Box(self.side, self.side, self.side)

    @property
    def solution_size(self) -> int:
        """The number of cells."""
        return self.side**2

    @property
    def variables(self) -> NDArray[np.int32]:
        """The variable of each option, shape (rows, columns, symbols)."""
        return np.arange(1, self.side**3 + 1, dtype=np.int32).reshape(3 * (self.side,))

    @property
    def given(self) -> Literals:
        """The variables of the placed symbols."""
        return np.array(variables(self.options, self.placed), dtype=np.int32)

    def rules(self) -> Rules:
        """No cell has two symbols, and no symbol is twice in a line. Each cell has a symbol, and
        each line has each symbol.
        """
        row, column, number = numbers(self.options, 3)

        def clash(one: Numbers, other: Numbers) -> Flags:
            lines = zip(self.line_numbers(*one[:2]), self.line_numbers(*other[:2]), strict=True)
            same_line = np.any([mine == theirs for mine, theirs in lines], axis=0)
            same_row, same_column, same_symbol = one == other
            clashes: Flags = (same_row & same_column) | (same_symbol & same_line)
            return clashes

        every = list(product(range(self.side), repeat=2))
        cells = [(row == r) & (column == c) for r, c in every]
        lines = [
            (line == at) & (number == symbol)
            for line in self.line_numbers(row, column)
            for at, symbol in every
        ]
        return Rules(self.options, clash, cells + lines, self.placed)

    def violation(self, solution: Iterable[Option]) -> str | None:
        chosen = list(solution)
        for option in chosen:
            if option not in self.options:
                return f"{option} is outside {self.kind} of order {self.n}"
        if clash := self.clash(chosen):
            return str(clash)
        if len(chosen) != self.side**2:
            return f"{len(chosen)} of {self.side**2} cells have a symbol"
        if missing := set(self.placed).difference(chosen):
            row, column, number = min(missing)
            symbol = self._symbol_text(number)
            return f"cell ({row}, {column}) must hold {symbol}, which was placed there"
        return None

    def clash(self, chosen: Iterable[Option]) -> Clash | None:
        """The first two options found that break a rule; None if none do."""
        option_of: dict[str, Option] = {}
        for option in chosen:
            for rule in self._rules(option):
                if rule in option_of:
                    return Clash(rule, option_of[rule], option)
                option_of[rule] = option
        return None

    def _rules(self, option: Option) -> Iterator[str]:
        """What two options must not both do, in words."""
        row, column, number = option
        yield f"two symbols in cell ({row}, {column})"
        for line in self.lines(row, column):
            yield f"symbol {self._symbol_text(number)} is twice in {line}"

    def _symbol_text(self, number: int) -> str:
        return symbol(number, self.side).strip()

    @property
    def start(self) -> Solution:
        return self.placed

    @property
    def box(self) -> int:
        """The side of the boxes that lines divide a picture into; 0 without boxes."""
        return 0

    def picture(self, solution: Iterable[Option]) -> Picture:
        """The symbols; each has a colour, and placed ones are bold."""
        cells = {
            (row, column): Cell(
                self._symbol_text(number), number, is_given=(row, column, number) in self.placed
            )
            for row, column, number in solution
        }
        return grid(f"{self.kind} of order {self.n}", self.side, self.side, cells, box=self.box)

    def drawing(self, solution: Iterable[Option]) -> str:
        written = {(row, column): symbol(number, self.side) for row, column, number in solution}
        return grid_text(self.side, written, ".".rjust(len(symbol(0, self.side))))


@dataclass(frozen=True, slots=True)
class LatinSquare(Symbols):
    """Write n symbols into an n x n grid, each once in each row and column."""

    family: str = "latin"

    kind: ClassVar[str] = "a Latin square"
    orders: ClassVar[range] = range(1, LARGEST + 1)

    def lines(self, row: int, column: int) -> Iterable[str]:
        return f"row {row}", f"column {column}"

    @property
    def satisfiable(self) -> bool | None:
        """Fewer than n symbols that break no rule can always be completed: B. Smetaniuk, "A new
        construction on Latin squares", Ars Combinatoria 11, 1981.
        """
        if self.clash(self.placed):
            return False
        return True if len(self.placed) < self.n else None

    def constraints(self) -> Constraints:
        """Each cell has one symbol, and each row and column has each symbol once."""
        row, column, symbol = range(3)
        x = self.variables
        items = (along(x, symbol), along(x, column), along(x, row))
        return Constraints.of(x.size, *(Rows.exactly(i, 1) for i in items), given=self.given)


class LatinSquares(Family):
    """An empty square for each n."""

    meaning = "each symbol once in each row and column"
    reference = "L. Euler, 1782; OEIS A002860"
    problem = LatinSquare
