"""Conditions that can change the speed of a machine while it measures."""

import os
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nqbench.common.column_types import Count, Moment, Ratio
from nqbench.common.units import counted, span

BUSY_SHARE: Final = 0.5
"""Processes per CPU above which the load is worth a warning."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """The state of the machine at one time. None: not visible here."""

    at: Moment
    load_1m: Ratio
    swapped_bytes: Count
    governor: str | None

    @classmethod
    def now(cls) -> "Conditions":
        """The conditions at this moment."""
        return cls(time.time(), os.getloadavg()[0], _swapped_bytes(), _governor())


@dataclass(frozen=True, slots=True)
class Session:
    """One session of measuring: its start and end with the conditions, the number of runs and jobs,
    and `efficiency`, the share of the time that was spent in the phases of runs.
    """

    command: str
    started: Conditions
    ended: Conditions
    runs: Count
    jobs: Count
    efficiency: Ratio | None


def warnings(sessions: Iterable[Session], cpu_count: int) -> list[str]:
    """What may have disturbed the timings of these sessions, one line for each kind."""
    sessions = list(sessions)
    lines = []
    if jobs := [session.jobs for session in sessions if session.jobs > 1]:
        lines.append(f"{span(jobs)} runs at the same time share caches and memory")
    loads = [session.started.load_1m for session in sessions]
    if busy := [round(load, 1) for load in loads if load > BUSY_SHARE * cpu_count]:
        cpus = counted(cpu_count, "CPU")
        lines.append(f"the load was {span(busy)} on {cpus} at the start")
    if any(session.ended.swapped_bytes > session.started.swapped_bytes for session in sessions):
        lines.append("memory was swapped out during the session")
    governors = {session.started.governor or "performance" for session in sessions}
    changing = sorted(governors - {"performance"})
    return lines + [f"the governor {name} changes the speed of the CPUs" for name in changing]


def _swapped_bytes() -> int:
    sizes_kib = dict(re.findall(r"(\w+):\s+(\d+) kB", Path("/proc/meminfo").read_text()))
    return (int(sizes_kib.get("SwapTotal", 0)) - int(sizes_kib.get("SwapFree", 0))) * 1024


def _governor() -> str | None:
    path = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    return path.read_text().strip() if path.exists() else None
