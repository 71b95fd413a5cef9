"""Connects to a socket that has a name and no file."""

import socket

from attack import TEACHER, allowed

allowed("connected to a name", lambda: socket.socket(1).connect("\0" + TEACHER["abstract"]))
allowed(
    "sent to a name",
    lambda: socket.socketpair(1, socket.SOCK_DGRAM)[0].sendto(b"x", "\0" + TEACHER["abstract"]),
)
