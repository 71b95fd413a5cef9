"""`dominoes`: cover an n x n board with dominoes; possible if and only if n is even.

P. Kasteleyn, "The statistics of dimers on a lattice", Physica 27, 1961; OEIS A004003. Options are
(row, column, direction): a domino on this square and the one right of it (0) or below it (1). The
squares are rows of exactly one, those of one colour first, since each domino covers one of them.
"""

from dataclasses import dataclass

from nqbench import plugin
from nqbench.plugin import Constraints, Family, Problem, Rows, Rules, by_length, numbers


def overlap(one: plugin.Numbers, other: plugin.Numbers) -> plugin.Flags:
    """Whether dominoes, which reach from (row, column) to the end of each, share a square."""
    (r, c, down), (s, d, below) = one, other
    in_rows = (r <= s + below) & (s <= r + down)
    return in_rows & (c <= d + 1 - below) & (d <= c + 1 - down)


@dataclass(frozen=True)
class Tiling(Problem):
    n: int
    family: str = "dominoes"

    @property
    def options(self) -> list[plugin.Option]:
        sides, last = range(self.n), self.n - 1
        across = [(row, column, 0) for row in sides for column in sides if column < last]
        return sorted(across + [(row, column, 1) for column, row, _ in across])

    def constraints(self) -> Constraints:
        items = {(r, c): [] for r in range(self.n) for c in range(self.n)}
        for variable, (row, column, down) in enumerate(self.options, 1):
            items[row, column].append(variable)
            items[row + down, column + 1 - down].append(variable)
        white, black = ([items[s] for s in items if sum(s) % 2 == colour] for colour in (0, 1))
        rows = (Rows.exactly(squares, 1) for squares in (*by_length(white), *by_length(black)))
        return Constraints.of(len(self.options), *rows)

    def rules(self) -> Rules:
        row, column, down = numbers(self.options, 3)
        covered = [
            (row <= r) & (r <= row + down) & (column <= c) & (c <= column + 1 - down)
            for r in range(self.n)
            for c in range(self.n)
        ]
        return Rules(self.options, overlap, covered)

    @property
    def satisfiable(self) -> bool:
        return self.n % 2 == 0


class Dominoes(Family):
    meaning = "cover a board with dominoes"
    reference = "P. Kasteleyn, Physica 27, 1961"
    problem = Tiling
