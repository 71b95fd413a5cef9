"""Reads standard output and standard error of a program apart, and shows both as one log."""

import os
import select
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from nqbench.common.errors import NqbenchError

if TYPE_CHECKING:
    import subprocess

_PIECE: Final = 1 << 20
_MOST_HELD: Final = 1 << 16
_HELD_MS: Final = 100


def read_apart(
    process: "subprocess.Popen[bytes]",
    limit: int,
    show: Callable[[bytes], None] | None,
    hear: Callable[[bytes], None] | None = None,
) -> tuple[bytes, bytes]:
    """Return what a program writes to standard output and to standard error, until it has closed
    both. Every piece is shown at once, since this process may be killed any time. `hear` gets the
    pieces of standard output.

    Kills the program and raises `NqbenchError` if it prints more than `limit` bytes.
    """
    assert process.stdout is not None
    assert process.stderr is not None
    printed = {process.stdout.fileno(): bytearray(), process.stderr.fileno(): bytearray()}
    log = ByLine(show)
    poll = select.poll()
    for descriptor in printed:
        poll.register(descriptor, select.POLLIN)
    still_open = len(printed)
    while still_open:
        ready = poll.poll(_HELD_MS if log.holds else None)
        if not ready:
            log.release()
        for descriptor, _ in ready:
            piece = os.read(descriptor, _PIECE)
            if not piece:
                poll.unregister(descriptor)
                still_open -= 1
                log.release()
            printed[descriptor] += piece
            if sum(map(len, printed.values())) > limit:
                process.kill()
                raise NqbenchError(f"printed more than {limit} bytes")
            log.add(descriptor, piece)
            if hear and descriptor == process.stdout.fileno():
                hear(piece)
    output, errors = printed.values()
    return bytes(output), bytes(errors)


class ByLine:
    """Shows two streams as one, in the order in which their pieces arrive, but none inside a line
    of the other. What has to wait for the end of a line is held for a moment only.
    """

    def __init__(self, show: Callable[[bytes], None] | None) -> None:
        self._show = show
        self._inside: int | None = None
        self._held = bytearray()

    @property
    def holds(self) -> bool:
        """Whether one stream waits for the other."""
        return bool(self._held)

    def add(self, stream: int, piece: bytes) -> None:
        """Show a piece of a stream."""
        if not piece or self._show is None:
            return
        if self._inside not in (None, stream):
            self._held += piece
            self._waiting = stream
            if len(self._held) > _MOST_HELD:
                self.release()
            return
        line, end, rest = piece.rpartition(b"\n")
        if self._held and end:
            self._put(stream, line + end)
            self.release()
            self.add(stream, rest)
        else:
            self._put(stream, piece)

    def release(self) -> None:
        """Show what is held, even inside a line."""
        if self._held:
            held_bytes, self._held = bytes(self._held), bytearray()
            self._put(self._waiting, held_bytes)

    def _put(self, stream: int, piece: bytes) -> None:
        assert self._show is not None
        self._show(piece)
        self._inside = None if piece.endswith(b"\n") else stream
