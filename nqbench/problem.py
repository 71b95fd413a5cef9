"""Problems, and the rules of the board.

This module knows nothing of encodings or solvers: it is what their answers are checked against.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from nqbench.errors import InputError

Square = tuple[int, int]
"""(row, column), both from 0."""

Placement = tuple[Square, ...]
"""The squares that hold a queen, row by row."""

FAMILIES: Final = ("queens",)


@dataclass(frozen=True, slots=True)
class Problem:
    """Place n queens on an n x n board so that no two attack each other.

    Raises `InputError` if n < 1. n = 2 and 3 are valid problems without a solution.
    """

    n: int
    family: str = "queens"

    def __post_init__(self) -> None:
        if self.n < 1:
            raise InputError(f"n is {self.n}: a board has at least 1 row")
        if self.family not in FAMILIES:
            known = ", ".join(FAMILIES)
            raise InputError(f"unknown family '{self.family}': choose from {known}")

    def __str__(self) -> str:
        return f"{self.family} n={self.n}"

    @property
    def satisfiable(self) -> bool | None:
        """What theory says, or None where it is silent.

        A solution exists exactly for n = 1 and n >= 4 (E. Pauls, "Das Maximalproblem der Damen
        auf dem Schachbrete", Deutsche Schachzeitung 29, 1874; survey: J. Bell and B. Stevens,
        Discrete Mathematics 309, 2009, theorem 1).
        """
        return self.n not in (2, 3)

    @property
    def mirror_symmetric(self) -> bool:
        """Whether the mirror image of every solution is a solution."""
        return True

    def violation(self, placement: Iterable[Square]) -> str | None:
        """The first rule that the placement breaks, in words; None for a solution."""
        queens = list(placement)
        for row, column in queens:
            if not (0 <= row < self.n and 0 <= column < self.n):
                return f"queen on ({row}, {column}), outside the {self.n} x {self.n} board"
        for rule, keys in self._lines(queens):
            seen: dict[int, Square] = {}
            for square, key in zip(queens, keys, strict=True):
                if key in seen:
                    return f"queens on {seen[key]} and {square} share a {rule}"
                seen[key] = square
        if len(queens) != self.n:
            return f"{len(queens)} queens on the board instead of {self.n}"
        return None

    def _lines(self, queens: list[Square]) -> Iterator[tuple[str, list[int]]]:
        yield "row", [row for row, _ in queens]
        yield "column", [column for _, column in queens]
        yield "falling diagonal", [row - column for row, column in queens]
        yield "rising diagonal", [row + column for row, column in queens]
