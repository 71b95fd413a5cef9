"""The view of constraints that solvers of exact covers have: options and items.

D. Knuth, The Art of Computer Programming, volume 4B, section 7.2.2.1. Choose options such that each
primary item is covered by exactly one of them, and each secondary item by at most one. Queens are
the standard example: an option is a queen on a square, rows and columns are primary items, and
diagonals are secondary ones. Other items have bounds, as in Knuth's algorithm M: how many of their
literals are true, at least and at most. Only these may have negative literals.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from nqbench.clauses.constraints import Constraints, Literals
from nqbench.clauses.rows import Rows
from nqbench.problems.items import Items


def _none() -> Literals:
    return np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class CoverView:
    """Options 1..num_options, and items in arrays of items with the same number of options."""

    num_options: int
    primary: tuple[Items, ...]
    secondary: tuple[Items, ...] = ()
    given: Literals = field(default_factory=_none)
    bounded: tuple[Rows, ...] = ()
    """Items with other bounds, which algorithms for exact covers do not know."""

    @classmethod
    def of(cls, constraints: Constraints) -> "CoverView":
        """View constraints as a cover. Rows with negative literals are bounded items."""
        primary: list[Items] = []
        secondary: list[Items] = []
        bounded = [Rows.at_least(clauses, 1) for clauses in constraints.clauses]
        for rows in constraints.counted:
            is_item = rows.bounds in {(1, 1), (0, 1)} and rows.literals.min(initial=1) > 0
            if not is_item:
                bounded.append(rows)
            else:
                (primary if rows.least else secondary).append(rows.literals)
        return cls(
            constraints.num_variables,
            tuple(primary),
            tuple(secondary),
            constraints.units,
            tuple(bounded),
        )

    def constraints(self) -> Constraints:
        """The same as constraints."""
        return Constraints.of(
            self.num_options,
            *(Rows.exactly(items, 1) for items in self.primary),
            *(Rows.at_most(items, 1) for items in self.secondary),
            *self.bounded,
            given=self.given,
        )

    @property
    def arrays(self) -> tuple[Items, ...]:
        """The arrays of all items, primary items first and bounded ones last."""
        return (*self.primary, *self.secondary, *(rows.literals for rows in self.bounded))

    @property
    def bounds(self) -> tuple[tuple[int, int], ...]:
        """How many literals of the items of each array are true, at least and at most."""
        exact = [(1, 1)] * len(self.primary) + [(0, 1)] * len(self.secondary)
        return (*exact, *(rows.bounds for rows in self.bounded))

    @property
    def num_items(self) -> int:
        """The number of items."""
        return sum(map(len, self.arrays))

    def items(self) -> Iterator[tuple[int, int, Literals]]:
        """Yield each item: how many of its literals are true, at least and at most, and these."""
        for array, (least, most) in zip(self.arrays, self.bounds, strict=True):
            for item in array:
                yield least, most, item
