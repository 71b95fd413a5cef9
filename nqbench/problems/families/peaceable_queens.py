"""`peaceable-queens`: two armies of k queens each, white and black, do not attack each other.

R. Bosch, "Peaceably coexisting armies of queens", Optima 62, 1999; CSPLib 110; OEIS A250000.
Options are (colour, row, column), colour 0 for white. A white and a black square that attack each
other, or are the same, are a secondary item. The squares of each colour are a bounded item [k,
all]. `k` is by default the greatest number for which there is a solution, as far as that is
published, and otherwise n. With `symmetry=eight`, encodings keep one solution of each class under
the symmetries of the square and a swap of the colours.

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> from nqbench.problems.families.base import Family
>>> board = Family.named("peaceable-queens:k=1").of_size(1)
>>> print(dimacs.text(Encoding.named("pairwise").clauses(board)))
p cnf 2 3
1 0
2 0
-1 -2 0
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import Rows
from nqbench.problems.base import ProblemOfK
from nqbench.problems.families.base import Better, FamilyOfK
from nqbench.problems.lex_leader import LexLeader
from nqbench.problems.options import Box, Option
from nqbench.problems.picture import Cell, Picture, Piece, grid, grid_text
from nqbench.problems.rules import Counted, Flags, Rules, numbers
from nqbench.problems.symmetry import of_squares

LARGEST_N: Final = 50
"""The largest n, whose board has 5,000 options."""

KNOWN: Final = (0, 0, 1, 2, 4, 5, 7, 9)
"""The greatest armies for n = 1..8. OEIS A250000."""

_COLOURS: Final = ("white", "black")


@dataclass(frozen=True, slots=True)
class PeaceableQueens(ProblemOfK):
    """At least k white and k black queens on an n x n board, none of which attacks one of the other
    colour.
    """

    n: int
    k: int
    family: str = "peaceable-queens"
    symmetry: str = "none"

    plural: ClassVar[str] = "boards with two armies"
    largest_n: ClassVar[int] = LARGEST_N

    @property
    def options(self) -> Box:
        return Box(2, self.n, self.n)

    def constraints(self) -> Constraints:
        """Lines of the board give the pairs of squares that attack each other."""
        white = np.arange(1, self.n**2 + 1, dtype=np.int32).reshape(self.n, self.n)
        lines = [*white, *white.T]
        for board in (white, white[:, ::-1]):
            lines += [board.diagonal(d) for d in range(1 - self.n, self.n)]
        pairs = {(a, b + self.n**2) for line in lines for a in line.tolist() for b in line.tolist()}
        attacking = np.array(sorted(pairs), np.int32).reshape(len(pairs), 2)
        armies = np.arange(1, 2 * self.n**2 + 1, dtype=np.int32).reshape(2, -1)
        return Constraints.of(
            2 * self.n**2, Rows.at_most(attacking, 1), Rows.at_least(armies, self.k)
        )

    def rules(self) -> Rules:
        """Queens of different colours do not attack each other, and each army is large enough."""
        colour, _, _ = numbers(self.options, 3)
        armies = [colour == number for number in range(2)]
        return Rules(
            self.options,
            _clash,
            [],
            counted=[Counted(army, self.k, self.n**2) for army in armies],
        )

    def lex_leader(self) -> LexLeader:
        """The symmetries of the board, with and without a swap of the colours. White squares are
        compared before black ones, row by row.
        """
        white = of_squares(self.n)
        black = white + self.n**2
        images = np.block([[white, black], [black, white]])
        return LexLeader(images[1:], np.arange(1, 2 * self.n**2 + 1, dtype=np.int32))

    def violation(self, solution: Iterable[Option]) -> str | None:
        armies: tuple[list[Option], list[Option]] = ([], [])
        for colour, row, column in solution:
            if not (colour in (0, 1) and 0 <= row < self.n and 0 <= column < self.n):
                return f"no square ({row}, {column}) of colour {colour}"
            armies[colour].append((row, column))
        for name, army in zip(_COLOURS, armies, strict=True):
            if len(army) < self.k:
                return f"{len(army)} {name} queens instead of {self.k}"
        for row, column in armies[0]:
            for r, c in armies[1]:
                if row == r or column == c or row - column == r - c or row + column == r + c:
                    return f"white in ({row}, {column}) and black in ({r}, {c}) attack each other"
        return None

    def picture(self, solution: Iterable[Option]) -> Picture:
        """The board with both armies."""
        armies = (Piece.WHITE_QUEEN, Piece.BLACK_QUEEN)
        cells = {(row, column): Cell(piece=armies[army]) for army, row, column in solution}
        label = f"two armies of {self.k} queens on a board of {self.n} rows"
        return grid(label, self.n, self.n, cells, is_chequered=True)

    def drawing(self, solution: Iterable[Option]) -> str:
        """The board, with W and B for queens and a dot for an empty square."""
        return grid_text(self.n, {(row, column): "WB"[colour] for colour, row, column in solution})


def _clash(one: NDArray[np.int64], other: NDArray[np.int64]) -> Flags:
    (colour, row, column), (other_colour, r, c) = one, other
    apart, beside = np.abs(row - r), np.abs(column - c)
    clashes: Flags = (colour != other_colour) & ((apart == 0) | (beside == 0) | (apart == beside))
    return clashes


class PeaceableArmies(FamilyOfK):
    """A board for each n, with the greatest known armies, or with armies of k."""

    meaning = "two armies of k queens that do not attack each other"
    reference = "R. Bosch, Optima 62, 1999"
    problem = PeaceableQueens
    better = Better.MORE

    def of_size(self, n: int) -> PeaceableQueens:
        return PeaceableQueens(n, self.k(n, KNOWN, n), self.name, self.symmetry)
