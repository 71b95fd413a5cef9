"""The machine and the software that a run was measured on, and what can change the speed of the
machine while it measures.
"""

import hashlib
import os
import platform
import re
import subprocess
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec

from nqbench.common import PACKAGE
from nqbench.common.column_types import Count, Moment, Positive, Ratio
from nqbench.common.machine.builds import Build
from nqbench.common.units import counted, span


@dataclass(frozen=True)
class Environment:
    """Facts that can change a measurement. Environment variables are left out, since they may hold
    secrets.
    """

    cpu_model: str
    cpu_count: Positive
    memory_bytes: Positive
    kernel: str
    python: str
    nqbench: str
    packages: dict[str, str]
    git_commit: str | None
    git_dirty: bool | None
    builds: dict[str, list[Build]] = field(default_factory=dict)
    """The machine code of each backend, and as `nqbench` that of nqbench itself."""

    sources: dict[str, str] = field(default_factory=dict)
    """A hash of the files of each plugin, by its kind and name, as in `encoding triangle`."""

    @cached_property
    def id(self) -> str:
        """A hash of all facts, 16 hexadecimal digits."""
        facts = msgspec.to_builtins(self)
        for later in ("builds", "sources"):
            if not facts[later]:
                del facts[later]  # as it was before there were any
        return hashlib.blake2b(msgspec.json.encode(facts), digest_size=8).hexdigest()

    @property
    def machine(self) -> str:
        """The hardware in one line; part of a run's identity."""
        return _machine(self.cpu_model, self.cpu_count)

    @property
    def harness(self) -> str:
        """The versions of nqbench and Python in one line; part of a run's identity."""
        return _harness(self.nqbench, self.python)


def machine() -> str:
    """`Environment.machine` of this process, without looking for anything else."""
    return _machine(_cpu_model(), cpu_count())


def harness() -> str:
    """`Environment.harness` of this process, without looking for anything else."""
    from importlib import metadata

    return _harness(metadata.version("nqbench"), _python())


def cpu_count() -> int:
    """The number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0))


def current(
    packages: Iterable[str] = (),
    builds: Mapping[str, list[Build]] | None = None,
    sources: Mapping[str, str] | None = None,
) -> Environment:
    """The environment of this process, with the versions of the given distributions, the builds of
    backends, and the hashes of the files of plugins.
    """
    from importlib import metadata

    commit, dirty = _git()
    return Environment(
        cpu_model=_cpu_model(),
        cpu_count=cpu_count(),
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        kernel=f"{platform.system()} {platform.release()}",
        python=_python(),
        nqbench=metadata.version("nqbench"),
        packages=_versions(packages),
        git_commit=commit,
        git_dirty=dirty,
        builds=dict(builds or {}),
        sources=dict(sources or {}),
    )


def _machine(cpu_model: str, cpus: int) -> str:
    return f"{cpu_model}, {cpus} CPUs"


def _harness(nqbench: str, python: str) -> str:
    return f"nqbench {nqbench}, Python {python}"


def _cpu_model() -> str:
    return _first(r"model name\s*:\s*(.+)", "/proc/cpuinfo") or platform.machine()


def _python() -> str:
    return f"{platform.python_implementation()} {platform.python_version()}"


def _first(pattern: str, path: str) -> str | None:
    try:
        match = re.search(pattern, Path(path).read_text())
    except OSError:
        return None
    return match[1].strip() if match else None


def _versions(packages: Iterable[str]) -> dict[str, str]:
    from importlib import metadata

    versions = {}
    for name in sorted({"numpy", *packages}):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def _git() -> tuple[str | None, bool | None]:
    """Commit and dirty flag of the checkout that nqbench runs from; None without a checkout."""
    root = PACKAGE.parent
    if not (root / ".git").exists():
        return None, None
    command = ["git", "-C", str(root), "status", "--porcelain=v2", "--branch", "-uno"]
    try:
        status = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None, None
    commit = re.search(r"^# branch\.oid ([0-9a-f]+)$", status, re.MULTILINE)
    return commit[1] if commit else None, any(
        not line.startswith("#") for line in status.splitlines()
    )


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
