"""Writes to whatever it can that is not its folder."""

import contextlib
import os

from attack import TEACHER, broken

own = os.getcwd()
places = {
    "/",
    "/tmp",
    "/dev",
    "/dev/shm",
    "/var/tmp",
    "/run",
    "/usr",
    "/etc",
    "/opt",
    "/home",
    "/root",
    "/proc",
    "/sys",
    "/srv",
    "/mnt",
}
places |= {
    TEACHER["folder"],
    os.path.dirname(os.__file__),
    TEACHER["package"],
    os.path.dirname(own),
}
for place in places:
    with contextlib.suppress(OSError):
        path = os.path.join(place, f"left-by-attack-{os.getpid()}")
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        is_own = os.path.realpath(path).startswith(("/box/", own + "/"))
        os.remove(path)
        if not is_own:
            broken(f"a file in {place}")
for name in (TEACHER["old"], "/etc/passwd", "/etc/ld.so.cache", os.__file__):
    with contextlib.suppress(OSError):
        os.close(os.open(name, os.O_WRONLY))
        broken(f"{name} is opened for writing")
