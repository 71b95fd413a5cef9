"""The frames that a forked process sends to its supervisor.

It writes them to a pipe. Each starts with a header of a tag and a number. If the process was forked
from a large one, the first frame is `INHERITED` with the inherited resident bytes. Any number of
items follow, each `ITEM` with its length. The last frame has a tag for the result, the peak memory
in bytes, and what the function returned or raised.
"""

import os
import struct
from typing import Final

RETURNED, RAISED, MEMORY, ITEM, INHERITED = b"R", b"X", b"M", b"I", b"B"
HEADER: Final = struct.Struct("<cq")

BEGAN: Final = struct.Struct("<ddd")
"""What a forked process writes to a separate pipe right before it calls the function: the time
(`time.monotonic`), the CPU time that it has used, and how long it has waited for its turn. The
supervisor is not woken by it.
"""


def write_all(descriptor: int, *pieces: bytes | memoryview) -> None:
    """Write all bytes, in several calls: one call takes at most 2 GiB, and less for a pipe."""
    for piece in pieces:
        remainder = memoryview(piece)
        while remainder:
            remainder = remainder[os.write(descriptor, remainder) :]
