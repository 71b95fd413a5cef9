"""Kills the programs of a called process if that is killed.

The kernel kills a called process when its caller ends, but not the programs that it has started.
They would become orphans that nobody can find. So a shell waits at a pipe that only the called
process can write to: when the pipe closes, the process has ended, and the shell kills its programs.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

_SCRIPT: Final = 'while read -r group; do groups="$groups -$group"; done; kill -s KILL -- $groups'


@dataclass(slots=True)
class _Here:
    """What this process is, and the pipe to its shell."""

    is_called: bool = False
    has_owner: bool = False
    pipe: int | None = None


_here = _Here()


def note_called() -> None:
    """Note that this process was called, and that the group of processes is its own."""
    _here.is_called, _here.pipe = True, None


def is_called() -> bool:
    """Whether this process was called by `isolate`, and so has limits."""
    return _here.is_called


def note_owner() -> None:
    """Note that this process kills all that it has called when its owner ends: a fork server."""
    _here.has_owner = True


def kill_own_group() -> None:
    """Have the programs that this process starts in its group killed if it is killed. Does nothing
    in a process that was not called, or by a fork server.
    """
    if (pipe := _pipe()) is not None:
        _tell(pipe, os.getpgrp())


def kill_new_group() -> Callable[[], None] | None:
    """The same for a program in a process group of its own: what it must call before exec. None if
    there is nothing to call.
    """
    pipe = _pipe()
    return None if pipe is None else lambda: _tell(pipe, os.getpid())


def _tell(pipe: int, group: int) -> None:
    with suppress(OSError):  # without the shell, programs work as before
        os.write(pipe, b"%d\n" % group)


def _pipe() -> int | None:
    """The pipe to the shell of this process, which is started if it is needed."""
    if not _here.is_called or _here.has_owner:
        return None
    if _here.pipe is None:
        with suppress(OSError):
            _here.pipe = _start_guard()
    return _here.pipe


def _start_guard() -> int:
    """Start the shell, and return the end of the pipe that stays open as long as this process."""
    null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    read_end, write_end = os.pipe()
    try:
        os.posix_spawn(
            "/bin/sh",
            ["sh", "-c", _SCRIPT],
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, read_end, 0), *null],
            setsid=True,
        )
    finally:
        os.close(read_end)
    return write_end
