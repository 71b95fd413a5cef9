"""How the phases of a run are timed."""

import time
from dataclasses import dataclass


@dataclass(slots=True)
class PhaseTime:
    """Seconds spent in one phase, on the clock and on the processors: those of each `with` block
    are added.
    """

    wall_s: float = 0.0
    cpu_s: float = 0.0

    def __enter__(self) -> None:
        self.cpu_s -= time.process_time()
        self.wall_s -= time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.wall_s += time.perf_counter()
        self.cpu_s += time.process_time()
