"""Connects by TCP to a server of this machine."""

import socket

from attack import TEACHER, allowed

allowed("connected", lambda: socket.create_connection(("127.0.0.1", TEACHER["tcp"]), 3))
