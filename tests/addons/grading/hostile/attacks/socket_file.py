"""Connects to a socket that is a file, as of tmux or ssh-agent."""

import socket

from attack import TEACHER, allowed

for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    name = TEACHER["stream" if kind == socket.SOCK_STREAM else "datagrams"]
    allowed("connected to a socket in a file", lambda: socket.socket(1, kind).connect(name))
