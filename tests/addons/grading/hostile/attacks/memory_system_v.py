"""Segments of System V, filled and let go."""

import ctypes

from attack import GOAL, MIB, call, held, libc

size = 0
for _ in range(GOAL // (32 * MIB)):
    number = call("shmget", 0, 32 * MIB, 0o1600)
    if number < 0:
        break
    place = call("shmat", number, None, 0)
    if -4096 < place < 0:
        break
    ctypes.memset(place, 1, 32 * MIB)
    libc().shmdt(ctypes.c_void_p(place))
    size += 32 * MIB
held(size)
