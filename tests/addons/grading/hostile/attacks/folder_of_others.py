"""Reads what other runs have in their folders, and lists the teacher's."""

import contextlib
import os

from attack import TEACHER, broken

for place in ("/dev/shm", "/tmp", "/var/tmp", "/root", "/home", TEACHER["folder"]):
    with contextlib.suppress(OSError):
        for name in os.listdir(place):
            if name == os.path.basename(TEACHER["old"]):
                broken("a folder of the teacher is listed")
            for below in ("", *os.listdir(os.path.join(place, name))):
                if "nqbench" in name or below.startswith("nq-"):
                    broken(f"{place}/{name} is seen")
