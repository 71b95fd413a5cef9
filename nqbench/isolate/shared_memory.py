"""What a forked process says in memory that it shares with who may stop it: how far it is, and the
best models so far, which outlive it.
"""

import math
import mmap
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_NUMBER_BYTES: Final = 8

_LATE: Final = 0.1
"""While another phase is in progress, a cap is looked at again after this part of the time so far:
each look interrupts the process.
"""


@dataclass(frozen=True, slots=True)
class PhaseReading:
    """The seconds that each phase had taken at some moment, by its name, and the one that was in
    progress, if any. The process may have said anything: a number may be NaN or infinite.
    """

    spent_s: dict[str, float]
    running: str | None

    def of(self, names: Iterable[str]) -> float:
        """The seconds of these phases together."""
        return sum(self.spent_s[name] for name in names)


@dataclass(frozen=True, slots=True)
class Cap:
    """When to stop a process before its limits: when the phases `of` have taken `most_s` seconds
    together, or when everything else in its function has taken `besides_s` seconds.
    """

    of: tuple[str, ...]
    most_s: float
    besides_s: float = math.inf

    def left_s(self, progress: PhaseReading, elapsed_s: float) -> float:
        """Seconds until it is worth looking again, after `elapsed_s` seconds of the function; 0 or
        less if the process is to be stopped now. Whatever the process has said, it is not allowed
        to take longer than `most_s` and `besides_s` together.
        """
        spent_s = progress.of(self.of)
        counted_s = 0.0 if math.isnan(spent_s) else spent_s
        left_s = self.most_s - counted_s
        besides_left_s = self.besides_s - (elapsed_s - counted_s)
        if left_s <= 0 or besides_left_s <= 0:
            return 0.0
        if progress.running not in self.of:
            left_s = max(left_s, _LATE * elapsed_s)
        return min(left_s, besides_left_s)


class Phases:
    """The phases of one call in a forked process, made before the fork, and the cap, if any.

    Both processes have the same page of memory with a number for each phase: its seconds so far,
    less the time (`time.monotonic`) if it is in progress. One number changes at the beginning and
    at the end of a phase, in one step, so that no reader sees half of a change.
    """

    def __init__(self, names: Iterable[str], cap: Cap | None = None) -> None:
        self.names, self.cap = tuple(names), cap
        self._page = mmap.mmap(-1, _NUMBER_BYTES * len(self.names))
        self.numbers = memoryview(self._page).cast("d")

    def at(self, moment: float) -> PhaseReading:
        """How far the process was at this moment, at which it still ran. A phase that it has begun
        since then has taken no time yet.
        """
        numbers = dict(zip(self.names, self.numbers, strict=True))
        return PhaseReading(
            {name: max(0.0, moment + x) if x < 0 else x for name, x in numbers.items()},
            next((name for name, x in numbers.items() if x < 0), None),
        )


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
