"""Leaves a process that has a session of its own, and closes all that it has open."""

import os
import time

for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        os.closerange(0, 100)
        if os.fork() == 0:
            time.sleep(30)
        os._exit(0)
