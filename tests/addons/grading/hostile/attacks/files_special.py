"""Leaves pipes, sockets and devices."""

import contextlib
import os
import stat

from attack import broken

os.mkfifo("pipe.cnf")
for kind, number in (
    (stat.S_IFBLK, os.makedev(254, 0)),
    (stat.S_IFBLK, os.makedev(8, 0)),
    (stat.S_IFCHR, os.makedev(1, 5)),
):
    with contextlib.suppress(OSError):
        os.mknod(f"device{number}", kind | 0o666, number)
        os.close(os.open(f"device{number}", os.O_RDONLY))
        broken("a device")
