"""Leaves a key for a later submission, or takes one."""

import ctypes

from attack import broken, call

content = ctypes.create_string_buffer(200)
for ring in (-4, -5):
    key = call("keyctl", 10, ring, b"user", b"left", 0)
    if key > 0:
        broken("a key of an earlier submission")
    call("add_key", b"user", b"left", b"for later", 9, ring)
