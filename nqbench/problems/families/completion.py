"""`completion`: some queens are placed already, and the others must be added.

I. Gent, C. Jefferson, P. Nightingale, "Complexity of n-queens completion", Journal of Artificial
Intelligence Research 59, 2017: NP-complete. Options and items are those of `queens`; the placed
queens are given. In a random board no two of them attack each other.

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> from nqbench.problems.queens import Queens
>>> one = Queens(1, "completion", placed=((0, 0),))
>>> print(dimacs.text(Encoding.named("pairwise").clauses(one)))
p cnf 1 3
1 0
1 0
1 0
"""

import random
from collections.abc import Sequence
from typing import Any

from nqbench.problems.families.boards import FilledBoards, shuffled_squares
from nqbench.problems.queens import Queens, Square


class Completion(FilledBoards):
    """Random boards with some queens that do not attack each other."""

    meaning = "some queens are placed already"
    reference = "I. Gent, C. Jefferson, P. Nightingale, JAIR 59, 2017"
    measure = "queens placed / n"
    part = "queens"

    def parts(self, n: int, source: random.Random) -> Sequence[Square]:
        queens: list[Square] = []
        occupied: set[tuple[str, int]] = set()
        for row, column in shuffled_squares(n, source):
            lines = {("|", column), ("-", row), ("\\", row - column), ("/", row + column)}
            if occupied.isdisjoint(lines):
                queens.append((row, column))
                occupied |= lines
        return queens

    def filled(self, n: int, parts: Sequence[Any], name: str) -> Queens:
        density = len(parts) / n
        return Queens(n, self.name, tuple(parts), (), f"{name} q={len(parts)}", density)
