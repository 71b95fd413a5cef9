"""`latin`: Latin squares of order n, with each of n symbols once in each row and column.

L. Euler, "Recherches sur une nouvelle espèce de quarrés magiques", 1782. Options are (row, column,
symbol): a symbol in a cell. Primary items are the cells, each symbol in each row, and each symbol
in each column: 3n² items of n options. There is a solution for every n, as (row + column) mod n
shows, and OEIS A002860 counts them: 1, 2, 12, 576, 161280.

>>> from nqbench.instances import dimacs
>>> from nqbench.plugins import load_encoding, load_family
>>> cnf = load_encoding("pairwise").clauses(load_family("latin").of_size(2))
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

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Final

from nqbench.families.base import Family
from nqbench.problems.cover import Cover, along
from nqbench.problems.symbols import Symbols

LARGEST: Final = 512
"""The largest order: variables of options then fit in 27 bits."""


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

    def cover(self) -> Cover:
        """Cells, symbols of rows and symbols of columns are primary items."""
        row, column, symbol = range(3)
        x = self.variables
        return Cover(x.size, (along(x, symbol), along(x, column), along(x, row)), given=self.given)


class LatinSquares(Family):
    """An empty square for each n."""

    meaning = "each symbol once in each row and column"
    reference = "L. Euler, 1782; OEIS A002860"
    problem = LatinSquare
