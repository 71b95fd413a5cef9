"""A sequence that is made while it is read, and can be read backwards as far as it is kept."""

from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class History(Generic[T]):
    """Items taken one by one, of which the last `most` are kept to go back to.

    >>> history = History(iter("abcd"), most=2)
    >>> [history.forward() for _ in range(4)], history.back(), history.back(), history.forward()
    (['a', 'b', 'c', 'd'], 'c', None, 'd')
    """

    def __init__(self, items: Iterator[T], most: int) -> None:
        self._items = items
        self._kept: deque[T] = deque(maxlen=most)
        self._ahead = 0
        """How many of the items that are kept come after the current one."""

    def forward(self) -> T | None:
        """The next item; None after the last one."""
        if self._ahead:
            self._ahead -= 1
            return self._kept[-1 - self._ahead]
        item = next(self._items, None)
        if item is not None:
            self._kept.append(item)
        return item

    def back(self) -> T | None:
        """The item before the current one; None if it is not kept."""
        if self._ahead + 1 >= len(self._kept):
            return None
        self._ahead += 1
        return self._kept[-1 - self._ahead]
