"""`blocked`: some squares must stay empty.

I. Gent, C. Jefferson, P. Nightingale, "Complexity of n-queens completion", Journal of Artificial
Intelligence Research 59, 2017, where blocked squares are a step between completion and excluded
diagonals. Options and items are those of `queens`; the options of blocked squares are excluded.

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> from nqbench.problems.queens import Queens
>>> one = Queens(1, "blocked", blocked=((0, 0),))
>>> print(dimacs.text(Encoding.named("pairwise").clauses(one)))
p cnf 1 3
1 0
1 0
-1 0
"""

import random
from collections.abc import Sequence
from typing import Any

from nqbench.problems.families.boards import FilledBoards, shuffled_squares
from nqbench.problems.queens import Queens, Square


class Blocked(FilledBoards):
    """Random boards with some blocked squares."""

    meaning = "some squares must stay empty"
    reference = "I. Gent, C. Jefferson, P. Nightingale, JAIR 59, 2017"
    measure = "squares blocked / n²"
    part = "squares"

    def whole(self, n: int) -> int:
        return n * n

    def parts(self, n: int, source: random.Random) -> Sequence[Square]:
        return shuffled_squares(n, source)

    def filled(self, n: int, parts: Sequence[Any], name: str) -> Queens:
        density = len(parts) / n**2
        return Queens(n, self.name, (), tuple(parts), f"{name} b={len(parts)}", density)
