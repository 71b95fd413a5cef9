"""What the kernel tells of processes, and the orphans among them. Linux only (/proc, prctl)."""

import contextlib
import ctypes
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent() -> None:
    """Have the kernel kill this process as soon as its parent ends."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def adopt_orphans() -> None:
    """Make this process the parent of every orphan among its descendants, so that `kill_children`
    finds the processes that a function started and left behind in groups of their own.
    """
    if _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def kill_children() -> None:
    """Kill and reap every child of this process, adopted orphans included."""
    while _has_children():
        for pid in _children(os.getpid()):
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def kill_descendants(pid: int) -> None:
    """Stop a process that adopts orphans, so that it starts nothing more, and kill whatever it has
    started, in whatever group that is.
    """
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    killed = {pid}
    while found := set(with_descendants(pid)) - killed:
        for descendant in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(descendant, signal.SIGKILL)
        killed |= found


def _has_children() -> bool:
    # Cheaper than reading /proc, and asked after every run.
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def peak_rss(pid: int) -> int | None:
    """Bytes of the process's largest resident set; None if it has gone."""
    # Plain system calls: in a forked child every page that Python touches has to be copied.
    try:
        fd = os.open(f"/proc/{pid}/status", os.O_RDONLY)
    except OSError:
        return None
    status = os.read(fd, 1 << 14)
    os.close(fd)
    _, found, rest = status.partition(b"VmHWM:")
    return int(rest.split(None, 1)[0]) * 1024 if found else None


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes of a process: its address space, and the part of its own memory that is resident."""

    address_space: int
    resident: int


def own_size() -> Size:
    """The size of this process. What it shares, such as libraries, is not its own memory."""
    fd = os.open("/proc/self/statm", os.O_RDONLY)
    pages, resident, shared, *_ = map(int, os.read(fd, 256).split())
    os.close(fd)
    return Size(pages * _PAGE_BYTES, (resident - shared) * _PAGE_BYTES)


def with_descendants(pid: int) -> Iterator[int]:
    """The process and all that it and its children have started and that still run."""
    yield pid
    for child in _children(pid):
        yield from with_descendants(child)


def _children(pid: int) -> Iterator[int]:
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            yield from map(int, children.read_text().split())


def cpu_s(pid: int) -> float:
    """CPU time of a process and all of its threads, and of the children that it has waited for."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    # utime, stime, cutime, cstime: fields 14 to 17 of proc(5), counted from the process id.
    return sum(map(int, fields[11:15])) / _TICKS_PER_S
