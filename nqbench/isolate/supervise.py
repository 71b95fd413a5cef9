"""Follows a forked process to its end and reports how it ended; see `frames` for what it sends."""

import contextlib
import fcntl
import math
import os
import re
import resource
import select
import signal
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from nqbench.common.limits import Limits
from nqbench.common.units import memory
from nqbench.common.vocabulary import Outcome
from nqbench.isolate.cgroup import MemoryGroup
from nqbench.isolate.frames import BEGAN, HEADER, INHERITED, ITEM, MEMORY, RAISED, RETURNED
from nqbench.isolate.printed_output import Printed
from nqbench.isolate.processes import (
    cpu_s,
    kill_tree,
    longest_wait_s,
    own_cpu_s,
    peak_rss,
    waited_s,
    with_descendants,
)
from nqbench.isolate.shared_memory import PhaseReading, Phases

_END: Final = 2000
_CPU_CHECK_S: Final = 0.02
_LONGEST_WAIT_S: Final = 3600.0  # the kernel counts milliseconds in 31 bits
_CPUS: Final = os.cpu_count() or 1
_PIPE_CAPACITY: Final = 1 << 20  # the most that a pipe can hold, unless root has raised it
_OUT_OF_MEMORY: Final = re.compile(
    rb"bad_alloc|OutOfMemory|MemoryError|[Oo]ut of memory|[Cc]annot allocate memory"
    rb"|memory allocation of \d+ bytes failed"  # Rust
)

_NO_ROOM_FOR_LIBRARY: Final = b"failed to map segment from shared object"


def says_out_of_memory(printed: bytes) -> bool:
    """Whether what a process printed last reports a refused allocation."""
    return bool(_OUT_OF_MEMORY.search(printed[-_END:]))


@dataclass(frozen=True, slots=True)
class Ending:
    """How a call ended. `payload` is what the function returned, if the outcome is finished, and
    `printed` both ends of what the process printed: see `Printed`.

    `function_s` is the wall time from the call of the function until the last byte of its result
    arrived, and `function_cpu_s` the CPU time of the process in between, without that of its
    children. `function_wait_s` is the time that the process and the one that waits for it were kept
    from running by others. All are read outside the process. `cpus` are the CPUs on which it was
    allowed to run when it ended. `progress` is how far it was when it was stopped, or when it was
    last seen, as it said itself.
    """

    outcome: Outcome
    message: str
    payload: bytes
    wall_s: float
    cpu_s: float
    peak_rss_bytes: int | None
    exit_status: int | None
    signal: int | None
    printed: bytes = b""
    function_s: float = 0.0
    function_cpu_s: float = 0.0
    function_wait_s: float = 0.0
    cpus: frozenset[int] = frozenset()
    progress: PhaseReading | None = None


class Abandoned(Exception):  # noqa: N818 - an event, not an error
    """The call was stopped because its `stop_fd` became readable; the process has been killed."""


@dataclass(slots=True)
class Supervisor:
    """Follows one process from its fork to its end."""

    pid: int
    result_fd: int
    output_fd: int
    began_fd: int
    stop_fd: int | None
    turn: int | None
    limits: Limits
    started: float
    group: MemoryGroup | None
    phases: Phases | None = None
    pidfd: int = field(init=False)
    began: tuple[float, float, float] | None = None
    inherited_bytes: int = 0
    result: bytearray = field(default_factory=bytearray)
    printed: Printed = field(default_factory=Printed)
    killed_for: Outcome | None = None
    killed_because: str = ""
    peak_at_kill: int | None = None
    cpu_at_kill_s: float = 0.0
    is_reaped: bool = False
    wait_status: int | None = None
    usage: resource.struct_rusage | None = None
    answered: float | None = None
    answered_cpu_s: float | None = None
    waited: float = math.inf
    waited_before: float = field(init=False)
    cpus: frozenset[int] = frozenset()
    seen: float = field(init=False)
    progress: PhaseReading | None = None

    def __post_init__(self) -> None:
        self.pidfd = os.pidfd_open(self.pid)
        self.seen = self.started
        self.waited_before = waited_s(os.getpid())
        for fd in (self.result_fd, self.output_fd, self.began_fd):
            os.set_blocking(fd, False)

    def reads(self) -> Iterator[None]:
        """Follow the process to its end, and yield whenever it has sent something."""
        deadline = self.started + self.limits.time_s  # at the earliest: see `_deadline`
        poll = self._watched()
        while self.wait_status is None:
            # The deadline is absolute: a process that writes all the time does not extend it.
            left_s = deadline - monotonic()
            if left_s <= 0:
                deadline = self._deadline()
                left_s = deadline - monotonic()
            cpu_left_s, cap_left_s = self._cpu_left(), self._cap_left()
            if self._is_killed(left_s, cpu_left_s, cap_left_s):
                return
            # All CPUs together bound how fast CPU time can pass.
            wait = min(left_s, max(cpu_left_s / _CPUS, _CPU_CHECK_S), cap_left_s, _LONGEST_WAIT_S)
            looked = monotonic()
            ready = {fd for fd, _ in poll.poll(wait * 1000 + 1)}
            if self.pidfd not in ready:
                self.seen = looked
            for fd in ready & {self.result_fd, self.output_fd}:
                if not self._drain(fd):
                    poll.unregister(fd)
            if self.pidfd in ready:
                self._reap()
            elif self.stop_fd in ready:
                self.kill(Outcome.CRASHED, "a stop")
                raise Abandoned
            elif self.printed.size > self.limits.output_bytes:
                self.kill(Outcome.CRASHED, f"{self.limits.output_bytes} bytes printed")
            yield
        if monotonic() > self._deadline() and self.killed_for is None:
            self.kill(Outcome.TIMEOUT, f"the time limit of {self.limits.time_s:g} s")

    def _is_killed(self, left_s: float, cpu_left_s: float, cap_left_s: float) -> bool:
        """Kill the process if one of these is used up. Returns whether it was."""
        if left_s <= 0:
            self.kill(Outcome.TIMEOUT, f"the time limit of {self.limits.time_s:g} s")
        elif cpu_left_s <= 0:
            self.kill(Outcome.TIMEOUT, f"the CPU time limit of {self.limits.cpu_s:g} s")
        elif cap_left_s <= 0:
            self.kill(Outcome.CAPPED, "its cap")
        return self.killed_for is not None

    def _deadline(self) -> float:
        """When the process is out of time. It may wait for its turn without any limit, so until it
        has begun, that is at least as long from now as it may take.
        """
        if self.turn is None:
            return self.started + self._allowed_s()
        self._note_beginning()
        if self.began is None:
            return monotonic() + self.limits.time_s
        return self.started + self.began[2] + self._allowed_s()

    def _allowed_s(self) -> float:
        """The time limit, and of `PatientLimits` the time that the process has waited for a CPU."""
        time_s, longest_s = self.limits.time_s, self.limits.longest_s
        if longest_s == time_s:
            return time_s
        if self.wait_status is not None:  # the kernel has forgotten how long it waited
            return longest_s
        return min(time_s + longest_wait_s(self.pid), longest_s)

    def _cap_left(self) -> float:
        """Seconds until it is worth looking at the cap again; 0 or less if it has been reached."""
        if self.phases is None or self.phases.cap is None:
            return math.inf
        self._note_beginning()
        now = monotonic()
        elapsed_s = now - self.began[0] if self.began else 0.0
        return self.phases.cap.left_s(self.phases.at(now), elapsed_s)

    def _note_beginning(self) -> None:
        if self.began is None:
            with contextlib.suppress(BlockingIOError, struct.error):
                self.began = BEGAN.unpack(os.read(self.began_fd, BEGAN.size))

    def _end_turn(self) -> None:
        if self.turn is not None:
            fcntl.flock(self.turn, fcntl.LOCK_UN)

    def _watched(self) -> select.poll:
        poll = select.poll()
        for fd in (self.result_fd, self.output_fd, self.pidfd, self.stop_fd):
            if fd is not None:
                poll.register(fd, select.POLLIN)
        return poll

    def items(self) -> Iterator[bytes]:
        """Yield the complete items received so far, and remove them from the buffer."""
        while len(self.result) >= HEADER.size:
            tag, length = HEADER.unpack_from(self.result)
            end = HEADER.size + length
            if tag != ITEM or len(self.result) < end:
                return
            item = bytes(self.result[HEADER.size : end])
            del self.result[:end]
            yield item

    def ending(self) -> Ending:
        """How the process ended. Call it after the end."""
        self._note_beginning()
        waited_s = self.began[2] if self.began else 0.0
        wall_s = monotonic() - self.started - waited_s
        function_s, function_cpu_s = self._in_function()
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
            cpu_s=max(self.usage.ru_utime + self.usage.ru_stime, self.cpu_at_kill_s),
            peak_rss_bytes=(self.group and self.group.peak_bytes()) or self.peak_at_kill or peak,
            exit_status=code if code >= 0 else None,
            signal=-code if code < 0 else None,
            printed=self.printed.content(),
            function_s=function_s,
            function_cpu_s=function_cpu_s,
            function_wait_s=self.waited,
            cpus=self.cpus,
            progress=self.progress,
        )

    def close(self) -> None:
        """Kill the process if it still runs, and release its group and descriptors."""
        if not self.is_reaped:
            self.kill(Outcome.CRASHED, "a stop")
        self._end_turn()
        if self.group:
            self.group.remove()
        for fd in (self.pidfd, self.result_fd, self.output_fd, self.began_fd):
            os.close(fd)

    def _judge(self, code: int, tag: bytes | None, payload: bytes) -> tuple[Outcome, str]:
        limits = self.limits
        last_line = self.printed.end(_END).decode(errors="replace").strip().rpartition("\n")[2]
        if self.killed_for is not None:
            return self.killed_for, f"stopped at {self.killed_because}"
        if self._cpu_left() <= 0:
            return Outcome.TIMEOUT, f"after the CPU time limit of {limits.cpu_s:g} s"
        if self.group is not None and (by_group := self._judge_by_group(self.group)):
            return by_group
        if tag == MEMORY:
            return Outcome.MEMOUT, f"out of memory at {memory(limits.memory_bytes)}"
        if tag == RAISED:
            return self._judge_raised(payload)
        if code == 0 and tag == RETURNED:
            return Outcome.FINISHED, ""
        how = f"exit status {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
        if self._ran_out_of_memory(code):
            return Outcome.MEMOUT, f"{how} at the memory limit of {memory(limits.memory_bytes)}"
        without_answer = " without an answer" if code == 0 else ""
        return Outcome.CRASHED, f"{how}{without_answer}{': ' + last_line if last_line else ''}"

    def _judge_raised(self, message: bytes) -> tuple[Outcome, str]:
        if _NO_ROOM_FOR_LIBRARY in message:
            limit = self.limits.memory_bytes
            return Outcome.MEMOUT, f"no library of a solver fits into {memory(limit)}"
        return Outcome.CRASHED, message.decode(errors="replace")

    def _judge_by_group(self, group: MemoryGroup) -> tuple[Outcome, str] | None:
        """The outcome that the control group of the run decides, if any."""
        if flaw := group.flaw():
            return Outcome.CRASHED, flaw
        if group.killed():
            return Outcome.MEMOUT, f"a process killed at {memory(self.limits.memory_bytes)} in use"
        return None

    def _ran_out_of_memory(self, code: int) -> bool:
        """Whether a failure looks like a refused allocation: by its output, by a peak close to the
        limit, or by a SIGKILL, which came from the kernel if the supervisor did not send it.
        """
        assert self.usage is not None
        peak = self.usage.ru_maxrss * 1024 - self.inherited_bytes
        close_to_limit = peak > 0.9 * self.limits.memory_bytes
        by_kernel = code == -signal.SIGKILL
        is_said = says_out_of_memory(self.printed.end(_END))
        return code != 0 and (close_to_limit or by_kernel or is_said)

    def _cpu_left(self) -> float:
        """Seconds of CPU time that the run may still use."""
        if self.limits.cpu_s is None:
            return math.inf
        if self.usage is not None:
            return self.limits.cpu_s - self.usage.ru_utime - self.usage.ru_stime
        return self.limits.cpu_s - sum(map(cpu_s, with_descendants(self.pid)))

    def _report(self) -> tuple[bytes | None, int | None, bytes]:
        if len(self.result) < HEADER.size:
            return None, None, b""
        tag, peak = HEADER.unpack_from(self.result)
        return tag, peak or None, bytes(self.result[HEADER.size :])

    def _in_function(self) -> tuple[float, float]:
        """Wall and CPU seconds from the call of the function until its result arrived; 0 if it was
        not called, or sent nothing.
        """
        if self.began is None or self.answered is None:
            return 0.0, 0.0
        began, before_s, _ = self.began
        assert self.usage is not None
        cpu_s = self.answered_cpu_s
        if cpu_s is None:
            cpu_s = self.usage.ru_utime + self.usage.ru_stime
        return self.answered - began, cpu_s - before_s

    def _note_arrival(self) -> None:
        """Note when a part of the result arrived. The last part counts: a process could send the
        first one long before it has a result.
        """
        self.answered = monotonic()
        if self.wait_status is None:
            self.answered_cpu_s = own_cpu_s(self.pid)
            own_wait_s = waited_s(os.getpid())
            self.waited = waited_s(self.pid) + (
                own_wait_s - self.waited_before if own_wait_s < math.inf else 0
            )
        else:  # the kernel has no clocks of a process that has been reaped
            self.answered_cpu_s, self.waited = None, math.inf

    def _drain(self, fd: int) -> bool:
        """Read what the pipe holds. Returns False at the end of the pipe."""
        try:
            piece = os.read(fd, _PIPE_CAPACITY)
        except BlockingIOError:
            return True
        if fd == self.result_fd:
            self.result += piece
            if piece:
                self._note_arrival()
            if self.result.startswith(INHERITED) and len(self.result) >= HEADER.size:
                _, self.inherited_bytes = HEADER.unpack_from(self.result)
                del self.result[: HEADER.size]
            if piece and self.result:
                self._end_turn()
        else:
            self.printed.add(piece)
        return bool(piece)

    def kill(self, outcome: Outcome, because: str) -> None:
        """Kill the process and all that it has started, reap it, and note the outcome with its
        reason.
        """
        self.killed_for, self.killed_because = outcome, because
        if self.wait_status is not None:
            return
        self._note_progress(monotonic())
        self._drain(self.result_fd)
        # The kernel does not count what a process has not waited for.
        self.cpu_at_kill_s = sum(map(cpu_s, with_descendants(self.pid)))
        own_peak, *other_peaks = (peak_rss(pid) or 0 for pid in with_descendants(self.pid))
        self.peak_at_kill = max(0, own_peak - self.inherited_bytes, *other_peaks)
        kill_tree(self.pid)
        self._reap()

    def _note_progress(self, moment: float) -> None:
        if self.phases and self.progress is None:
            self.progress = self.phases.at(moment)

    def _reap(self) -> None:
        self._note_progress(self.seen)
        self._drain(self.result_fd)  # while the kernel still has the clocks of the process
        self.cpus = frozenset(os.sched_getaffinity(self.pid))
        # Before, since a signal may end this function right after the process was waited for. Its
        # number then belongs to nobody, or to another process.
        self.is_reaped = True
        _, self.wait_status, self.usage = os.wait4(self.pid, 0)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        for fd in (self.result_fd, self.output_fd):
            self._drain(fd)
