"""What a forked process says of itself to the one who follows it.

It writes frames into a pipe, each a header of a tag and a number. If it was forked from a large
process, the first is `INHERITED` and the bytes of that which are resident. Any number of items
follow, each `ITEM` and its length. The last is what became of it, its peak memory in bytes, and
what the function returned or raised.
"""

import os
import struct
from typing import Final

RETURNED, RAISED, MEMORY, ITEM, INHERITED = b"R", b"X", b"M", b"I", b"B"
HEADER: Final = struct.Struct("<cq")


def write_all(descriptor: int, *pieces: bytes | memoryview) -> None:
    """Write all bytes: one call to the kernel takes 2 GiB at most, and a pipe less."""
    for piece in pieces:
        rest = memoryview(piece)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
