"""What waits in pairs of sockets, of processes that nobody may look into."""

import contextlib
import ctypes
import socket

from attack import GOAL, held, in_children

kept = []


def keep():
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    size = 0
    while size < GOAL // 20:
        ends = socket.socketpair()
        kept.append(ends)
        for end in ends:
            end.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    size += end.send(bytes(65536))


held(in_children(20, keep) * GOAL // 20)
