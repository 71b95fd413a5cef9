"""What a process prints: both ends of it, since it may print for ever; and these as a log,
compressed as it is stored and sent.
"""

import re
import zlib
from typing import Final

from nqbench.common.errors import InputError

KEPT: Final = 512 * 2**10
"""Bytes that are kept of each end."""

LEFT_OUT: Final = re.compile(rb"\[nqbench left out \d+ bytes\]")
"""Matches the line between both ends."""


class Printed:
    """Takes what a process prints piece by piece, and keeps the first and the last `KEPT` bytes."""

    def __init__(self) -> None:
        self.size = 0
        self._first = bytearray()
        self._last = bytearray()

    def add(self, piece: bytes) -> None:
        """Take the next piece."""
        self.size += len(piece)
        room = KEPT - len(self._first)
        self._first += piece[:room]
        self._last += piece[room:]
        # Not for each piece: to move the rest takes time.
        if len(self._last) > 2 * KEPT:
            del self._last[:-KEPT]

    def content(self) -> bytes:
        """Everything, or both ends with a line between them that says how much was left out."""
        left_out = self.size - len(self._first) - KEPT
        if left_out <= 0:
            return bytes(self._first + self._last)
        line = f"\n[nqbench left out {left_out} bytes]\n".encode()
        return bytes(self._first + line + self._last[-KEPT:])

    def end(self, count: int) -> bytes:
        """The last `count` bytes, at most `KEPT`."""
        if len(self._last) >= count:
            return bytes(self._last[-count:])
        return bytes((self._first[-count:] + self._last)[-count:])


LARGEST: Final = 2 * KEPT + 1000
"""The largest log in bytes, with the line that says what was left out."""


def pack_log(printed: bytes) -> bytes:
    """The compressed log."""
    return zlib.compress(printed)


def unpack_log(log: object) -> bytes:
    """What `packed` compressed. Raises `InputError` for anything else, such as a log that is too
    large to be one.
    """
    if not isinstance(log, bytes):
        raise InputError(f"a log of type {type(log).__name__}")
    unpacking = zlib.decompressobj()
    try:
        printed = unpacking.decompress(log, LARGEST + 1)
    except zlib.error as error:
        raise InputError(f"a damaged log: {error}") from error
    if not unpacking.eof or unpacking.unused_data or len(printed) > LARGEST:
        raise InputError("a damaged log")
    return printed
