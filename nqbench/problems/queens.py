"""Boards of queens, and their rules.

Place n queens on an n x n board so that no two attack each other. Every family of boards makes
these: see `nqbench.families`.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Final

from nqbench.common.errors import InputError
from nqbench.common.spelling import suggestion
from nqbench.common.vocabulary import CheckedBy
from nqbench.problems.base import Problem
from nqbench.problems.options import Box, Option, Solution
from nqbench.problems.picture import grid_text

if TYPE_CHECKING:
    from nqbench.clauses.constraints import Constraints
    from nqbench.problems.rules import Flags, Numbers, Rules

Square = tuple[int, int]
"""(row, column), both from 0."""

Placement = tuple[Square, ...]
"""The squares that hold a queen, row by row."""

LARGEST_N: Final = 10_000
"""The largest n: variables of squares then fit in 27 bits, and an array of squares is 100 MB."""

EMPTY_BOARDS: Final = ("queens", "torus")
"""Families whose boards are fully described by n."""

FAMILIES: Final = (*EMPTY_BOARDS, "completion", "blocked", "excluded-diagonals")
"""The families of boards."""


_DERIVED_NAME: Final = re.compile(r"(placed=\d+ )?(blocked=\d+ )?[0-9a-f]{8}")


def variable_of(square: Square, n: int) -> int:
    """The board variable of a square of an n x n board: row * n + column + 1."""
    row, column = square
    return row * n + column + 1


def square_of(variable: int, n: int) -> Square:
    """The square of a board variable, the reverse of `variable_of`.

    >>> square_of(variable_of((3, 4), 8), 8)
    (3, 4)
    """
    return divmod(variable - 1, n)


def as_board(problem: Problem, subject: str) -> Queens:
    """The problem as a board. Raises `InputError` for any other: `what` is for boards only."""
    if not isinstance(problem, Queens):
        raise InputError(f"{subject} is for {Queens.plural}, not for {problem}")
    return problem


def placement_of(solution: Solution) -> Placement:
    """The options of a board as squares."""
    return tuple((row, column) for row, column in solution)


def _squares(subject: str, value: Any) -> Placement:
    """Sorted without duplicates, so that equal problems have equal records. Raises `InputError` for
    what is not squares.
    """
    squares = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    for square in squares:
        pair = square if isinstance(square, Iterable) and not isinstance(square, str) else ()
        if [isinstance(coordinate, Integral) for coordinate in pair] != [True, True]:
            raise InputError(
                f"{subject} has {square!r:.40}: give squares as (row, column), both from 0, such "
                f"as {subject}=[(0, 3), (1, 5)]"
            )
    return tuple(sorted({(int(row), int(column)) for row, column in squares}))


@lru_cache(maxsize=64)
def _digest(*facts: object) -> str:
    return hashlib.blake2b(repr(facts).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Attack:
    """Two queens on one line."""

    line: str
    first: Square
    second: Square

    def __str__(self) -> str:
        return f"queens on {self.first} and {self.second} share a {self.line}"


@dataclass(frozen=True, slots=True)
class Queens(Problem):
    """Place n queens on an n x n board so that no two attack each other.

    On a torus, diagonals continue at the opposite edge. `placed`: squares that hold a queen
    already. `blocked`: squares that must stay empty. `instance`: distinguishes boards of one family
    and size; a board with squares and no such name gets one from them. `density`: how full the
    board is, in the measure of its family, if a campaign varies it. Raises `InputError` if n is not
    a whole number from 1, if a square is no (row, column) or outside the board, or if a placed
    queen is on a blocked square. Boards without a solution are valid problems, such as n = 2 and 3,
    and placed queens that attack each other.
    """

    n: int
    family: str = "queens"
    placed: Placement = ()
    blocked: tuple[Square, ...] = ()
    instance: str = ""
    density: float | None = None

    plural: ClassVar[str] = "boards of queens"
    checked_by: ClassVar[CheckedBy] = CheckedBy.BOARD

    def __post_init__(self) -> None:
        if not isinstance(self.n, Integral) or isinstance(self.n, bool):
            raise InputError(f"n is {self.n!r:.40}: give a whole number of rows, such as 8")
        object.__setattr__(self, "n", int(self.n))
        if self.n < 1:
            raise InputError(f"n is {self.n}: a board has at least 1 row")
        if self.n > LARGEST_N:
            raise InputError(f"n is {self.n}: a board has at most {LARGEST_N} rows")
        if self.family not in FAMILIES:
            instead = suggestion(self.family, FAMILIES)
            raise InputError(f"unknown family '{self.family}': {instead}")
        if self.density is not None:
            object.__setattr__(self, "density", float(self.density))
        object.__setattr__(self, "placed", _squares("placed", self.placed))
        object.__setattr__(self, "blocked", _squares("blocked", self.blocked))
        for square in (*self.placed, *self.blocked):
            if not self._is_inside(square):
                raise InputError(f"square {square} is outside the {self.n} x {self.n} board")
        for square in self.placed:
            if square in self.blocked:
                raise InputError(f"square {square} holds a queen and is blocked as well")
        # Without a name, records and messages would confuse it with the empty board.
        unnamed = not self.instance or _DERIVED_NAME.fullmatch(self.instance)
        if unnamed and (self.placed or self.blocked):
            object.__setattr__(self, "instance", self._derived_name())

    @property
    def digest(self) -> str:
        return _digest(self.n, self.wraps, self.placed, self.blocked)

    @property
    def options(self) -> Box:
        """The squares, row by row."""
        return Box(self.n, self.n)

    @property
    def solution_size(self) -> int:
        """The number of queens."""
        return self.n

    def constraints(self) -> Constraints:
        """One queen on each row and column, at most one on each diagonal of two or more squares."""
        import numpy as np

        from nqbench.clauses.constraints import Constraints
        from nqbench.clauses.rows import Rows
        from nqbench.problems.board_lines import Grid

        grid = Grid(self.n, self.wraps)
        squares = [variable_of(square, self.n) for square in self.placed]
        squares += [-variable_of(square, self.n) for square in self.blocked]
        return Constraints.of(
            grid.num_squares,
            Rows.exactly(np.concatenate([grid.rows, grid.columns]), 1),
            *(Rows.at_most(diagonals, 1) for diagonals in grid.diagonals()),
            given=squares,
        )

    @property
    def wraps(self) -> bool:
        """Whether diagonals continue at the opposite edge."""
        return self.family == "torus"

    @property
    def is_plain(self) -> bool:
        """Whether no square is placed or blocked, and the board does not wrap."""
        return not (self.placed or self.blocked or self.wraps)

    @property
    def satisfiable(self) -> bool | None:
        """Whether the problem has a solution, as a theorem states; None if no theorem applies.

        The empty board has a solution if and only if n = 1 or n >= 4 (E. Pauls, "Das
        Maximalproblem der Damen auf dem Schachbrete", Deutsche Schachzeitung 29, 1874; survey:
        J. Bell and B. Stevens, Discrete Mathematics 309, 2009, theorem 1). The empty torus has one
        if and only if n and 6 are coprime (G. Polya, 1918; the same survey, theorem 7).
        """
        if self.n in (2, 3) or (self.wraps and math.gcd(self.n, 6) > 1):
            return False
        return None if self.placed or self.blocked else True

    @property
    def mirror_symmetric(self) -> bool:
        """Whether the mirror image (left for right) of every solution is a solution."""
        return all(
            {(row, self.n - 1 - column) for row, column in squares} == set(squares)
            for squares in (self.placed, self.blocked)
        )

    def images(self, solution: Solution) -> Iterable[Solution]:
        """The mirror image, left for right, if it is a solution."""
        if self.mirror_symmetric:
            yield tuple((row, self.n - 1 - column) for row, column in solution)

    def rules(self) -> Rules:
        """No two queens share a row or a column, or are as far apart in rows as in columns. Each
        row and each column has a queen.
        """
        from nqbench.problems.rules import Rules, numbers

        row, column = numbers(self.options, 2)
        lines = [line == at for line in (row, column) for at in range(self.n)]
        return Rules(self.options, self._attacks, lines, self.placed, self.blocked)

    def _attacks(self, one: Numbers, other: Numbers) -> Flags:
        rows, columns = abs(one - other)
        on_diagonal = rows == columns
        if self.wraps:
            on_diagonal |= rows + columns == self.n
        attacks: Flags = (rows == 0) | (columns == 0) | on_diagonal
        return attacks

    def violation(self, solution: Iterable[Option]) -> str | None:
        queens = [(row, column) for row, column in solution]
        for row, column in queens:
            if not self._is_inside((row, column)):
                return f"queen on ({row}, {column}), outside the {self.n} x {self.n} board"
        if attack := self.attack(queens):
            return str(attack)
        if len(queens) != self.n:
            return f"{len(queens)} queens on the board instead of {self.n}"
        if missing := set(self.placed).difference(queens):
            return f"the queen that was placed on {min(missing)} is missing"
        if wrong := set(self.blocked).intersection(queens):
            return f"queen on {min(wrong)}, which is blocked"
        return None

    @property
    def start(self) -> Solution:
        return self.placed

    def drawing(self, solution: Iterable[Option]) -> str:
        symbols = dict.fromkeys(self.blocked, "#") | dict.fromkeys(solution, "Q")
        return grid_text(self.n, symbols)

    def attack(self, queens: Sequence[Square]) -> Attack | None:
        """The first two queens found on one line; None if no queens attack each other."""
        for line, keys in self._lines(queens):
            by_key: dict[int, Square] = {}
            for square, key in zip(queens, keys, strict=True):
                if key in by_key:
                    return Attack(line, by_key[key], square)
                by_key[key] = square
        return None

    def _derived_name(self) -> str:
        placements = {"placed": self.placed, "blocked": self.blocked}
        counts = [f"{part}={len(squares)}" for part, squares in placements.items() if squares]
        digest = hashlib.blake2b(repr((self.placed, self.blocked)).encode(), digest_size=4)
        return " ".join([*counts, digest.hexdigest()])

    def _is_inside(self, square: Square) -> bool:
        return all(0 <= coordinate < self.n for coordinate in square)

    def _lines(self, queens: Sequence[Square]) -> Iterator[tuple[str, list[int]]]:
        yield "row", [row for row, _ in queens]
        yield "column", [column for _, column in queens]
        end = self.n if self.wraps else 2 * self.n  # beyond every row - column and row + column
        yield "falling diagonal", [(row - column) % end for row, column in queens]
        yield "rising diagonal", [(row + column) % end for row, column in queens]
