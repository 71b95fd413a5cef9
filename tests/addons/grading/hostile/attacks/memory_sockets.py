"""What waits in pairs of sockets."""

import contextlib
import socket

from attack import GOAL, held

kept = []
size = 0
with contextlib.suppress(OSError):
    while size < GOAL:
        ends = socket.socketpair()
        kept.append(ends)
        for end in ends:
            with contextlib.suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**30)
            end.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    size += end.send(bytes(65536))
held(size)
