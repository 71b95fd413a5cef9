"""Writes into what it got as standard input."""

import contextlib
import os

from attack import GOAL, MIB, broken, held

size = 0
for place in ("/proc/self/fd/0", "/dev/stdin"):
    with contextlib.suppress(OSError):
        fd = os.open(place, os.O_RDWR)
        os.lseek(fd, 0, os.SEEK_END)
        while size < GOAL:
            os.write(fd, bytes(MIB))
            size += MIB
if size:
    broken("standard input grows")
held(size)
