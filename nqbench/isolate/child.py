"""Runs in the forked process: limits it, calls the function, and reports the result."""

import errno
import fcntl
import gc
import itertools
import os
import resource
import traceback
from collections.abc import Callable, Collection
from pathlib import Path
from time import monotonic, process_time
from typing import Final, NoReturn

from nqbench.common.errors import NqbenchError
from nqbench.common.limits import Limits, apply_to_this_process
from nqbench.isolate import guard
from nqbench.isolate.frames import (
    BEGAN,
    HEADER,
    INHERITED,
    MEMORY,
    RAISED,
    RETURNED,
    write_all,
)
from nqbench.isolate.pages import Pages
from nqbench.isolate.processes import (
    Size,
    adopt_orphans,
    die_with_parent,
    kill_children,
    own_size,
    peak_rss,
)

_ORDINARY: Final = Size(address_space=256 * 2**20, resident=24 * 2**20)
"""About twice the size of a fork server, which has imported a few solvers."""

_DESCRIPTORS: Final = resource.getrlimit(resource.RLIMIT_NOFILE)[1] % 2**31
"""No descriptor is as large as this. Infinity, which is -1, becomes the largest int."""

_NOT_DONE: Final = 70
"""The exit status of a process that could not report its result (EX_SOFTWARE)."""


def execute(
    function: Callable[[int], bytes],
    limits: Limits,
    parent: int,
    *,
    result_fd: int,
    output_fd: int,
    began_fd: int,
    keep: Collection[int],
    turn: int | None,
    pages: Pages | None,
) -> NoReturn:
    """Call the function with `result_fd` in this process, which `parent` has just forked; write the
    result to `result_fd`, and exit. When the function begins, `BEGAN` goes to `began_fd`. It begins
    when `turn` can be locked.

    Output goes to `output_fd`. All other inherited descriptors are closed, except those in `keep`.
    Processes that the function has started are killed.
    """
    _belong_to(parent)
    turns = () if turn is None else (turn,)
    inherited = Size(0, 0)
    try:
        _keep_descriptors(result_fd, output_fd, {began_fd, *keep, *turns})
        # Measured here and not in the parent, which may have mappings that a fork does not inherit.
        inherited = _inherited()
        if inherited.resident:
            write_all(result_fd, HEADER.pack(INHERITED, inherited.resident))
        # Reset the peak, which would otherwise be the parent's.
        os.write(os.open("/proc/self/clear_refs", os.O_WRONLY), b"5")
        # A process for one call does not need the garbage collector, which makes lists of clauses 6
        # to 10 times slower.
        gc.disable()
        apply_to_this_process(limits, inherited.address_space)
        if pages:
            pages.copy()
        ready = monotonic()
        for descriptor in turns:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            os.close(descriptor)  # which does not unlock it: the parent has it too
        # The function cannot change what was written before it, once this end is closed.
        began = monotonic()
        os.write(began_fd, BEGAN.pack(began, process_time(), began - ready))
        os.close(began_fd)
        tag, payload = RETURNED, function(result_fd)
    except MemoryError:
        tag, payload = MEMORY, b""
    except BaseException as error:
        # Since Python 3.13, to read more than there is memory for is such an OSError.
        if isinstance(error, OSError) and error.errno == errno.ENOMEM:
            tag, payload = MEMORY, b""
        else:
            tag, payload = RAISED, describe_error(error).encode(errors="replace")
    write_all(result_fd, HEADER.pack(tag, _peak(inherited.resident)), payload)
    if pages:
        pages.tell()
    kill_children()
    os._exit(0)


def give_up() -> NoReturn:
    """Exit this process, which could not report its result."""
    os._exit(_NOT_DONE)


def _belong_to(parent: int) -> None:
    """End when the parent ends, or now if it has ended, and adopt orphans so they can be killed."""
    os.setpgid(0, 0)
    guard.note_called()
    die_with_parent()
    # The caller may have other children, so it could not know which processes were started here.
    adopt_orphans()
    if os.getppid() != parent:
        give_up()


def _keep_descriptors(result_fd: int, output_fd: int, keep: Collection[int]) -> None:
    """Make the input empty, print to `output_fd`, and close all other descriptors."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output_fd, 1)
    os.dup2(output_fd, 2)
    # Not one after the other: to list them costs more than all calls here.
    for descriptor, next_descriptor in itertools.pairwise(
        sorted({2, result_fd, *keep, _DESCRIPTORS})
    ):
        os.closerange(descriptor + 1, next_descriptor)


def _inherited() -> Size:
    """The inherited size of this process beyond an ordinary fork server. Call it first."""
    size = own_size()
    address_space = max(0, size.address_space - _ORDINARY.address_space)
    return Size(address_space, max(0, size.resident - _ORDINARY.resident))


def _peak(inherited_bytes: int) -> int:
    """Bytes of the largest resident set of this process or a program that it has started; 0 if
    unknown.
    """
    own = peak_rss(os.getpid()) or 0
    # The peak of a program, or of this process when it started the program: exec inherits it.
    programs = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    if programs > own:
        return programs
    # The peak of this process includes what it has inherited, which may hide one of a program.
    if programs and inherited_bytes:
        return 0
    return max(0, own - inherited_bytes)


def describe_error(error: BaseException) -> str:
    """The message of an exception, with its place if it was not raised on purpose."""
    return str(error) if isinstance(error, NqbenchError) else _with_place(error)


def _with_place(error: BaseException) -> str:
    text = traceback.format_exception_only(error)[-1].strip()
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"{text} ({Path(where.filename).name}, line {where.lineno}, in {where.name})"
