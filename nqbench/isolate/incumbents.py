"""The best models that a forked process has found so far, which outlive it."""

import mmap
import struct
from dataclasses import dataclass
from typing import Final

LARGEST: Final = 2**63 - 1
"""The largest value, and the opposite of the least one; what is beyond is stated as these."""

_MOST_POINTS: Final = 4096
_HEADER: Final = 3  # the number of incumbents, whether there is a bound, and the bound
_POINT: Final = struct.Struct("<dq")


@dataclass(frozen=True, slots=True)
class Incumbent:
    """A model, as a bit for each value, with the seconds at which it was found, and its value."""

    seconds: float
    value: int
    bits: bytes


class Incumbents:
    """The incumbents of one call in a forked process, each better than those before it, and a bound
    of their values. Made before the fork; the process may show anything.

    Both processes have the same memory: a counter, the points of the first incumbents, and two
    places for the last two of them. The counter changes last and in one step, so the last incumbent
    is whole whenever the process is killed.
    """

    def __init__(self, num_values: int) -> None:
        self._num_bytes = -(-num_values // 8)
        self._points = 8 * _HEADER
        self._slots = self._points + _MOST_POINTS * _POINT.size
        self._slot = _POINT.size + 8 * -(-self._num_bytes // 8)
        self._memory = mmap.mmap(-1, self._slots + 2 * self._slot)
        self._header = memoryview(self._memory).cast("q")[:_HEADER]

    def add(self, incumbent: Incumbent) -> None:
        """Show one more, better than those before it."""
        count = self._header[0]
        point = _POINT.pack(incumbent.seconds, _within(incumbent.value))
        if count < _MOST_POINTS:
            at = self._points + count * _POINT.size
            self._memory[at : at + _POINT.size] = point
        at = self._slots + (count + 1) % 2 * self._slot
        content = point + incumbent.bits
        self._memory[at : at + len(content)] = content
        self._header[0] = count + 1

    @property
    def last(self) -> Incumbent | None:
        """The last one; None if there is none."""
        count = self._header[0]
        if count <= 0:
            return None
        at = self._slots + count % 2 * self._slot
        seconds, value = _POINT.unpack_from(self._memory, at)
        first = at + _POINT.size
        return Incumbent(seconds, value, self._memory[first : first + self._num_bytes])

    @property
    def points(self) -> list[tuple[float, int]]:
        """The seconds and the value of each. Of more than 4,096, the last one is beside the first
        4,096.
        """
        count = max(0, self._header[0])
        end = self._points + min(count, _MOST_POINTS) * _POINT.size
        points = list(_POINT.iter_unpack(self._memory[self._points : end]))
        if count > _MOST_POINTS and (last := self.last):
            points.append((last.seconds, last.value))
        return points

    @property
    def bound(self) -> int | None:
        """The value that none is better than, as the process says; None if it has none."""
        return self._header[2] if self._header[1] else None

    @bound.setter
    def bound(self, value: int) -> None:
        """Show another bound."""
        self._header[2] = _within(value)
        self._header[1] = 1


def _within(value: int) -> int:
    return max(-LARGEST, min(value, LARGEST))
