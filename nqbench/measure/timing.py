"""Times the phases of a run."""

import resource
import time
from dataclasses import dataclass


@dataclass(slots=True)
class PhaseTime:
    """Wall and CPU seconds spent in one phase, summed over its `with` blocks. CPU time includes
    that of programs that the phase waits for.
    """

    wall_s: float = 0.0
    cpu_s: float = 0.0

    def __enter__(self) -> None:
        self.cpu_s -= _cpu_s()
        self.wall_s -= time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.wall_s += time.perf_counter()
        self.cpu_s += _cpu_s()


def _cpu_s() -> float:
    programs = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + programs.ru_utime + programs.ru_stime
