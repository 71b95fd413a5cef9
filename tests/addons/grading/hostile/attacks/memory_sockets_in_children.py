"""What waits in pairs of sockets, of several processes."""

import contextlib
import socket

from attack import GOAL, held, in_children

kept = []


def keep():
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
