"""Looks for a process of the teacher."""

import contextlib
import os

from attack import TEACHER, broken

pid = TEACHER["bystander"]
with contextlib.suppress(OSError):
    if any(
        b"bystander" in open(f"/proc/{name}/cmdline", "rb").read()
        for name in os.listdir("/proc")
        if name.isdigit()
    ):
        broken("its command line is read")
try:
    os.getsid(pid)
    broken("it is found")
except OSError:
    pass
