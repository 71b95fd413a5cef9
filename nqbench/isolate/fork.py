"""Calls a function in a separate process, under limits, and reports how that process ended.

The process is forked: it has all modules that the caller has imported, and changes to its memory
end with it. Linux only (pidfd, /proc, prctl).
"""

import contextlib
import ctypes
import os
import sys
import warnings
from collections.abc import Callable, Collection, Generator, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

from nqbench.common.errors import ExecutorError
from nqbench.common.limits import Limits, MemoryBy
from nqbench.common.vocabulary import Outcome
from nqbench.isolate import child, scratch
from nqbench.isolate.cgroup import MemoryGroup
from nqbench.isolate.frames import HEADER, ITEM, write_all
from nqbench.isolate.pages import Pages
from nqbench.isolate.shared_memory import Phases
from nqbench.isolate.supervise import Ending, Supervisor

PAYLOAD_LIMIT: Final = 256 * 2**20
"""Bytes; the process of a function that returns more is killed and counts as crashed."""

_python = ctypes.PyDLL(None, use_errno=True)  # calls without releasing the interpreter
_python.fork.restype = ctypes.c_int


def call(
    function: Callable[[], bytes],
    limits: Limits,
    stop_fd: int | None = None,
    keep: Collection[int] = (),
    turn: int | None = None,
    *,
    pages: Pages | None = None,
    phases: Phases | None = None,
) -> Ending:
    """Call `function` in a forked process and wait for its end.

    The process keeps only those of the caller's descriptors that are in `keep`, so it cannot write
    to the caller's sockets, store or terminal.

    The caller may be a notebook, with threads and data. Memory that it holds beyond that of a fork
    server counts neither against the memory limit nor in the peak. Only programs that the function
    starts are then measured less precisely: their limit is higher by that amount, and the peak is
    None unless it exceeds the memory of the caller.

    `turn` is a descriptor of a file that several callers have opened. Of their functions, only one
    is executed at a time: a process waits for its turn when all else is done, and that time counts
    neither as its own nor against its limit.

    `pages` of earlier calls of such functions are copied before the function begins, so its time is
    not that of the kernel copying them.

    With `phases`, the function may show how far it is, and the process also gets SIGKILL at their
    cap.

    At the time limit, the process and all processes that it has started get SIGKILL. Processes that
    are left when it ends are killed as well, unless it crashes. Raises `Abandoned`, with all of
    them killed, as soon as `stop_fd` is readable, and `ExecutorError` if no process can be started.
    """
    if pages:
        pages.before_fork()
    with _fork_process(
        lambda _: function(), limits, stop_fd, keep, turn, pages=pages, phases=phases
    ) as supervisor:
        for _ in supervisor.reads():
            if len(supervisor.result) > PAYLOAD_LIMIT:
                supervisor.kill(Outcome.CRASHED, f"an answer of more than {PAYLOAD_LIMIT} bytes")
        if pages:
            pages.learn()
        return supervisor.ending()


Emit = Callable[[bytes], None]


def stream(
    function: Callable[[Emit], None], limits: Limits, keep: Collection[int] = ()
) -> Generator[bytes, None, Ending]:
    """Call `function` as `call` does, and yield each item when the function emits it.

    A function that emits faster than the caller reads has to wait. The generator returns the
    `Ending`, whose payload is empty.
    """

    def emitting(result_fd: int) -> bytes:
        def emit(item: bytes) -> None:
            write_all(result_fd, HEADER.pack(ITEM, len(item)), item)

        function(emit)
        return b""

    with _fork_process(emitting, limits, None, keep, None) as supervisor:
        for _ in supervisor.reads():
            yield from supervisor.items()
        yield from supervisor.items()
        return supervisor.ending()


@contextlib.contextmanager
def _fork_process(
    function: Callable[[int], bytes],
    limits: Limits,
    stop_fd: int | None,
    keep: Collection[int],
    turn: int | None,
    *,
    pages: Pages | None = None,
    phases: Phases | None = None,
) -> Iterator[Supervisor]:
    by_cgroup = limits.memory_by is MemoryBy.CGROUP
    group = MemoryGroup.create(limits.memory_bytes) if by_cgroup else None
    result_read, result_write = os.pipe()
    output_read, output_write = os.pipe()
    began_read, began_write = os.pipe()
    started = monotonic()
    parent = os.getpid()
    try:
        pid = fork()
    except ExecutorError:
        _close(result_read, result_write, output_read, output_write, began_read, began_write)
        if group:
            group.remove()
        raise
    if pid == 0:
        try:
            if group:
                group.enter()
            child.execute(
                function,
                limits,
                parent,
                result_fd=result_write,
                output_fd=output_write,
                began_fd=began_write,
                keep=keep,
                turn=turn,
                pages=pages,
            )
        finally:
            child.give_up()
    _close(result_write, output_write, began_write)
    with contextlib.suppress(OSError):
        os.setpgid(pid, pid)  # the child does the same, since either may run first
    supervisor = Supervisor(
        pid,
        result_fd=result_read,
        output_fd=output_read,
        began_fd=began_read,
        stop_fd=stop_fd,
        turn=turn,
        limits=limits,
        started=started,
        group=group,
        phases=phases,
    )
    try:
        yield supervisor
    finally:
        supervisor.close()
        scratch.sweep()


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def fork() -> int:
    """Fork without the hooks that Python runs in the child, which saves 0.5 ms.

    The hooks seed the generators of `random` and replace locks that other threads may hold. A fork
    server has no other threads, and measurements should all start from the same random state. The
    hooks take time because they write to 200 pages, each of which has to be copied.

    With threads, as in a notebook, the hooks are needed: if a thread of the parent was waiting for
    the interpreter, the child would otherwise wait for that thread forever.
    """
    if len(sys._current_frames()) > 1:
        return _fork_beside_threads()
    pid = int(_python.fork())
    if pid < 0:
        number = ctypes.get_errno()
        raise ExecutorError(f"cannot start a process: {os.strerror(number)}")
    return pid


def _fork_beside_threads() -> int:
    with warnings.catch_warnings():
        # Python warns about locks that other threads hold. The child only takes Python's own locks.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return os.fork()
        except OSError as error:
            raise ExecutorError(f"cannot start a process: {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class Isolation:
    """Makes calls that are stopped when `stop_fd` is readable, and wait for their `turn` if there
    is one. Before each call, `tell` receives what is being done and how many seconds it may take.
    """

    stop_fd: int | None = None
    tell: Callable[[str, float], Any] = lambda _doing, _limit_s: None
    turn: int | None = None

    def call(
        self,
        doing: str,
        function: Callable[[], bytes],
        limits: Limits,
        keep: Collection[int] = (),
        *,
        pages: Pages | None = None,
        phases: Phases | None = None,
    ) -> Ending:
        """See `isolate.call`."""
        self.tell(doing, limits.longest_s)
        return call(function, limits, self.stop_fd, keep, self.turn, pages=pages, phases=phases)
