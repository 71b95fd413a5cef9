"""Sends a packet by UDP to a server of this machine."""

import socket

from attack import TEACHER, allowed


def send():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(
        b"BROKEN", ("127.0.0.1", TEACHER["udp"])
    )


allowed("sent a packet", send) if TEACHER["sees_network"] else None
