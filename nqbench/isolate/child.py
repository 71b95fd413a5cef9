"""What happens in a forked process: it cuts itself off, limits itself, calls the function, and
tells what became of it.
"""

import contextlib
import gc
import os
import resource
import traceback
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final, NoReturn

from nqbench.errors import NqbenchError
from nqbench.isolate.frames import HEADER, INHERITED, MEMORY, RAISED, RETURNED, write_all
from nqbench.isolate.processes import (
    Size,
    adopt_orphans,
    die_with_parent,
    kill_children,
    own_size,
    peak_rss,
)
from nqbench.limits import Limits, apply_to_this_process

_ORDINARY: Final = Size(address_space=256 * 2**20, resident=24 * 2**20)
"""A process that has imported a few solvers, as a fork server has, is about half as large."""

_NOT_DONE: Final = 70
"""The exit status of a process that could not tell what became of it: EX_SOFTWARE."""


def execute(
    function: Callable[[int], bytes],
    limits: Limits,
    parent: int,
    *,
    result_fd: int,
    output_fd: int,
    keep: Collection[int],
) -> NoReturn:
    """Call the function, which is given `result_fd`, in this process, just forked by `parent`; tell
    there what became of it, and end.

    What is printed goes to `output_fd`. Of the descriptors it was born with it keeps these and
    those to `keep`; of what it has started, nothing is left.
    """
    _belong_to(parent)
    _keep_descriptors(result_fd, output_fd, keep)
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
        tag, payload = RAISED, _told(error)
    write_all(result_fd, HEADER.pack(tag, _peak(inherited.resident)), payload)
    kill_children()
    os._exit(0)


def give_up() -> NoReturn:
    """End this process, which could not tell what became of it."""
    os._exit(_NOT_DONE)


def _belong_to(parent: int) -> None:
    """End with the parent, if that has not ended already, and be found with all that is started."""
    os.setpgid(0, 0)
    die_with_parent()
    # The caller may be any process, with children of its own: only this one knows what was
    # started here.
    adopt_orphans()
    if os.getppid() != parent:
        give_up()


def _keep_descriptors(result_fd: int, output_fd: int, keep: Collection[int]) -> None:
    """Read nothing, print there, and keep no other descriptor than these."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output_fd, 1)
    os.dup2(output_fd, 2)
    _close_all_but({0, 1, 2, result_fd, *keep})


def _close_all_but(kept: Collection[int]) -> None:
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - each object costs a page
        if int(name) not in kept:
            with contextlib.suppress(OSError):  # the one of this very list
                os.close(int(name))


def _inherited() -> Size:
    """What this process was born with beyond what is ordinary, if it has done nothing yet."""
    now = own_size()
    address_space = max(0, now.address_space - _ORDINARY.address_space)
    return Size(address_space, max(0, now.resident - _ORDINARY.resident))


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


def _told(error: BaseException) -> bytes:
    """What was raised, and where, if that was not on purpose."""
    told = str(error) if isinstance(error, NqbenchError) else _with_place(error)
    return told.encode(errors="replace")


def _with_place(error: BaseException) -> str:
    what = traceback.format_exception_only(error)[-1].strip()
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"{what} ({Path(where.filename).name}, line {where.lineno}, in {where.name})"
