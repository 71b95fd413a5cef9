"""Leaves a file for a later submission in every place, or finds one."""

import contextlib
import os

from attack import broken

places = (".", "..", "/tmp", "/var/tmp", "/dev/shm", "/box", "/run/user/0")
paths = [os.path.join(place, "for-later") for place in places]
for path in filter(os.path.exists, paths):
    broken(f"{path} is of an earlier submission")
for path in paths:
    with contextlib.suppress(OSError):
        open(path, "w").close()
