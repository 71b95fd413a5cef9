"""`pigeonhole`: n + 1 pigeons in n holes, at most one in each.

S. Cook, R. Reckhow, "The relative efficiency of propositional proof systems", Journal of Symbolic
Logic 44, 1979. Each refutation by resolution has exponential length: A. Haken, "The intractability
of resolution", Theoretical Computer Science 39, 1985. Options are (pigeon, hole), both from 0.
Pigeons are primary items, holes secondary ones. An exact cover puts each pigeon in only one hole,
so this is the functional pigeonhole principle, whose refutations are no shorter. `more` is the
number of pigeons beyond n; with more=0 there are n! solutions.

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> from nqbench.problems.families.base import Family
>>> print(dimacs.text(Encoding.named("pairwise").clauses(Family.named("pigeonhole").of_size(1))))
p cnf 2 3
1 0
2 0
-1 -2 0
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import Rows
from nqbench.common.errors import InputError
from nqbench.plugins.parameters import Whole
from nqbench.problems.base import Problem
from nqbench.problems.cover import along
from nqbench.problems.families.base import Family
from nqbench.problems.options import Box, Option
from nqbench.problems.picture import Cell, Picture, Piece, grid
from nqbench.problems.rules import Flags, Numbers, Rules, numbers

LARGEST_N: Final = 1000
"""The largest number of holes, and of pigeons beyond it."""


@dataclass(frozen=True, slots=True)
class Pigeonhole(Problem):
    """Put n + more pigeons in n holes, at most one in each."""

    n: int
    more: int = 1
    family: str = "pigeonhole"

    def __post_init__(self) -> None:
        for name, value, least in (("n", self.n, 1), ("more", self.more, 0)):
            if not least <= value <= LARGEST_N:
                raise InputError(f"{name} is {value}: expected {least} to {LARGEST_N}")

    @property
    def satisfiable(self) -> bool:
        return self.more == 0

    @property
    def num_solutions(self) -> int:
        return 0 if self.more else math.factorial(self.n)

    @property
    def solution_size(self) -> int:
        """The number of pigeons."""
        return self.n + self.more

    @property
    def options(self) -> Box:
        return Box(self.solution_size, self.n)

    def constraints(self) -> Constraints:
        options = np.arange(1, len(self.options) + 1, dtype=np.int32).reshape(-1, self.n)
        return Constraints.of(
            options.size, Rows.exactly(along(options, 1), 1), Rows.at_most(along(options, 0), 1)
        )

    def rules(self) -> Rules:
        """No pigeon is in two holes, and no hole has two pigeons. Each pigeon is in a hole."""

        def clash(one: Numbers, other: Numbers) -> Flags:
            same_pigeon, same_hole = one == other
            clashes: Flags = same_pigeon | same_hole
            return clashes

        pigeon, _ = numbers(self.options, 2)
        return Rules(self.options, clash, [pigeon == p for p in range(self.solution_size)])

    def violation(self, solution: Iterable[Option]) -> str | None:
        chosen = list(solution)
        for pigeon, hole in chosen:
            if not (0 <= pigeon < self.solution_size and 0 <= hole < self.n):
                return f"no pigeon {pigeon + 1} in hole {hole + 1}"
        in_holes = Counter(pigeon for pigeon, _ in chosen)
        for pigeon in range(self.solution_size):
            if in_holes[pigeon] != 1:
                return f"pigeon {pigeon + 1} is in {in_holes[pigeon]} holes"
        hole, pigeons = Counter(hole for _, hole in chosen).most_common(1)[0]
        return f"hole {hole + 1} has {pigeons} pigeons" if pigeons > 1 else None

    def picture(self, solution: Iterable[Option]) -> Picture:
        """A row for each pigeon and a column for each hole."""
        cells = {(pigeon, hole): Cell(piece=Piece.DOT) for pigeon, hole in solution}
        label = f"{self.solution_size} pigeons in {self.n} holes"
        return grid(label, self.solution_size, self.n, cells)

    def drawing(self, solution: Iterable[Option]) -> str:
        pigeon_in = {hole: str(pigeon + 1) for pigeon, hole in solution}
        return " ".join(pigeon_in.get(hole, ".") for hole in range(self.n))


class Pigeonholes(Family):
    """n + 1 pigeons in n holes for each n, or n + more."""

    meaning = "n + 1 pigeons in n holes"
    reference = "A. Haken, Theoretical Computer Science 39, 1985"
    problem = Pigeonhole
    parameters = {"more": Whole(default=1, least=0)}

    def of_size(self, n: int) -> Pigeonhole:
        return Pigeonhole(n, int(self.values["more"]), self.name)
