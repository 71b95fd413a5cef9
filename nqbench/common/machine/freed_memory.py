"""Keeps freed memory for the tables that a command makes next.

Otherwise `malloc` gives each large array back to the kernel, and so does jemalloc, which Polars
has, after a while. The kernel then clears the pages of the next one: a fifth of the time of a
summary of a million runs.
"""

import ctypes
import os
from typing import Final

_VARIABLE: Final = "_RJEM_MALLOC_CONF"
"""What jemalloc reads when Polars is imported."""

_OF_MALLOC: Final = ((-3, 32 * 2**20), (-1, 2**31 - 1))
"""M_MMAP_THRESHOLD, with its largest value, and M_TRIM_THRESHOLD of glibc."""


def keep_freed_memory() -> None:
    """Keep it until the process ends, which has to be soon. To be called before Polars is
    imported, which it does.
    """
    if mallopt := getattr(ctypes.CDLL(None), "mallopt", None):
        for option, value in _OF_MALLOC:
            mallopt(option, value)
    if _VARIABLE in os.environ:
        return
    os.environ[_VARIABLE] = "dirty_decay_ms:-1,muzzy_decay_ms:-1"
    import polars as pl  # noqa: F401

    del os.environ[_VARIABLE]  # other programs are started with what the user set
