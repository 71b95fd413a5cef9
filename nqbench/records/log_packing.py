"""Logs: what a run printed, compressed as it is stored and sent."""

import zlib
from typing import Final

from nqbench.common.errors import InputError
from nqbench.isolate.printed import KEPT

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
