"""The machine and the software that a run was measured on."""

import hashlib
import os
import platform
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import msgspec

from nqbench.common import PACKAGE
from nqbench.common.column_types import Positive
from nqbench.common.machine.builds import Build


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
