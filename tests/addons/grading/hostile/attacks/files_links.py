"""Leaves links to a secret, by name and by number, and in the place of a folder."""

import contextlib
import os

from attack import TEACHER, broken

secret = TEACHER["secret"]
os.symlink(secret, "a.cnf")
os.symlink(os.path.dirname(secret), "folder")
os.symlink("/proc/self/fd/0", "b.cnf")
for way in (lambda: os.link(secret, "c.cnf"), lambda: os.link(f"/proc/self/root{secret}", "d.cnf")):
    with contextlib.suppress(OSError):
        way()
        broken("a hard link")
