"""Shared memory without a file, in processes that are each below the limit."""

import mmap

from attack import GOAL, held, in_children

kept = []


def share():
    memory = mmap.mmap(-1, GOAL // 4)
    for at in range(0, GOAL // 4, mmap.PAGESIZE):
        memory[at] = 1
    kept.append(memory)


held(in_children(4, share) * GOAL // 4)
