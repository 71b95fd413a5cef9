"""Arrays of items, each of which is a row of the options that cover it."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

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
