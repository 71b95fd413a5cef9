"""Locks on single bytes of a file: the kernel keeps each, and nobody counts them."""

import contextlib
import fcntl
import os
import struct

from attack import broken

fd = os.open("locked", os.O_RDWR | os.O_CREAT)
count = 0
for command in (fcntl.F_SETLK, 37):
    with contextlib.suppress(OSError):
        for at in range(400_000, 0, -2):
            fcntl.fcntl(fd, command, struct.pack("hhqqi4x", 1, 0, at, 1, 0))
            count += 1
if count > 100_000:
    broken(f"{count} locks")
