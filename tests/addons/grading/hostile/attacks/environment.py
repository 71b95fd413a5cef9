"""Reads the environment that processes were started with."""

import contextlib
import os
from pathlib import Path

print(os.environ)
for path in [
    *Path("/proc").glob("[0-9]*/environ"),
    Path("/proc/self/environ"),
    Path("/proc/1/environ"),
]:
    with contextlib.suppress(OSError):
        print(path.read_bytes())
for number in range(os.getppid() - 50, os.getppid() + 50):  # if /proc cannot be listed
    with contextlib.suppress(OSError):
        print(Path(f"/proc/{number}/environ").read_bytes())
