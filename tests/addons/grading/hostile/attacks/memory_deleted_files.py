"""Files that are open and have no name any more."""

import contextlib
import os

from attack import GOAL, MIB, held

size = 0
with contextlib.suppress(OSError):
    while size < GOAL:
        fd = os.open("x", os.O_RDWR | os.O_CREAT)
        os.remove("x")
        for _ in range(16):
            os.write(fd, bytes(MIB))
            size += MIB
held(size)
