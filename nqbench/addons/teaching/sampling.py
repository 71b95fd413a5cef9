"""Keeps some items of a sequence of unknown length."""

from typing import Generic, TypeVar

T = TypeVar("T")


class Thinned(Generic[T]):
    """Keeps at most `most` of all added items, evenly spread, with the last one.

    They are at least half as many. Whenever it has more, it drops every second one. From then on
    it takes only every second one. `most` is at least 2.

    >>> thinned = Thinned(4)
    >>> for item in range(1, 101):
    ...     thinned.add(item)
    >>> thinned.items(), thinned.every
    ([1, 65, 100], 64)
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
        if len(self._kept) + len(self._last) > self._most:
            # Of an even number, the last one is dropped below, but it has to stay the last item.
            if len(self._kept) % 2 == 0:
                self._last = self._last or self._kept[-1:]
            del self._kept[1::2]
            self.every *= 2

    def items(self) -> list[T]:
        """The kept items, in the order they were added."""
        return [*self._kept, *self._last]
