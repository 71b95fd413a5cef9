"""The view of constraints that solvers of exact covers have: options and items.

D. Knuth, The Art of Computer Programming, volume 4B, section 7.2.2.1. Choose options such that each
primary item is covered by exactly one of them, and each secondary item by at most one. Queens are
the standard example: an option is a queen on a square, rows and columns are primary items, and
diagonals are secondary ones. Other items have bounds, as in Knuth's algorithm M: how many of their
literals are true, at least and at most. Only these may have negative literals.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.constraints import Constraints, Literals
from nqbench.clauses.rows import Rows

Items = NDArray[np.int32]
"""Shape (items, k): each row holds the k options that cover one item, as variables from 1."""


def along(options: Items, *axes: int) -> Items:
    """The items that hold all options along some axes of an array of options: shape (items, k).

    >>> square = np.arange(1, 5).reshape(2, 2)
    >>> along(square, 1).tolist(), along(square, 0).tolist(), along(square, 0, 1).tolist()
    ([[1, 2], [3, 4]], [[1, 3], [2, 4]], [[1, 2, 3, 4]])
    """
    last = np.moveaxis(options, axes, range(-len(axes), 0))
    k = int(np.prod([options.shape[axis] for axis in axes]))
    return last.reshape(options.size // k if k else 0, k)


def by_length(items: Iterable[Sequence[int]]) -> tuple[Items, ...]:
    """Items of several lengths as arrays, longest first; items of one length keep their order.

    >>> [array.tolist() for array in by_length([[1], [2, 3], [4]])]
    [[[2, 3]], [[1], [4]]]
    """
    lengths: dict[int, list[Sequence[int]]] = {}
    for item in items:
        lengths.setdefault(len(item), []).append(item)
    return tuple(
        np.array(lengths[k], np.int32).reshape(len(lengths[k]), k)
        for k in sorted(lengths, reverse=True)
    )


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
