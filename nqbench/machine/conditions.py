"""What can make a machine slower from one minute to the next."""

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

BUSY_SHARE: Final = 0.5
"""A load of more than so many processes a CPU is worth a warning."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """The state of the machine at a moment. None: it is not visible here."""

    at: float
    load_1m: float
    swapped_bytes: int
    governor: str | None

    @classmethod
    def now(cls) -> "Conditions":
        """Look at the machine."""
        return cls(time.time(), os.getloadavg()[0], _swapped_bytes(), _governor())


@dataclass(frozen=True, slots=True)
class Session:
    """One time that runs were measured: from when to when, under which conditions, how many, with
    how many jobs, and which share of the time was spent in the runs' own phases.
    """

    command: str
    started: Conditions
    ended: Conditions
    runs: int
    jobs: int
    efficiency: float | None

    def warnings(self, cpu_count: int) -> list[str]:
        """What may have disturbed the timings, a line each."""
        found = []
        if self.jobs > 1:
            found.append(f"{self.jobs} runs at the same time share caches and memory")
        if self.started.load_1m > BUSY_SHARE * cpu_count:
            load = self.started.load_1m
            cpus = f"{cpu_count} CPU{'' if cpu_count == 1 else 's'}"
            found.append(f"{load:.1f} processes were running on {cpus} at the start")
        if self.ended.swapped_bytes > self.started.swapped_bytes:
            found.append("memory was swapped out meanwhile")
        if self.started.governor not in (None, "performance"):
            found.append(f"the governor {self.started.governor} changes the speed of the CPUs")
        return found


def _swapped_bytes() -> int:
    found = dict(re.findall(r"(\w+):\s+(\d+) kB", Path("/proc/meminfo").read_text()))
    return (int(found.get("SwapTotal", 0)) - int(found.get("SwapFree", 0))) * 1024


def _governor() -> str | None:
    path = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    return path.read_text().strip() if path.exists() else None
