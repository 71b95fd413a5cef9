"""Folders nested so deeply that no path reaches the lowest, and recursion ends at them."""

import os
from pathlib import Path

DEPTH = 3000

NEST = """\
import os
for _ in range({depth}):
    os.mkdir({name!r}); os.chdir({name!r})
"""
"""A program that nests folders in its working folder."""


def nesting(depth=DEPTH, name="d" * 200):
    return NEST.format(depth=depth, name=name)


def nest(top, depth=DEPTH, name="d" * 200):
    """Nest folders below a new folder, without any that has a long path."""
    Path(top).mkdir()
    folder = os.open(top, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=folder)
        below = os.open(name, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    os.close(folder)
    return Path(top)
