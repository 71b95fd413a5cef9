"""A sequence that is made while it is read, and can be read backwards within its history."""

from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class History(Generic[T]):
    """Takes items one by one, and keeps the last `most` of them to go back to.

    >>> history = History(iter("abcd"), most=2)
    >>> [history.forward() for _ in range(4)], history.back(), history.back(), history.forward()
    (['a', 'b', 'c', 'd'], 'c', None, 'd')
    """

    def __init__(self, items: Iterator[T], most: int) -> None:
        self._items = items
        self._kept: deque[T] = deque(maxlen=most)
        self._ahead = 0
        """Number of kept items after the current one."""

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
