"""`excluded-diagonals`: some diagonals must stay empty. Problem 079 of CSPLib.

I. Gent, C. Jefferson, P. Nightingale, "Complexity of n-queens completion", Journal of Artificial
Intelligence Research 59, 2017: NP-complete. Options and items are those of `queens`; the options on
excluded diagonals are excluded.

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> from nqbench.problems.excluded_diagonals import excluding
>>> print(dimacs.text(Encoding.named("pairwise").clauses(excluding(1, [(0, 1)], ""))))
p cnf 1 3
1 0
1 0
-1 0
"""

import random
from collections.abc import Sequence
from typing import Any, Final

from nqbench.problems.excluded_diagonals import Diagonal, excluding, squares
from nqbench.problems.families.boards import FilledBoards
from nqbench.problems.queens import Queens, Square

FREE_SQUARES: Final = 4
"""Free squares that a random list leaves in each row and column, as in CSPLib's instances."""


class ExcludedDiagonals(FilledBoards):
    """Random boards with some excluded diagonals, or CSPLib's instances."""

    meaning = "some diagonals must stay empty (CSPLib 079)"
    reference = "I. Gent, C. Jefferson, P. Nightingale, JAIR 59, 2017"
    measure = "diagonals excluded / n"
    part = "diagonals"

    def parts(self, n: int, source: random.Random) -> Sequence[Diagonal]:
        waiting = [(k, kind) for k in range(2 * n - 1) for kind in (0, 1)]
        source.shuffle(waiting)
        diagonals: list[Diagonal] = []
        blocked: set[Square] = set()
        in_row, in_column = [0] * n, [0] * n
        most = n - FREE_SQUARES
        for diagonal in waiting:
            # A diagonal has at most one square in each row and column: these counts grow by 1.
            new = set(squares(n, diagonal)) - blocked
            if all(in_row[row] < most and in_column[column] < most for row, column in new):
                diagonals.append(diagonal)
                blocked |= new
                for row, column in new:
                    in_row[row] += 1
                    in_column[column] += 1
        return diagonals

    def filled(self, n: int, parts: Sequence[Any], name: str) -> Queens:
        return excluding(n, parts, name)
