"""Opens sockets of other kinds: raw, of the kernel, of virtual machines, for ciphers."""

import socket

from attack import allowed

for family, kind in ((socket.AF_INET, socket.SOCK_RAW), (16, 3), (40, 1), (38, 5), (17, 3)):
    allowed(f"a socket of family {family}", lambda: socket.socket(family, kind))
