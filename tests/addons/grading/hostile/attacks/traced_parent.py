"""Traces the parent and the first process, and reads and writes their memory."""

import contextlib
import ctypes
import os

from attack import broken

for pid in {1, os.getppid()} - {0}:
    if ctypes.CDLL(None).ptrace(16, pid, 0, 0) == 0:
        broken(f"process {pid} is traced")
    for name in ("mem", "maps", "environ", "fd/0"):
        with contextlib.suppress(OSError):
            os.close(os.open(f"/proc/{pid}/{name}", os.O_RDONLY))
            broken(f"/proc/{pid}/{name} is opened")
