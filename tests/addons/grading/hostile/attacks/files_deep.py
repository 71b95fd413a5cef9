"""Leaves folders in folders, deeper than a path can be long."""

import contextlib
import os

with contextlib.suppress(OSError):
    for _ in range(3000):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
