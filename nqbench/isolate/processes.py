"""Finds, measures and kills processes. Linux only (/proc, prctl)."""

import contextlib
import ctypes
import math
import os
import select
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import clock_gettime, monotonic
from typing import Final

_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_LONGEST_KILL_S: Final = 1.0
_CPU_CLOCK: Final = 2  # CPUCLOCK_SCHED; see clock_getcpuclockid(3)
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
# Called without a change of thread and with known types: in a forked child, every page that Python
# writes to has to be copied, and to guess types takes 70 of them.
_prctl = ctypes.PyDLL(None, use_errno=True).prctl
_prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]


def die_with_parent() -> None:
    """Have the kernel kill this process as soon as its parent ends."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def outlive_parent() -> None:
    """Take `die_with_parent` back."""
    _prctl(_PR_SET_PDEATHSIG, 0, 0, 0, 0)


def is_hung_up(descriptor: int) -> bool:
    """Whether the other end of this socket is closed."""
    poll = select.poll()
    poll.register(descriptor, 0)
    return bool(poll.poll(0))


def adopt_orphans() -> None:
    """Make this process the parent of every orphan among its descendants, so that `kill_children`
    finds processes that a function has left behind, even in other process groups.
    """
    if _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def kill_children() -> None:
    """Kill and reap every child of this process, adopted orphans included.

    Gives up after 1 s, if processes cannot be killed, or start others faster than they are killed.
    """
    deadline = monotonic() + _LONGEST_KILL_S
    while _reap_children() and monotonic() < deadline:
        for pid in _children(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def kill_tree(pid: int) -> None:
    """Kill a process that adopts orphans, and all its descendants in any process group.

    The process is stopped first, so that it starts no others. It is killed last: until then, every
    orphan among its descendants is its child and can be found. Gives up after 1 s if processes
    start others faster than they are killed. Ignores a process that has already ended.
    """
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        killed = {pid}
        deadline = monotonic() + _LONGEST_KILL_S
        while (descendants := set(with_descendants(pid)) - killed) and monotonic() < deadline:
            for descendant in descendants:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(descendant, signal.SIGKILL)
            killed |= descendants
        os.kill(pid, signal.SIGKILL)


def _reap_children() -> bool:
    """Reap the children that have ended. Returns whether others are left."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if not pid:
            return True


def how_ended(code: int) -> str:
    """How a process ended, in words: its exit status, or if negative, the signal that ended it."""
    if code >= 0:
        return f"exit status {code}"
    try:
        return f"ended by signal {signal.Signals(-code).name}"
    except ValueError:  # one without a name
        return f"ended by signal {-code}"


def peak_rss(pid: int) -> int | None:
    """Bytes of the process's largest resident set; None if it has ended."""
    # Plain system calls, for the same reason.
    try:
        fd = os.open(f"/proc/{pid}/status", os.O_RDONLY)
    except OSError:
        return None
    status = os.read(fd, 1 << 14)
    os.close(fd)
    _, label, remainder = status.partition(b"VmHWM:")
    return int(remainder.split(None, 1)[0]) * 1024 if label else None


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes of a process: its address space, and the part of its own memory that is resident."""

    address_space: int
    resident: int


def own_size() -> Size:
    """The size of this process. Shared memory, such as libraries, does not count as its own."""
    fd = os.open("/proc/self/statm", os.O_RDONLY)
    pages, resident, shared, *_ = map(int, os.read(fd, 256).split())
    os.close(fd)
    return Size(pages * _PAGE_BYTES, (resident - shared) * _PAGE_BYTES)


def with_descendants(pid: int) -> Iterator[int]:
    """Yield the process and all its descendants that are still running."""
    pids = [pid]
    while pids:
        pid = pids.pop()
        yield pid
        pids += _children(pid)


def _children(pid: int) -> list[int]:
    pids: list[int] = []
    # Fast, since it is used to kill processes: no path objects and no decoding of text.
    for thread in _threads(pid):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/children") as file:  # noqa: PTH123
            pids += map(int, file.read().split())
    return pids


def _threads(pid: int) -> list[int]:
    try:
        return [int(thread) for thread in os.listdir(f"/proc/{pid}/task")]  # noqa: PTH208
    except OSError:
        return []


def own_cpu_s(pid: int) -> float:
    """CPU time of a process and its threads, without its children, by the clock that the kernel has
    of each process until it is reaped. Precise, and costs one system call.
    """
    return clock_gettime(~pid << 3 | _CPU_CLOCK)


def waited_s(pid: int) -> float:
    """Seconds in which the main thread of a process was ready to run but another had the CPU; see
    Documentation/scheduler/sched-stats.rst. Infinity if the kernel does not count them.
    """
    try:
        fd = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY)
    except OSError:
        return math.inf
    _, waited_ns, _ = os.read(fd, 128).split()
    os.close(fd)
    return int(waited_ns) / 1e9


def longest_wait_s(pid: int) -> float:
    """The most seconds that a thread of a process or of its descendants has waited for a CPU:
    see `waited_s`.
    """
    threads = [thread for each in with_descendants(pid) for thread in _threads(each)]
    return max(map(waited_s, threads), default=0.0)


def cpu_s(pid: int) -> float:
    """CPU time of a process and all of its threads, and of the children that it has waited for."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    # utime, stime, cutime, cstime: fields 14 to 17 of proc(5), counted from the process id.
    return sum(map(int, fields[11:15])) / _TICKS_PER_S
