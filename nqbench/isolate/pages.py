"""Has a forked process copy fewer pages, and those that it needs before its function begins.

After a fork, both processes have the same pages of memory, and the kernel copies a page when one of
them first writes to it. A function of a few milliseconds would spend most of its time on that. The
pages are known from earlier calls: the same code writes to the same ones.
"""

import ctypes
import mmap
import os
from functools import partial
from pathlib import Path
from typing import Final

_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_WORD_BYTES: Final = 8
"""Of /proc/self/pagemap, for a page; see Documentation/admin-guide/mm/pagemap.rst."""

_IS_OWN: Final = 1 << 56
"""The bit of a word that is set if no other process has the page."""

_POPULATE_WRITE: Final = 23
"""See madvise(2). Linux has it since 5.14; an older kernel refuses, and no page is copied."""

_GAP: Final = 1
"""A page between two that are written to is copied as well: another system call takes longer."""

_CALLS: Final = 3
"""So many calls report which pages they write to, before any is copied."""

_OFTEN: Final = 2
"""Pages that so many of them write to are copied, since each copy takes about a microsecond."""

_libc = ctypes.PyDLL(None)  # calls without releasing the interpreter
_madvise = _libc.madvise
_madvise.argtypes = [ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]

_process_madvise = partial(_libc.syscall, 440, -10_000)
"""See process_madvise(2), of this process: in one call for all blocks. Linux has it since 6.14, for
at most 1024 blocks.
"""


class _Block(ctypes.Structure):
    _fields_ = (("address", ctypes.c_size_t), ("size", ctypes.c_size_t))


class Pages:
    """The pages of this process that calls of one kind write to, in a forked process each."""

    def __init__(self) -> None:
        import numpy as np  # only servers have pages, and the help of a command none

        self._regions = _writable_regions()
        self._total = sum(pages for _, pages in self._regions)
        self._writes = np.zeros(self._total, np.uint8)
        self._blocks, self._size = (_Block * 0)(), 0
        self._calls = 0
        self._report: mmap.mmap | None = None

    def before_fork(self) -> None:
        """Prepare for what the process will report, while there is something to learn."""
        if self._calls < _CALLS:
            self._report = mmap.mmap(-1, 2 * self._total * _WORD_BYTES)

    def copy(self) -> None:
        """Copy the pages that will be written to. Call it right before the function."""
        self._tell(0)
        if _process_madvise(self._blocks, len(self._blocks), _POPULATE_WRITE, 0) != self._size:
            for block in self._blocks:
                _madvise(block.address, block.size, _POPULATE_WRITE)

    def tell(self) -> None:
        """Tell the parent what was written to, if it wants to know. Call it after the function."""
        self._tell(self._total * _WORD_BYTES)

    def _tell(self, at: int) -> None:
        if self._report is None:
            return
        words = memoryview(self._report)
        fd = os.open("/proc/self/pagemap", os.O_RDONLY)
        for address, pages in self._regions:
            size = pages * _WORD_BYTES
            os.preadv(fd, [words[at : at + size]], address // _PAGE_BYTES * _WORD_BYTES)
            at += size

    def learn(self) -> None:
        """Note what the process has reported, after its end.

        It may have reported anything, but can only choose among the pages of the parent.
        """
        if self._report is None:
            return
        import numpy as np

        words = np.frombuffer(self._report, np.uint64).reshape(2, -1)
        before, after = (words & np.uint64(_IS_OWN)) != 0
        self._writes += after & ~before
        self._report, self._calls = None, self._calls + 1
        if self._calls == _CALLS:
            blocks = self._frequent_blocks()
            self._blocks = (_Block * len(blocks))(*blocks)
            self._size = sum(block.size for block in blocks)

    def _frequent_blocks(self) -> list[_Block]:
        """Each block of pages to copy."""
        import numpy as np

        blocks, at = [], 0
        for address, pages in self._regions:
            positions = np.flatnonzero(self._writes[at : at + pages] >= _OFTEN)
            at += pages
            for block in np.split(positions, np.flatnonzero(np.diff(positions) > _GAP + 1) + 1):
                if block.size:
                    size = int(block[-1] - block[0] + 1) * _PAGE_BYTES
                    blocks.append(_Block(address + int(block[0]) * _PAGE_BYTES, size))
        return blocks


def _writable_regions() -> list[tuple[int, int]]:
    """The first address and the number of pages of all memory that a fork shares until it is
    written to.
    """
    regions = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, rights, *_ = line.split(None, 2)
        if rights == "rw-p":
            start, end = (int(address, 16) for address in addresses.split("-"))
            regions.append((start, (end - start) // _PAGE_BYTES))
    return regions


_LARGEST_HOLE: Final = 110_000
"""Bytes; from 128 KiB on, memory comes from the kernel and not from holes."""

_SMALLEST_HOLE: Final = 24
"""Bytes of the smallest block that `malloc` of glibc hands out on a system of 64 bits."""

_MOST_CLOSED: Final = 64 * 2**20


def close_holes() -> None:
    """Close the holes in the memory of this process before others are forked from it.

    What a process has freed lies scattered between what it still uses. `malloc` hands out such
    holes first, so a forked process soon writes to many pages. If there are no holes, it gets new
    memory, in one piece. They are a few hundred kilobytes after the usual imports.
    """
    libc = ctypes.CDLL(None)
    malloc, free = libc.malloc, libc.free
    malloc.restype, malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    free.restype, free.argtypes = None, [ctypes.c_void_p]
    # No hole is this large after malloc has joined what is free, so this is behind all holes.
    end = malloc(_LARGEST_HOLE)
    free(end)
    size, closed_bytes = _LARGEST_HOLE, 0
    while size >= _SMALLEST_HOLE and closed_bytes < _MOST_CLOSED:
        hole = malloc(size)
        if hole and hole < end:
            closed_bytes += size
            continue
        free(hole)
        size -= max(8, size // 10)
