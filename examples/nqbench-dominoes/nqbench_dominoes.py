"""`dominoes`: cover an n x n board with dominoes; possible if and only if n is even.

P. Kasteleyn, "The statistics of dimers on a lattice", Physica 27, 1961; OEIS A004003. Options are
(row, column, direction): a domino on this square and the one right of it (0) or below it (1). The
squares are primary items, those of one colour first, since each domino covers one of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from nqbench.families.base import Family
from nqbench.problems.base import Problem
from nqbench.problems.cover import Cover, by_length
from nqbench.problems.options import Option


def squares(domino: Option) -> list[tuple[int, int]]:
    row, column, direction = domino
    return [(row, column), (row + direction, column + 1 - direction)]


@dataclass(frozen=True)
class Tiling(Problem):
    n: int
    family: str = "dominoes"

    @property
    def options(self) -> list[Option]:
        sides = range(self.n)
        every = [(row, column, way) for row in sides for column in sides for way in (0, 1)]
        return [domino for domino in every if max(squares(domino)[1]) < self.n]

    def cover(self) -> Cover:
        items = {(r, c): [] for r in range(self.n) for c in range(self.n)}
        for variable, domino in enumerate(self.options, 1):
            for square in squares(domino):
                items[square].append(variable)
        white, black = ([items[s] for s in items if sum(s) % 2 == colour] for colour in (0, 1))
        return Cover(len(self.options), primary=(*by_length(white), *by_length(black)))

    def violation(self, solution: Iterable[Option]) -> str | None:
        covered = [square for domino in solution for square in squares(domino)]
        if len(set(covered)) < len(covered):
            return "two dominoes overlap"
        return None if len(covered) == self.n**2 else f"{len(covered)} squares are covered"

    @property
    def satisfiable(self) -> bool:
        return self.n % 2 == 0


class Dominoes(Family):
    meaning = "cover a board with dominoes"
    reference = "P. Kasteleyn, Physica 27, 1961"
    problem = Tiling
