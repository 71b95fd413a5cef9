"""Call a function in a process of its own, under limits, and tell how that process ended.

The process is forked, not started anew: what the caller has imported is there at once, and what
the function does to its memory is gone with it. Linux only (pidfd, /proc, prctl).
"""

import contextlib
import ctypes
import gc
import math
import os
import re
import resource
import select
import signal
import struct
import time
import traceback
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from nqbench.cgroup import MemoryGroup
from nqbench.limits import Limits, MemoryBy, apply_to_this_process
from nqbench.vocabulary import Outcome


@dataclass(frozen=True, slots=True)
class Ending:
    """How a call ended. `payload` is what the function returned, if the outcome is finished."""

    outcome: Outcome
    message: str
    payload: bytes
    wall_s: float
    cpu_s: float
    peak_rss_bytes: int | None
    exit_status: int | None
    signal: int | None


class Stopped(Exception):  # noqa: N818 - an event, not an error
    """The one who asked for the call has gone away; the process has been killed."""


PAYLOAD_LIMIT: Final = 256 * 2**20
"""Bytes: a function that returns more is killed and counted as crashed."""

_RETURNED, _RAISED, _MEMORY, _ITEM = b"R", b"X", b"M", b"I"
_HEADER: Final = struct.Struct("<cq")
_OUTPUT_KEPT: Final = 2000
_CPU_CHECK_S: Final = 0.02
_CPUS: Final = os.cpu_count() or 1
_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")
_PIPE_CAPACITY: Final = 1 << 20
_OUT_OF_MEMORY: Final = re.compile(
    rb"bad_alloc|OutOfMemory|MemoryError|[Oo]ut of memory|[Cc]annot allocate memory"
)
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_libc = ctypes.CDLL(None, use_errno=True)
_python = ctypes.PyDLL(None)  # calls without releasing the interpreter
_python.fork.restype = ctypes.c_int


def adopt_orphans() -> None:
    """Make this process the parent of every orphan among its descendants, so that `kill_children`
    finds the processes that a function started and left behind in groups of their own.
    """
    if _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def kill_children() -> None:
    """Kill and reap every child of this process, adopted orphans included."""
    while _has_children():
        for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
            os.waitpid(int(pid), 0)


def _has_children() -> bool:
    # Cheaper than reading /proc, and asked after every run.
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def call(function: Callable[[], bytes], limits: Limits, stop_fd: int | None = None) -> Ending:
    """Call `function` in a forked process and wait for its end.

    The caller must be without threads. At the time limit the process group gets SIGKILL. Raises
    `Stopped`, with the group killed, as soon as `stop_fd` is readable.
    """
    with _forked(lambda _: function(), limits, stop_fd) as watch:
        for _ in watch.reads():
            if len(watch.result) > PAYLOAD_LIMIT:
                watch.kill(Outcome.CRASHED, f"an answer of more than {PAYLOAD_LIMIT} bytes")
        return watch.ending()


Emit = Callable[[bytes], None]


def stream(function: Callable[[Emit], None], limits: Limits) -> Generator[bytes, None, Ending]:
    """Call `function` in the same way, and yield what it emits as it comes.

    A function that emits faster than it is read waits. The generator returns the `Ending`, whose
    payload is empty.
    """

    def emitting(result_fd: int) -> bytes:
        def emit(item: bytes) -> None:
            _write(result_fd, _HEADER.pack(_ITEM, len(item)), item)

        function(emit)
        return b""

    with _forked(emitting, limits, None) as watch:
        for _ in watch.reads():
            yield from watch.items()
        yield from watch.items()
        return watch.ending()


@contextlib.contextmanager
def _forked(
    function: Callable[[int], bytes], limits: Limits, stop_fd: int | None
) -> Iterator["_Watch"]:
    group = MemoryGroup.create(limits.memory_bytes) if _by_cgroup(limits) else None
    result_read, result_write = os.pipe()
    output_read, output_write = os.pipe()
    started = time.monotonic()
    parent = os.getpid()
    pid = _fork()
    if pid == 0:
        try:
            if group:
                group.enter()
            _child(function, limits, parent, result_write, output_write)
        finally:
            os._exit(70)
    os.close(result_write)
    os.close(output_write)
    with contextlib.suppress(OSError):
        os.setpgid(pid, pid)  # the child does the same: whoever comes first wins the race
    watch = _Watch(
        pid,
        result_fd=result_read,
        output_fd=output_read,
        stop_fd=stop_fd,
        limits=limits,
        started=started,
        group=group,
    )
    try:
        yield watch
    finally:
        watch.close()


def _fork() -> int:
    """Fork without the hooks that Python runs in the child, which is 0.5 ms faster.

    The hooks seed the generators of `random` and make new locks in place of those that other
    threads may have held. There are no other threads here, and a worker that begins with the same
    random state as all others is what one wants of a measurement. What costs time is that they
    write to 200 pages, each of which has to be copied.
    """
    return int(_python.fork())


def _by_cgroup(limits: Limits) -> bool:
    return limits.memory_by is MemoryBy.CGROUP


def _child(
    function: Callable[[int], bytes], limits: Limits, parent: int, result_fd: int, output_fd: int
) -> NoReturn:
    os.setpgid(0, 0)
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(70)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output_fd, 1)
    os.dup2(output_fd, 2)
    # The peak counts from here: without this it would be the parent's.
    os.write(os.open("/proc/self/clear_refs", os.O_WRONLY), b"5")
    # A process for one call has no use for the collector, which makes lists of clauses 6 to 10
    # times slower.
    gc.disable()
    try:
        apply_to_this_process(limits)
        tag, payload = _RETURNED, function(result_fd)
    except MemoryError:
        tag, payload = _MEMORY, b""
    except BaseException as error:
        tag, payload = _RAISED, traceback.format_exception_only(error)[-1].strip().encode()
    # A program that it started counts as well, with its peak or what the worker had when it did.
    programs = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    peak = max(_peak_rss(os.getpid()) or 0, programs)
    _write(result_fd, _HEADER.pack(tag, peak), payload)
    os._exit(0)


def _write(descriptor: int, *pieces: bytes) -> None:
    for piece in pieces:
        rest = memoryview(piece)
        while rest:
            rest = rest[os.write(descriptor, rest) :]


class _Watch:
    """Follows one process from its fork to its end."""

    def __init__(
        self,
        pid: int,
        *,
        result_fd: int,
        output_fd: int,
        stop_fd: int | None,
        limits: Limits,
        started: float,
        group: MemoryGroup | None,
    ) -> None:
        self.pid = pid
        self.limits = limits
        self.started = started
        self.group = group
        self.pidfd = os.pidfd_open(pid)
        self.result_fd = result_fd
        self.output_fd = output_fd
        self.stop_fd = stop_fd
        self.result = bytearray()
        self.output = b""
        self.printed_bytes = 0
        self.killed_for: Outcome | None = None
        self.killed_because = ""
        self.peak_at_kill: int | None = None
        self.wait_status: int | None = None
        self.usage: resource.struct_rusage | None = None
        for fd in (result_fd, output_fd):
            os.set_blocking(fd, False)

    def reads(self) -> Iterator[None]:
        """Follow the process to its end; give way whenever something has come from it."""
        deadline = self.started + self.limits.time_s
        poll = select.poll()
        for fd in (self.result_fd, self.output_fd, self.pidfd):
            poll.register(fd, select.POLLIN)
        if self.stop_fd is not None:
            poll.register(self.stop_fd, select.POLLIN)
        while self.wait_status is None:
            # The deadline is absolute: a process that talks all the time gains nothing by it.
            left = deadline - time.monotonic()
            if left <= 0:
                self.kill(Outcome.TIMEOUT, f"the time limit of {self.limits.time_s:g} s")
                return
            if (cpu_left := self._cpu_left()) <= 0:
                self.kill(Outcome.TIMEOUT, f"the CPU time limit of {self.limits.cpu_s:g} s")
                return
            # CPU time passes no faster than all processors together can spend it.
            wait = min(left, max(cpu_left / _CPUS, _CPU_CHECK_S))
            ready = {fd for fd, _ in poll.poll(wait * 1000 + 1)}
            for fd in ready & {self.result_fd, self.output_fd}:
                if not self._drain(fd):
                    poll.unregister(fd)
            if self.pidfd in ready:
                self._reap()
            elif self.stop_fd in ready:
                self.kill(Outcome.CRASHED, "a stop")
                raise Stopped
            elif self.printed_bytes > self.limits.output_bytes:
                self.kill(Outcome.CRASHED, f"{self.limits.output_bytes} bytes printed")
            yield
        if time.monotonic() > deadline and self.killed_for is None:
            self.kill(Outcome.TIMEOUT, f"the time limit of {self.limits.time_s:g} s")

    def items(self) -> Iterator[bytes]:
        """Cut off what has been emitted so far."""
        while len(self.result) >= _HEADER.size:
            tag, length = _HEADER.unpack_from(self.result)
            end = _HEADER.size + length
            if tag != _ITEM or len(self.result) < end:
                return
            item = bytes(self.result[_HEADER.size : end])
            del self.result[:end]
            yield item

    def ending(self) -> Ending:
        wall_s = time.monotonic() - self.started
        assert self.usage is not None
        assert self.wait_status is not None
        code = os.waitstatus_to_exitcode(self.wait_status)
        tag, peak, payload = self._report()
        outcome, message = self._judge(code, tag, payload)
        finished = outcome is Outcome.FINISHED
        return Ending(
            outcome=outcome,
            message=message,
            payload=payload if finished else b"",
            wall_s=wall_s,
            cpu_s=self.usage.ru_utime + self.usage.ru_stime,
            peak_rss_bytes=(self.group and self.group.peak_bytes()) or self.peak_at_kill or peak,
            exit_status=code if code >= 0 else None,
            signal=-code if code < 0 else None,
        )

    def close(self) -> None:
        """Leave nothing behind: no process of the group, no descriptor."""
        if self.wait_status is None:
            self.kill(Outcome.CRASHED, "a stop")
        if self.group:
            self.group.remove()
        for fd in (self.pidfd, self.result_fd, self.output_fd):
            os.close(fd)

    def _judge(self, code: int, tag: bytes | None, payload: bytes) -> tuple[Outcome, str]:
        limits = self.limits
        said = self.output.decode(errors="replace").strip().rpartition("\n")[2]
        if self.killed_for is not None:
            return self.killed_for, f"stopped at {self.killed_because}"
        if self._cpu_left() <= 0:
            return Outcome.TIMEOUT, f"after the CPU time limit of {limits.cpu_s:g} s"
        if self.group is not None and self.group.killed():
            return Outcome.MEMOUT, f"a process killed at {limits.memory_bytes} bytes in use"
        if tag == _MEMORY:
            return Outcome.MEMOUT, f"out of memory at {limits.memory_bytes} bytes"
        if tag == _RAISED:
            return Outcome.CRASHED, payload.decode(errors="replace")
        if code == 0 and tag == _RETURNED:
            return Outcome.FINISHED, ""
        how = f"exit status {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
        if self._ran_out_of_memory(code):
            return Outcome.MEMOUT, f"{how} at the memory limit of {limits.memory_bytes} bytes"
        missing = " without an answer" if code == 0 else ""
        return Outcome.CRASHED, f"{how}{missing}{': ' + said if said else ''}"

    def _ran_out_of_memory(self, code: int) -> bool:
        """Native code meets a refused allocation in its own way: by what it says, by dying close
        to the limit, or by a SIGKILL that did not come from here but from the kernel.
        """
        assert self.usage is not None
        close_to_limit = self.usage.ru_maxrss * 1024 > 0.9 * self.limits.memory_bytes
        by_kernel = code == -signal.SIGKILL
        return code != 0 and bool(close_to_limit or by_kernel or _OUT_OF_MEMORY.search(self.output))

    def _cpu_left(self) -> float:
        """Seconds of CPU time that the run may still use."""
        if self.limits.cpu_s is None:
            return math.inf
        if self.usage is not None:
            return self.limits.cpu_s - self.usage.ru_utime - self.usage.ru_stime
        return self.limits.cpu_s - sum(map(_cpu_s, _with_descendants(self.pid)))

    def _report(self) -> tuple[bytes | None, int | None, bytes]:
        if len(self.result) < _HEADER.size:
            return None, None, b""
        tag, peak = _HEADER.unpack_from(self.result)
        return tag, peak or None, bytes(self.result[_HEADER.size :])

    def _drain(self, fd: int) -> bool:
        """Read what the pipe holds; False once there will be no more."""
        try:
            piece = os.read(fd, _PIPE_CAPACITY)
        except BlockingIOError:
            return True
        if fd == self.result_fd:
            self.result += piece
        else:
            self.printed_bytes += len(piece)
            self.output = (self.output + piece)[-_OUTPUT_KEPT:]
        return bool(piece)

    def kill(self, outcome: Outcome, because: str) -> None:
        """Kill the process group and reap the process; that is the outcome, because of that."""
        self.killed_for, self.killed_because = outcome, because
        if self.wait_status is not None:
            return
        self.peak_at_kill = max(_peak_rss(pid) or 0 for pid in _with_descendants(self.pid))
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._reap()

    def _reap(self) -> None:
        _, self.wait_status, self.usage = os.wait4(self.pid, 0)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        for fd in (self.result_fd, self.output_fd):
            self._drain(fd)


def _peak_rss(pid: int) -> int | None:
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


def _with_descendants(pid: int) -> Iterator[int]:
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in children.read_text().split():
                yield from _with_descendants(int(child))


def _cpu_s(pid: int) -> float:
    """CPU time of a process and all of its threads, and of the children that it has waited for."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    # utime, stime, cutime, cstime: fields 14 to 17 of proc(5), counted from the process id.
    return sum(map(int, fields[11:15])) / _TICKS_PER_S
