"""Shared memory of /dev/zero, which belongs to no file either."""

import contextlib
import mmap
import os

from attack import GOAL, held

kept = []
size = 0
with contextlib.suppress(OSError):
    zero = os.open("/dev/zero", os.O_RDONLY)
    for _ in range(16):
        memory = mmap.mmap(zero, GOAL // 16, mmap.MAP_SHARED, mmap.PROT_READ)
        for at in range(0, GOAL // 16, mmap.PAGESIZE):
            memory[at]
        memory.madvise(mmap.MADV_DONTNEED)
        kept.append(memory)
        size += GOAL // 16
held(size)
