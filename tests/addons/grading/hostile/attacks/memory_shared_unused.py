"""The same, of which the pages are then taken out of the processes, but not given back."""

import mmap

from attack import GOAL, held, in_children

kept = []


def share():
    for _ in range(4):
        memory = mmap.mmap(-1, GOAL // 16)
        for at in range(0, GOAL // 16, mmap.PAGESIZE):
            memory[at] = 1
        memory.madvise(mmap.MADV_DONTNEED)
        kept.append(memory)


held(in_children(4, share) * GOAL // 4)
