"""What waits in pipes of several processes."""

import contextlib
import fcntl
import os

from attack import GOAL, held, in_children


def keep():
    size = 0
    with contextlib.suppress(OSError):
        while size < GOAL // 20:
            _, writing = os.pipe()
            with contextlib.suppress(OSError):
                fcntl.fcntl(writing, 1031, 2**20)
            os.set_blocking(writing, False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    size += os.write(writing, bytes(65536))
    if size < GOAL // 20:
        os._exit(1)


held(in_children(20, keep) * GOAL // 20)
