"""Covers: options to choose, and items that say how many of some options are chosen.

D. Knuth, The Art of Computer Programming, volume 4B, section 7.2.2.1. Choose options such that each
primary item is covered by exactly one of them, and each secondary item by at most one. Queens are
the standard example: an option is a queen on a square, rows and columns are primary items, and
diagonals are secondary ones. Other items have bounds, as in Knuth's algorithm M: how many of their
options are chosen, at least and at most.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.common import array_bytes

Items = NDArray[np.int32]
"""Shape (items, k): each row holds the k options that cover one item, as variables from 1."""

Literals = NDArray[np.int32]
"""Shape (k,): v for an option that is chosen already, -v for one that must not be."""

_MAGIC: Final = 0x6E71_6376_7231


@dataclass(frozen=True, slots=True, eq=False)
class Bounded:
    """Items of which at least and at most so many options are chosen, 0 <= least <= most."""

    items: Items
    least: int
    most: int

    @classmethod
    def at_least(cls, items: Items, least: int) -> "Bounded":
        """Items without an upper bound."""
        return cls(items, least, max(least, items.shape[1]))


def _none() -> Literals:
    return np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """Options 1..num_options, and items in arrays of items with the same number of options.

    A bounded item may be any other one: [1, 1] is a primary item, [0, 1] a secondary one.
    """

    num_options: int
    primary: tuple[Items, ...]
    secondary: tuple[Items, ...] = ()
    given: Literals = field(default_factory=_none)
    bounded: tuple[Bounded, ...] = ()

    @property
    def num_items(self) -> int:
        """The number of items."""
        return sum(map(len, self.arrays))

    @property
    def arrays(self) -> tuple[Items, ...]:
        """The arrays of all items, primary items first and bounded ones last."""
        return (*self.primary, *self.secondary, *(bounded.items for bounded in self.bounded))

    @property
    def bounds(self) -> tuple[tuple[int, int], ...]:
        """How many options of the items of each array are chosen, at least and at most."""
        exact = [(1, 1)] * len(self.primary) + [(0, 1)] * len(self.secondary)
        return (*exact, *((bounded.least, bounded.most) for bounded in self.bounded))

    def items(self) -> Iterator[tuple[int, int, Literals]]:
        """Yield each item: how many of its options are chosen, at least and at most, and these."""
        for array, (least, most) in zip(self.arrays, self.bounds, strict=True):
            for item in array:
                yield least, most, item

    def broken_by(self, model: NDArray[np.bool_]) -> str | None:
        """The first thing that is wrong with a choice of options, in words; None if nothing.
        `model` has shape (num_options,).
        """
        wrong = self.given[model[np.abs(self.given) - 1] != (self.given > 0)].tolist()
        if wrong:
            return f"option {abs(wrong[0])} {'is missing' if wrong[0] > 0 else 'is excluded'}"
        for array, (least, most) in zip(self.arrays, self.bounds, strict=True):
            counts = model[array - 1].sum(axis=1)
            bad = np.flatnonzero((counts < least) | (counts > most)).tolist()
            if bad:
                item, times = array[bad[0]].tolist(), counts[bad[0]]
                return f"the item of the options {item} is covered {times} times"
        return None

    def check(self) -> None:
        """Raise `ValueError` for an item of another shape, with an option that does not exist or is
        there twice, or with wrong bounds.
        """
        for array in (*self.arrays, self.given[np.newaxis]):
            if array.dtype != np.int32 or array.ndim != 2:
                raise ValueError(
                    f"items of {array.dtype}, shape {array.shape}: expected int32, two dimensions"
                )
            if (
                array.size
                and not 1 <= np.abs(array).min() <= np.abs(array).max() <= self.num_options
            ):
                raise ValueError(f"an option is 0 or beyond the {self.num_options} options")
        for least, most in self.bounds:
            if not 0 <= least <= most:
                raise ValueError(f"an item has the bounds {least} and {most}")
        for array in self.arrays:
            ordered = np.sort(array, axis=1)
            if array.size and (array.min() < 1 or (ordered[:, 1:] == ordered[:, :-1]).any()):
                raise ValueError("an item has an option twice, or a negative one")

    def digest(self) -> str:
        """A hash of options and items: 32 hexadecimal digits."""
        return array_bytes.digest(self.pack())

    def pack(self) -> Iterator[memoryview]:
        """The cover as bytes, piece by piece, for `Cover.unpack`."""
        shapes = [size for array in self.arrays for size in array.shape]
        bounds = [bound for bounded in self.bounded for bound in (bounded.least, bounded.most)]
        counts = [len(self.primary), len(self.secondary), len(self.bounded), len(self.given)]
        facts = [_MAGIC, self.num_options, *counts, *bounds, *shapes]
        header = np.array(facts, dtype=np.int64)
        return array_bytes.pieces(header, *self.arrays, self.given)

    @classmethod
    def unpack(cls, buffer: memoryview) -> "Cover":
        """A view of packed bytes as a cover, without a copy. Raises `ValueError` if they are not;
        options are not checked, see `check`.
        """
        magic, *facts = np.frombuffer(buffer, np.int64, 6).tolist()
        options, primary, secondary, bounded, given = facts
        if magic != _MAGIC or min(facts) < 0:
            raise ValueError("these bytes are not a packed cover")
        count = primary + secondary + bounded
        # The bounds follow the six numbers above, of 8 bytes each.
        bounds = np.frombuffer(buffer, np.int64, 2 * bounded, offset=48).reshape(-1, 2).tolist()
        start = 48 + 16 * bounded
        shapes = np.frombuffer(buffer, np.int64, 2 * count, offset=start).reshape(-1, 2).tolist()
        sizes = [rows * width for rows, width in shapes] + [given]
        starts = accumulate([start + 16 * count, *(4 * size for size in sizes)])
        pieces = [
            np.frombuffer(buffer, np.int32, size, start)
            for size, start in zip(sizes, starts, strict=False)
        ]
        arrays = [part.reshape(shape) for part, shape in zip(pieces, shapes, strict=False)]
        exact, bounded_arrays = arrays[: primary + secondary], arrays[primary + secondary :]
        return cls(
            options,
            tuple(exact[:primary]),
            tuple(exact[primary:]),
            pieces[-1],
            tuple(
                Bounded(items, *limits)
                for items, limits in zip(bounded_arrays, bounds, strict=True)
            ),
        )


def along(options: Items, *axes: int) -> Items:
    """The items that hold all options along some axes of an array of options: shape (items, k).

    >>> square = np.arange(1, 5).reshape(2, 2)
    >>> along(square, 1).tolist(), along(square, 0).tolist(), along(square, 0, 1).tolist()
    ([[1, 2], [3, 4]], [[1, 3], [2, 4]], [[1, 2, 3, 4]])
    """
    moved = np.moveaxis(options, axes, range(-len(axes), 0))
    k = int(np.prod([options.shape[axis] for axis in axes]))
    return moved.reshape(options.size // k if k else 0, k)


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
