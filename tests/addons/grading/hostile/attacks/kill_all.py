"""Stops and kills whatever it can, and the first process by a signal that it handles."""

import contextlib
import os
import signal

from attack import TEACHER

if not TEACHER["sees_processes"]:
    for pid, number in (
        (1, signal.SIGINT),
        (-1, signal.SIGSTOP),
        (1, signal.SIGKILL),
        (-1, signal.SIGKILL),
    ):
        with contextlib.suppress(OSError):
            os.kill(pid, number)
