"""`magic-square`: the numbers 1..n^2 in an n x n square, all lines of which have the same sum.

W. Andrews, Magic Squares and Cubes, 1917; CSPLib 19; OEIS A006052. The lines are the rows, the
columns and the two main diagonals, and their sum is n(n^2 + 1) / 2. Options are (kind, number - 1,
row, column): the cell has the number, kind 0, or one at least as large, kind 1, or a smaller one,
kind 2. Cells and numbers are primary items of options of kind 0. A cell with the number k has k
options of kind 1, so a line has as many as its sum: these options are a bounded item [sum, sum].
J. Reeves, M. Heule and R. Bryant state it like that ("From clauses to klauses", CAV 2024), with
negations in place of options of kind 2. With `symmetry=eight`, encodings keep one solution of each
class under the symmetries of the square.

The square of one number, with the item of its cell, the item of the number, and four lines:

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> from nqbench.problems.families.base import Family
>>> square = Family.named("magic-square").of_size(1)
>>> print(dimacs.text(Encoding.named("sequential").clauses(square)))
p cnf 3 11
1 0
1 0
2 3 0
2 0
2 0
2 0
2 0
2 0
-3 0
-2 -3 0
-1 -3 0
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import Rows
from nqbench.plugins.parameters import Choice
from nqbench.problems.base import BoundedProblem
from nqbench.problems.cover import Items, along
from nqbench.problems.families.base import Family
from nqbench.problems.lex_leader import LexLeader
from nqbench.problems.options import Box, Option
from nqbench.problems.picture import Cell, Picture, grid, grid_text
from nqbench.problems.rules import Counted, Flags, Numbers, Rules, numbers
from nqbench.problems.symmetry import of_squares

LARGEST_N: Final = 12
"""The largest n, which is that of the paper: 62,208 options, of which each line counts 1728."""

Place = tuple[int, int]
"""Row and column, from 0."""

_IS, _AT_LEAST, _LESS = range(3)


@dataclass(frozen=True, slots=True)
class MagicSquare(BoundedProblem):
    """The numbers 1..n^2 in an n x n square, with the same sum in each row, column and main
    diagonal.
    """

    n: int
    family: str = "magic-square"
    symmetry: str = "none"

    plural: ClassVar[str] = "magic squares"
    largest_n: ClassVar[int] = LARGEST_N

    @property
    def total(self) -> int:
        """The sum of each line."""
        return self.n * (self.n**2 + 1) // 2

    @property
    def satisfiable(self) -> bool:
        """All n but 2 have a magic square (W. Andrews, Magic Squares and Cubes, 1917)."""
        return self.n != 2

    @property
    def solution_size(self) -> int:
        """Each cell has a number, and is at least or less than each number."""
        return self.n**2 * (self.n**2 + 1)

    @property
    def options(self) -> Box:
        return Box(3, self.n**2, self.n, self.n)

    @property
    def variables(self) -> Items:
        """The variable of each option, shape (kinds, numbers, rows, columns)."""
        return np.arange(1, 3 * self.n**4 + 1, dtype=np.int32).reshape(self.options.bounds)

    def constraints(self) -> Constraints:
        """Pairs of at most one say that a cell with k is not less than k, and not at least k + 1,
        and that one that is at least k + 1 is not less than k.
        """
        own, at_least, less = self.variables
        lines = [
            *at_least.transpose(1, 2, 0),
            *at_least.transpose(2, 1, 0),
            at_least.diagonal(axis1=1, axis2=2).T,
            at_least[:, :, ::-1].diagonal(axis1=1, axis2=2).T,
        ]
        sums = np.array([line.ravel() for line in lines])
        exactly_one = (along(own, 0), along(own, 1, 2), _together(at_least, less))
        at_most_one = (
            _together(own, less),
            _together(own[:-1], at_least[1:]),
            _together(less[:-1], at_least[1:]),
        )
        return Constraints.of(
            3 * self.n**4,
            *(Rows.exactly(items, 1) for items in exactly_one),
            *(Rows.at_most(items, 1) for items in at_most_one),
            Rows.exactly(sums, self.total),
            given=np.concatenate([at_least[0].ravel(), -less[0].ravel()]),
        )

    def rules(self) -> Rules:
        """An option says in which range the number of its cell is, and two ranges of a cell have to
        overlap. The number k is less than n^2 - k others, so the sum of a line says how many
        options 'less' it has.
        """
        kind, number, row, column = numbers(self.options, 4)
        size = self.n**2

        def within(options: Numbers) -> tuple[Numbers, Numbers]:
            kind, number = options[:2]
            return (
                np.where(kind == _LESS, 0, number),
                np.select([kind == _IS, kind == _LESS], [number, number - 1], size - 1),
            )

        def clash(one: Numbers, other: Numbers) -> Flags:
            (low, high), (lower, higher) = within(one), within(other)
            is_apart = np.maximum(low, lower) > np.minimum(high, higher)
            is_same_number = (one[0] == _IS) & (other[0] == _IS) & (one[1] == other[1])
            clashes: Flags = np.where((one[2:] == other[2:]).all(axis=0), is_apart, is_same_number)
            return clashes

        is_number, cell = kind == _IS, row * self.n + column
        lines = [
            *(row == at for at in range(self.n)),
            *(column == at for at in range(self.n)),
            row == column,
            row + column == self.n - 1,
        ]
        smaller = self.n * size - self.total
        return Rules(
            self.options,
            clash,
            [
                *(is_number & (cell == at) for at in range(size)),
                *(is_number & (number == at) for at in range(size)),
                *(
                    ~is_number & (cell == at) & (number == k)
                    for at in range(size)
                    for k in range(size)
                ),
            ],
            counted=[Counted((kind == _LESS) & line, smaller, smaller) for line in lines],
        )

    def lex_leader(self) -> LexLeader:
        """The symmetries of the square. The first two numbers of the first row are compared, which
        is enough: only the identity leaves both in place, and no two numbers are equal.
        """
        squares = of_squares(self.n)[1:]
        before = np.arange(0, 3 * self.n**4, self.n**2, dtype=np.int32)
        images = (before[:, np.newaxis] + squares[:, np.newaxis]).reshape(len(squares), -1)
        first = self.variables[_AT_LEAST, :, 0, :2]
        return LexLeader(images, first.T.ravel())

    def violation(self, solution: Iterable[Option]) -> str | None:
        chosen = set(solution)
        if wrong := [option for option in sorted(chosen) if option not in self.options]:
            return f"no option {wrong[0]}"
        numbers_in: dict[Place, list[int]] = {
            (r, c): [] for r in range(self.n) for c in range(self.n)
        }
        for kind, number, row, column in chosen:
            if kind == _IS:
                numbers_in[row, column].append(number + 1)
        for at, own in numbers_in.items():
            if len(own) != 1:
                return f"({at[0]}, {at[1]}) has {len(own)} numbers"
        square = {at: number for at, (number,) in numbers_in.items()}
        if missing := set(range(1, self.n**2 + 1)).difference(square.values()):
            return f"{min(missing)} is missing"
        for name, line in self._lines():
            if (total := sum(square[at] for at in line)) != self.total:
                return f"{name} has the sum {total} instead of {self.total}"
        return self._compared_wrongly(chosen, square)

    def _compared_wrongly(self, chosen: set[Option], square: dict[Place, int]) -> str | None:
        """The first option of a pair, 'at least' and 'less', that is wrong; None if none is."""
        for (row, column), own in square.items():
            for number in range(self.n**2):
                right, wrong = (_AT_LEAST, _LESS) if own > number else (_LESS, _AT_LEAST)
                if (right, number, row, column) not in chosen:
                    return f"({row}, {column}) is not compared to {number + 1}"
                if (wrong, number, row, column) in chosen:
                    return f"({row}, {column}) is compared to {number + 1} wrongly"
        return None

    def _lines(self) -> Iterator[tuple[str, list[Place]]]:
        """The name of each line, and its cells."""
        n = self.n
        for i in range(n):
            yield f"row {i}", [(i, other) for other in range(n)]
            yield f"column {i}", [(other, i) for other in range(n)]
        yield "the falling diagonal", [(i, i) for i in range(n)]
        yield "the rising diagonal", [(i, n - 1 - i) for i in range(n)]

    def picture(self, solution: Iterable[Option]) -> Picture:
        """The numbers of the square."""
        cells = {
            (row, column): Cell(str(number + 1))
            for kind, number, row, column in solution
            if kind == _IS
        }
        return grid(f"a magic square of order {self.n}", self.n, self.n, cells)

    def drawing(self, solution: Iterable[Option]) -> str:
        """The numbers of the square, with a dot for a cell without one."""
        width = len(str(self.n**2))
        written = {
            (row, column): str(number + 1).rjust(width)
            for kind, number, row, column in solution
            if kind == _IS
        }
        return grid_text(self.n, written, ".".rjust(width))


def _together(one: Items, other: Items) -> Items:
    """Items of two options each, one from each array."""
    return np.stack([one.ravel(), other.ravel()], axis=1)


class MagicSquares(Family):
    """A magic square for each n."""

    meaning = "1..n^2 in a square, with the same sum in each row, column and diagonal"
    reference = "W. Andrews, Magic Squares and Cubes, 1917"
    problem = MagicSquare
    parameters = {"symmetry": Choice("none", ("none", "eight"))}

    def of_size(self, n: int) -> MagicSquare:
        return MagicSquare(n, self.name, str(self.values["symmetry"]))
