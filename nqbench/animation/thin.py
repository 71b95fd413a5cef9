"""Some of a sequence whose length nobody knows."""

from typing import Generic, TypeVar

T = TypeVar("T")


class Thinned(Generic[T]):
    """Of all items added about `most`, evenly spread, and the last one.

    Whenever there are twice as many, every second one goes, and from then on only every second one
    is taken.

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
        """Take the item, or forget it as soon as the next one comes."""
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
        """What is left, in the order it came."""
        return [*self._kept, *self._last]
