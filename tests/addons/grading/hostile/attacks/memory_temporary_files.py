"""Files that never had a name (O_TMPFILE)."""

import contextlib
import os

from attack import GOAL, MIB, held

size = 0
with contextlib.suppress(OSError):
    while size < GOAL:
        fd = os.open(".", os.O_RDWR | os.O_TMPFILE)
        for _ in range(16):
            os.write(fd, bytes(MIB))
            size += MIB
held(size)
