"""Keeps some items of a sequence of unknown length."""

from typing import Generic, TypeVar

T = TypeVar("T")


class Thinned(Generic[T]):
    """Keeps about `most` of all added items, evenly spread, and the last one.

    Whenever it has twice as many, it drops every second one. From then on it takes only every
    second one.

    >>> thinned = Thinned(4)
    >>> for item in range(1, 101):
    ...     thinned.add(item)
    >>> thinned.items(), thinned.every
    ([1, 17, 33, 49, 65, 81, 97, 100], 16)
    """

    def __init__(self, most: int) -> None:
        self.every = 1
        self.added = 0
        self._most = most
        self._kept: list[T] = []
        self._last: list[T] = []

    def add(self, item: T) -> None:
        """Keep the item, or drop it when the next one comes."""
        if self.added % self.every == 0:
            self._kept.append(item)
            self._last = []
        else:
            self._last = [item]
        self.added += 1
        if len(self._kept) == 2 * self._most:
            self._last = self._last or self._kept[-1:]
            del self._kept[1::2]
            self.every *= 2

    def items(self) -> list[T]:
        """The kept items, in the order they were added."""
        return [*self._kept, *self._last]
