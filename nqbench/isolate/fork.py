"""Call a function in a process of its own, under limits, and tell how that process ended.

The process is forked, not started anew: what the caller has imported is there at once, and what
the function does to its memory is gone with it. Linux only (pidfd, /proc, prctl).
"""

import contextlib
import ctypes
import gc
import os
import resource
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Collection, Generator, Iterator
from pathlib import Path
from typing import Final, NoReturn

from nqbench.errors import ExecutorError, NqbenchError
from nqbench.isolate.cgroup import MemoryGroup
from nqbench.isolate.processes import (
    Size,
    adopt_orphans,
    die_with_parent,
    kill_children,
    own_size,
    peak_rss,
)
from nqbench.isolate.supervise import (
    HEADER,
    INHERITED,
    ITEM,
    MEMORY,
    RAISED,
    RETURNED,
    Ending,
    Supervisor,
)
from nqbench.limits import Limits, MemoryBy, apply_to_this_process
from nqbench.vocabulary import Outcome

_ORDINARY: Final = Size(address_space=256 * 2**20, resident=24 * 2**20)
"""A process that has imported a few solvers, as a fork server has, is about half as large."""

PAYLOAD_LIMIT: Final = 256 * 2**20
"""Bytes: a function that returns more is killed and counted as crashed."""

_python = ctypes.PyDLL(None, use_errno=True)  # calls without releasing the interpreter
_python.fork.restype = ctypes.c_int


def call(
    function: Callable[[], bytes],
    limits: Limits,
    stop_fd: int | None = None,
    keep: Collection[int] = (),
) -> Ending:
    """Call `function` in a forked process and wait for its end.

    Of the caller's descriptors that process has none but those to `keep`: what it writes reaches
    nobody's socket, store or terminal.

    The caller may be a notebook, which has threads and holds data. What it holds beyond what a fork
    server does counts neither against the memory limit nor in the peak. Only programs that the
    function starts are measured less well there: their limit is wider by that much, and the peak is
    None unless it is more than what the caller holds.

    At the time limit the process and all that it has started get SIGKILL; what it leaves behind at
    its end does as well, unless it crashes. Raises `Stopped`, with all of them killed, as soon as
    `stop_fd` is readable; `ExecutorError` if no process can be started.
    """
    with _forked(lambda _: function(), limits, stop_fd, keep) as supervisor:
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

    with _forked(emitting, limits, None, ()) as supervisor:
        for _ in supervisor.reads():
            yield from supervisor.items()
        yield from supervisor.items()
        return supervisor.ending()


@contextlib.contextmanager
def _forked(
    function: Callable[[int], bytes],
    limits: Limits,
    stop_fd: int | None,
    keep: Collection[int],
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
            _child(
                function,
                limits,
                parent,
                result_fd=result_write,
                output_fd=output_write,
                keep=keep,
            )
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
    threads may have held. A fork server has no other threads, and a worker that begins with the
    same random state as all others is what one wants of a measurement. What costs time is that they
    write to 200 pages, each of which has to be copied.

    With threads, as in a notebook, the hooks are needed: without them a child whose parent had a
    thread waiting for the interpreter would wait for that thread for ever.
    """
    if len(sys._current_frames()) > 1:
        return _fork_beside_threads()
    pid = int(_python.fork())
    if pid < 0:
        number = ctypes.get_errno()
        raise ExecutorError(f"no process can be started: {os.strerror(number)}")
    return pid


def _fork_beside_threads() -> int:
    with warnings.catch_warnings():
        # Python warns of locks that other threads hold. The child takes none but Python's own.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return os.fork()
        except OSError as error:
            raise ExecutorError(f"no process can be started: {error.strerror}") from error


def _inherited() -> Size:
    """What this process was born with beyond what is ordinary, if it has done nothing yet."""
    now = own_size()
    return Size(
        max(0, now.address_space - _ORDINARY.address_space),
        max(0, now.resident - _ORDINARY.resident),
    )


def _by_cgroup(limits: Limits) -> bool:
    return limits.memory_by is MemoryBy.CGROUP


def _child(
    function: Callable[[int], bytes],
    limits: Limits,
    parent: int,
    *,
    result_fd: int,
    output_fd: int,
    keep: Collection[int],
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
    _close_all_but({0, 1, 2, result_fd, *keep})
    # Not as the parent sees itself: it may hold mappings that it does not hand on.
    inherited = _inherited()
    if inherited.resident:
        write_all(result_fd, HEADER.pack(INHERITED, inherited.resident))
    # The peak counts from here: without this it would be the parent's.
    os.write(os.open("/proc/self/clear_refs", os.O_WRONLY), b"5")
    # A process for one call has no use for the collector, which makes lists of clauses 6 to 10
    # times slower.
    gc.disable()
    try:
        apply_to_this_process(limits, inherited.address_space)
        tag, payload = RETURNED, function(result_fd)
    except MemoryError:
        tag, payload = MEMORY, b""
    except BaseException as error:
        tag, payload = RAISED, _told(error).encode(errors="replace")
    write_all(result_fd, HEADER.pack(tag, _peak(inherited.resident)), payload)
    kill_children()
    os._exit(0)


def _close_all_but(kept: Collection[int]) -> None:
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - each object costs a page
        if int(name) not in kept:
            with contextlib.suppress(OSError):  # the one of this very list
                os.close(int(name))


def _peak(inherited_bytes: int) -> int:
    """Bytes of the largest resident set of this process or of a program that it has started; 0 if
    that cannot be known.
    """
    own = peak_rss(os.getpid()) or 0
    # The peak of a program, or what this process held when it started it: exec hands that on.
    programs = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    if programs > own:
        return programs
    if programs and inherited_bytes:
        return 0
    return max(0, own - inherited_bytes)


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
