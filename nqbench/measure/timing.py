"""Times the phases of a run."""

import resource
from dataclasses import dataclass

# By name, so that a plugin that replaces the functions of `time` replaces no clock here.
from time import perf_counter, process_time

from nqbench.common.machine.event_counter import EventCounter


@dataclass(slots=True)
class PhaseTime:
    """Wall and CPU seconds spent in one phase, summed over its `with` blocks. CPU time includes
    that of programs that the phase waits for.
    """

    wall_s: float = 0.0
    cpu_s: float = 0.0

    def __enter__(self) -> None:
        self.cpu_s -= _cpu_s()
        self.wall_s -= perf_counter()

    def __exit__(self, *_: object) -> None:
        self.wall_s += perf_counter()
        self.cpu_s += _cpu_s()

    @property
    def so_far_s(self) -> float:
        """The wall seconds until now, in a `with` block."""
        return self.wall_s + perf_counter()


class ShownTime(PhaseTime):
    """The time of a phase that also shows another process its wall time: see `shared_memory`."""

    __slots__ = ("_at", "_numbers")

    def __init__(self, numbers: "memoryview[float]", at: int) -> None:
        super().__init__()
        self._numbers, self._at = numbers, at

    def __enter__(self) -> None:
        super().__enter__()
        self._numbers[self._at] = self.wall_s

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self._numbers[self._at] = self.wall_s


class CountedTime(ShownTime):
    """The same with a counter that counts in its blocks. To start and stop it is no part of the
    time.
    """

    __slots__ = ("_counter",)

    def __init__(self, numbers: "memoryview[float]", at: int, counter: EventCounter) -> None:
        super().__init__(numbers, at)
        self._counter = counter

    def __enter__(self) -> None:
        self._counter.start()
        super().__enter__()

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self._counter.stop()


def _cpu_s() -> float:
    programs = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + programs.ru_utime + programs.ru_stime
