"""Closes the holes in the memory of a process before others are forked from it.

What a process has freed lies scattered between what it still uses. `malloc` hands out such holes
first, so a forked process soon writes to many pages, and the kernel has to copy each of them. If
there are no holes, it gets new memory, in one piece.
"""

import ctypes
from typing import Final

_LARGEST: Final = 110_000
"""Bytes; from 128 KiB on, memory comes from the kernel and not from holes."""

_SMALLEST: Final = 24
"""Bytes of the smallest block that `malloc` of glibc hands out on a system of 64 bits."""

_MOST: Final = 64 * 2**20


def close_holes() -> None:
    """Allocate every hole for good. They are a few hundred kilobytes after the usual imports."""
    libc = ctypes.CDLL(None)
    malloc, free = libc.malloc, libc.free
    malloc.restype, malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    free.restype, free.argtypes = None, [ctypes.c_void_p]
    # No hole is this large after malloc has joined what is free, so this is behind all holes.
    end = malloc(_LARGEST)
    free(end)
    size, closed_bytes = _LARGEST, 0
    while size >= _SMALLEST and closed_bytes < _MOST:
        hole = malloc(size)
        if hole and hole < end:
            closed_bytes += size
            continue
        free(hole)
        size -= max(8, size // 10)
