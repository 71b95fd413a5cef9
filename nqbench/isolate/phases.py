"""What a forked process says about how far it is, to whoever may stop it."""

import math
import mmap
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
