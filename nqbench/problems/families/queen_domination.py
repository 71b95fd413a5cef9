"""`queen-domination`: k queens attack or occupy every square of an n x n board.

W. Ahrens, Mathematische Unterhaltungen und Spiele, 1910; P. Weakley, "Domination in the queen's
graph", 1995. Options are (row, column). Each square is a bounded item [1, all] of the squares from
which a queen attacks it, itself included; so other queens do not stand in the way, since a queen in
between attacks it, too. All squares are one item [0, k]. With `independent=yes`, no two queens
attack each other: lines are secondary items. With `k=known`, the default, k is the least number for
which there is a solution, as far as that is published (OEIS A075458, A299029), and otherwise
(n + 1) // 2. With `symmetry=eight`, encodings keep one solution of each class under the symmetries
of the square.

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> from nqbench.problems.families.base import Family
>>> board = Family.named("queen-domination").of_size(2)
>>> print(dimacs.text(Encoding.named("pairwise").clauses(board)))
p cnf 4 10
-1 -2 0
-1 -3 0
-1 -4 0
-2 -3 0
-2 -4 0
-3 -4 0
1 2 3 4 0
1 2 3 4 0
1 2 3 4 0
1 2 3 4 0
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import Rows
from nqbench.plugins.parameters import Choice
from nqbench.problems.base import ProblemOfK
from nqbench.problems.cover import by_length
from nqbench.problems.families.base import Better, FamilyOfK
from nqbench.problems.lex_leader import LexLeader
from nqbench.problems.options import Box, Option
from nqbench.problems.picture import Cell, Picture, Piece, grid, grid_text
from nqbench.problems.rules import Counted, Flags, Rules, numbers
from nqbench.problems.symmetry import leader_of_squares

LARGEST_N: Final = 100
"""The largest n: each of n^2 squares is attacked from up to 4n - 3."""

DOMINATION: Final = (
    1, 1, 1, 2, 3, 3, 4, 5, 5, 5, 5, 6, 7, 8, 9, 9, 9, 9, 10, 11, 11, 12, 12, 13, 13
)  # fmt: skip
"""The least number of queens for n = 1..25. OEIS A075458."""

INDEPENDENT: Final = (1, 1, 1, 3, 3, 4, 4, 5, 5, 5, 5, 7, 7, 8)
"""The least number of queens that do not attack each other, for n = 1..14. OEIS A299029."""


@dataclass(frozen=True, slots=True)
class QueenDomination(ProblemOfK):
    """At most k queens on an n x n board that attack or occupy every square."""

    n: int
    k: int
    independent: bool = False
    family: str = "queen-domination"
    symmetry: str = "none"

    plural: ClassVar[str] = "boards to dominate"
    largest_n: ClassVar[int] = LARGEST_N

    @property
    def options(self) -> Box:
        return Box(self.n, self.n)

    def constraints(self) -> Constraints:
        """Rows from the lines of the board, each of which is an array of squares."""
        square = np.arange(1, self.n**2 + 1, dtype=np.int32).reshape(self.n, self.n)
        turned = square[:, ::-1]
        lines = [*square, *square.T]
        lines += [
            board.diagonal(d) for board in (square, turned) for d in range(1 - self.n, self.n)
        ]
        near: list[set[int]] = [set() for _ in range(self.n**2 + 1)]
        for line in lines:
            for v in line.tolist():
                near[v].update(line.tolist())
        attacked = by_length(sorted(squares) for squares in near[1:])
        apart = by_length(line.tolist() for line in lines if len(line) > 1)
        return Constraints.of(
            self.n**2,
            *(Rows.at_most(items, 1) for items in (apart if self.independent else ())),
            *(Rows.at_least(items, 1) for items in attacked),
            Rows.at_most(square.reshape(1, -1), self.k),
        )

    def rules(self) -> Rules:
        """Each square is attacked or occupied, and no more than k are occupied."""
        row, column = every = numbers(self.options, 2)
        return Rules(
            self.options,
            _attack if self.independent else None,
            [_attack(every, np.array([[r], [c]])) for r, c in zip(row, column, strict=True)],
            counted=[Counted(range(1, self.n**2 + 1), 0, self.k)],
        )

    def lex_leader(self) -> LexLeader:
        return leader_of_squares(self.n)

    def violation(self, solution: Iterable[Option]) -> str | None:
        queens = list(solution)
        for row, column in queens:
            if not (0 <= row < self.n and 0 <= column < self.n):
                return f"no square ({row}, {column})"
        if len(queens) > self.k:
            return f"{len(queens)} queens instead of {self.k}"
        free = set(self.options)
        for row, column in queens:
            free -= {
                (r, c)
                for r, c in free
                if r == row or c == column or abs(r - row) == abs(c - column)
            }
        if free:
            row, column = min(free)
            return f"no queen attacks ({row}, {column})"
        if self.independent:
            for at, (row, column) in enumerate(queens):
                for r, c in queens[:at]:
                    if r == row or c == column or abs(r - row) == abs(c - column):
                        return f"queens in ({r}, {c}) and ({row}, {column}) attack each other"
        return None

    def picture(self, solution: Iterable[Option]) -> Picture:
        """The board with its queens."""
        cells = {(row, column): Cell(piece=Piece.WHITE_QUEEN) for row, column in solution}
        label = f"{len(cells)} queens that dominate a board of {self.n} rows"
        return grid(label, self.n, self.n, cells, is_chequered=True)

    def drawing(self, solution: Iterable[Option]) -> str:
        """The board, with Q for a queen and a dot for an empty square."""
        return grid_text(self.n, dict.fromkeys(solution, "Q"))


def _attack(one: NDArray[np.int64], other: NDArray[np.int64]) -> Flags:
    """Whether queens on these squares attack each other, or are on one square."""
    rows, columns = np.abs(one - other)
    attacks: Flags = (rows == 0) | (columns == 0) | (rows == columns)
    return attacks


class Domination(FamilyOfK):
    """A board for each n, to dominate with the least number of queens, or with k."""

    meaning = "k queens that attack or occupy every square"
    reference = "W. Ahrens, Mathematische Unterhaltungen und Spiele, 1910"
    problem = QueenDomination
    better = Better.LESS
    parameters = {
        **FamilyOfK.parameters,
        "independent": Choice("no", ("no", "yes")),
    }

    def of_size(self, n: int) -> QueenDomination:
        independent = self.values["independent"] == "yes"
        best_k = INDEPENDENT if independent else DOMINATION
        k = self.k(n, best_k, (n + 1) // 2)
        return QueenDomination(n, k, independent, self.name, self.symmetry)
