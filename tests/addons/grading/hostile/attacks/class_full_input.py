"""A class that fills the pipe from which it gets the next n, and does not read it any more: whoever
writes to it waits.
"""

import contextlib
import os

from nqbench.plugin import LineEncoding

with contextlib.suppress(OSError):
    writing = os.open("/proc/self/fd/0", os.O_WRONLY | os.O_NONBLOCK)
    kept = os.dup(0)
    os.dup2(os.pipe()[0], 0)
    for size in (4096, 1):
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writing, b"x" * size)


class Mallory(LineEncoding):
    def constrain(self, cnf, x):
        raise ValueError
