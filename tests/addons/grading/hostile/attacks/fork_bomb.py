"""Starts processes as long as it can, up to 200."""

import contextlib
import os
import time

from attack import broken

count = 0
with contextlib.suppress(OSError):
    while count < 200:
        if os.fork() == 0:
            time.sleep(5)
            os._exit(0)
        count += 1
if count >= 200:
    time.sleep(1)
    broken(f"{count} processes")
