"""Memory limits by control group, on the memory that a run uses instead of what it reserves.

Supports both versions of the kernel's interface (Documentation/admin-guide/cgroup-v1/memory.rst and
cgroup-v2.rst): a group is a folder, and its limits and counters are files in it.
"""

import contextlib
import itertools
import os
import re
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from nqbench.common.errors import UnavailableError

_ROOT: Final = Path("/sys/fs/cgroup")
_OWN: Final = Path("/proc/self/cgroup")
_PREFIX: Final = "nqbench-"
_BUSY_S: Final = 0.005
_LONGEST_REMOVAL_S: Final = 1.0
_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class _Files:
    limit: str
    swap_limit: str
    peak: str
    events: str


_V1: Final = _Files(
    limit="memory.limit_in_bytes",
    swap_limit="memory.memsw.limit_in_bytes",
    peak="memory.max_usage_in_bytes",
    events="memory.oom_control",
)
_V2: Final = _Files(
    limit="memory.max",
    swap_limit="memory.swap.max",
    peak="memory.peak",
    events="memory.events",
)


@dataclass(frozen=True, slots=True)
class MemoryGroup:
    """A group of processes with a common memory limit."""

    path: Path
    files: _Files
    kernel_limit: str
    """The limit as the kernel has taken it."""

    @classmethod
    def create(cls, limit_bytes: int) -> Self:
        """Create a group below the group of this process.

        Raises `UnavailableError` if groups cannot be made here, or have no memory controller.
        """
        parent, files = _own_group()
        _remove_abandoned(parent)
        path = _unused(parent)
        try:
            path.mkdir()
            (path / files.limit).write_text(str(limit_bytes))
            kernel_limit = (path / files.limit).read_text()
        except OSError as error:
            with contextlib.suppress(OSError):
                path.rmdir()
            raise UnavailableError(f"no control group below {parent}: {error.strerror}") from error
        # Without a limit on swap, the kernel would swap out what exceeds the memory limit.
        with contextlib.suppress(OSError):
            swap = limit_bytes if files is _V1 else 0
            (path / files.swap_limit).write_text(str(swap))
        return cls(path, files, kernel_limit)

    def enter(self) -> None:
        """Move this process into the group, and with it all processes that it starts."""
        (self.path / "cgroup.procs").write_text("0")

    def peak_bytes(self) -> int | None:
        """The peak memory of the group; None if the kernel does not report it."""
        peak = self._read(self.files.peak)
        return None if peak is None else int(peak)

    def killed(self) -> bool:
        """Whether the kernel killed a process of the group because of the limit."""
        match = re.search(r"oom_kill (\d+)", self._read(self.files.events) or "")
        return match is not None and int(match[1]) > 0

    def flaw(self) -> str | None:
        """What a process of the group did to its limit, in words; None if the limit stands. With
        the rights to make groups, a process can also change and leave its own.
        """
        limit = self._read(self.files.limit)
        if limit is None:
            return "the control group of the run was deleted from inside"
        if limit != self.kernel_limit:
            return f"the memory limit of the run was set to {limit.strip()} from inside"
        return None

    def remove(self) -> None:
        """Kill all processes left in the group and in groups that they made below it, and delete
        these groups. Gives up after 1 s, if they are made faster than they are deleted.
        """
        deadline = time.monotonic() + _LONGEST_REMOVAL_S
        while not _try_to_remove(self.path) and time.monotonic() < deadline:
            time.sleep(_BUSY_S)

    def _read(self, name: str) -> str | None:
        try:
            return (self.path / name).read_text()
        except OSError:
            return None


def _try_to_remove(group: Path) -> bool:
    """Kill the processes of a group and of all groups below it, and delete them. Returns whether
    all are deleted.
    """
    deleted = [_try_to_delete(folder) for folder in _groups_from_below(group)]
    return all(deleted)


def _groups_from_below(group: Path) -> list[Path]:
    """The group and all groups below it, the lowest first."""
    folders = [group]
    # The list grows meanwhile. No recursion, since processes may nest groups deeply.
    for folder in folders:
        with contextlib.suppress(OSError):
            folders += [entry for entry in folder.iterdir() if entry.is_dir()]
    return folders[::-1]


def _try_to_delete(group: Path) -> bool:
    try:
        for pid in (group / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        group.rmdir()
    except FileNotFoundError:  # a process of the group has deleted it
        return True
    except OSError:  # usually busy: a killed process has not ended yet
        return False
    return True


def _unused(parent: Path) -> Path:
    """The path of a new group. One with the id of this process may be from an earlier process, or
    in use by another thread.
    """
    paths = (parent / f"{_PREFIX}{os.getpid()}-{number}" for number in _numbers)
    return next(path for path in paths if not path.exists())


def _remove_abandoned(parent: Path) -> None:
    """Delete the groups of processes that were killed before they could do so."""
    for path in parent.glob(f"{_PREFIX}*"):
        pid = path.name.removeprefix(_PREFIX).partition("-")[0]
        if not Path(f"/proc/{pid}").exists():
            for folder in _groups_from_below(path):
                # It may not be empty yet, or another process may delete it first: ignore that here.
                with contextlib.suppress(OSError):
                    folder.rmdir()


def memory_limit() -> int | None:
    """Bytes that the processes of this group may use: the smallest limit of the group and the
    groups above it; None if there is no limit.
    """
    limits = []
    with contextlib.suppress(OSError):
        path, files = _own_folder()
        # In a container the path may be the host's, of which only the top is visible.
        for folder in (path, *path.parents):
            with contextlib.suppress(OSError, ValueError):  # no such file, or "max"
                limits.append(int((folder / files.limit).read_text()))
    return min(limits, default=None)


def _own_group() -> tuple[Path, _Files]:
    path, files = _own_folder()
    controllers = path / "cgroup.controllers"
    if files is _V1 or (controllers.exists() and "memory" in controllers.read_text().split()):
        return path, files
    raise UnavailableError("no memory controller for control groups here")


def _own_folder() -> tuple[Path, _Files]:
    group = ""  # some containers do not list it
    for line in _OWN.read_text().splitlines():
        _, controllers, group = line.split(":", 2)
        if controllers == "memory":
            return _ROOT / "memory" / group.lstrip("/"), _V1
    return _ROOT / group.lstrip("/"), _V2
