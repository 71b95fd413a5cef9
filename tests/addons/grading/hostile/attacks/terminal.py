"""Types on the terminal of the teacher."""

import contextlib
import fcntl
import glob
import os

from attack import broken

for name in ("/dev/tty", "/dev/console", "/dev/ptmx", *glob.glob("/dev/pts/*")):
    with contextlib.suppress(OSError):
        fd = os.open(name, os.O_RDWR | os.O_NOCTTY)
        fcntl.ioctl(fd, 0x5412, b"\0")
        broken(name)
