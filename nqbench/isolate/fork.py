"""Call a function in a process of its own, under limits, and tell how that process ended.

The process is forked, not started anew: what the caller has imported is there at once, and what
the function does to its memory is gone with it. Linux only (pidfd, /proc, prctl).
"""

import contextlib
import ctypes
import gc
import os
import resource
import time
import traceback
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Final, NoReturn

from nqbench.errors import ExecutorError, NqbenchError
from nqbench.isolate.cgroup import MemoryGroup
from nqbench.isolate.processes import adopt_orphans, die_with_parent, kill_children, peak_rss
from nqbench.isolate.supervise import HEADER, ITEM, MEMORY, RAISED, RETURNED, Ending, Supervisor
from nqbench.limits import Limits, MemoryBy, apply_to_this_process
from nqbench.vocabulary import Outcome

PAYLOAD_LIMIT: Final = 256 * 2**20
"""Bytes: a function that returns more is killed and counted as crashed."""

_python = ctypes.PyDLL(None, use_errno=True)  # calls without releasing the interpreter
_python.fork.restype = ctypes.c_int


def call(function: Callable[[], bytes], limits: Limits, stop_fd: int | None = None) -> Ending:
    """Call `function` in a forked process and wait for its end.

    The caller must be without threads. At the time limit the process and all that it has started
    get SIGKILL; what it leaves behind at its end does as well, unless it crashes. Raises `Stopped`,
    with all of them killed, as soon as `stop_fd` is readable; `ExecutorError` if no process can be
    started.
    """
    with _forked(lambda _: function(), limits, stop_fd) as supervisor:
        for _ in supervisor.reads():
            if len(supervisor.result) > PAYLOAD_LIMIT:
                supervisor.kill(Outcome.CRASHED, f"an answer of more than {PAYLOAD_LIMIT} bytes")
        return supervisor.ending()


Emit = Callable[[bytes], None]


def stream(function: Callable[[Emit], None], limits: Limits) -> Generator[bytes, None, Ending]:
    """Call `function` in the same way, and yield what it emits as it comes.

    A function that emits faster than it is read waits. The generator returns the `Ending`, whose
    payload is empty.
    """

    def emitting(result_fd: int) -> bytes:
        def emit(item: bytes) -> None:
            write_all(result_fd, HEADER.pack(ITEM, len(item)), item)

        function(emit)
        return b""

    with _forked(emitting, limits, None) as supervisor:
        for _ in supervisor.reads():
            yield from supervisor.items()
        yield from supervisor.items()
        return supervisor.ending()


@contextlib.contextmanager
def _forked(
    function: Callable[[int], bytes], limits: Limits, stop_fd: int | None
) -> Iterator[Supervisor]:
    group = MemoryGroup.create(limits.memory_bytes) if _by_cgroup(limits) else None
    result_read, result_write = os.pipe()
    output_read, output_write = os.pipe()
    started = time.monotonic()
    parent = os.getpid()
    try:
        pid = _fork()
    except ExecutorError:
        for fd in (result_read, result_write, output_read, output_write):
            os.close(fd)
        if group:
            group.remove()
        raise
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
    supervisor = Supervisor(
        pid,
        result_fd=result_read,
        output_fd=output_read,
        stop_fd=stop_fd,
        limits=limits,
        started=started,
        group=group,
    )
    try:
        yield supervisor
    finally:
        supervisor.close()


def _fork() -> int:
    """Fork without the hooks that Python runs in the child, which is 0.5 ms faster.

    The hooks seed the generators of `random` and make new locks in place of those that other
    threads may have held. There are no other threads here, and a worker that begins with the same
    random state as all others is what one wants of a measurement. What costs time is that they
    write to 200 pages, each of which has to be copied.
    """
    pid = int(_python.fork())
    if pid < 0:
        number = ctypes.get_errno()
        raise ExecutorError(f"no process can be started: {os.strerror(number)}")
    return pid


def _by_cgroup(limits: Limits) -> bool:
    return limits.memory_by is MemoryBy.CGROUP


def _child(
    function: Callable[[int], bytes], limits: Limits, parent: int, result_fd: int, output_fd: int
) -> NoReturn:
    os.setpgid(0, 0)
    die_with_parent()
    # The caller may be any process, with children of its own: only this one knows what was
    # started here.
    adopt_orphans()
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
        tag, payload = RETURNED, function(result_fd)
    except MemoryError:
        tag, payload = MEMORY, b""
    except BaseException as error:
        tag, payload = RAISED, _told(error).encode(errors="replace")
    # A program that it started counts as well, with its peak or what the worker had when it did.
    programs = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    peak = max(peak_rss(os.getpid()) or 0, programs)
    write_all(result_fd, HEADER.pack(tag, peak), payload)
    kill_children()
    os._exit(0)


def _told(error: BaseException) -> str:
    """What was raised, and where, if that was not on purpose."""
    if isinstance(error, NqbenchError):
        return str(error)
    what = traceback.format_exception_only(error)[-1].strip()
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"{what} ({Path(where.filename).name}, line {where.lineno}, in {where.name})"


def write_all(descriptor: int, *pieces: bytes | memoryview) -> None:
    """Write all bytes: one call to the kernel takes 2 GiB at most, and a pipe less."""
    for piece in pieces:
        rest = memoryview(piece)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
