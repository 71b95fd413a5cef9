"""Sends to a socket that is a file by one of a pair of sockets, without `socket` and `connect`."""

import socket

from attack import TEACHER, allowed

for kind in (socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_STREAM):
    allowed(
        "sent to a socket in a file",
        lambda: socket.socketpair(1, kind)[0].sendto(b"BROKEN", TEACHER["datagrams"]),
    )
