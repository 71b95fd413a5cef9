"""Gives pages to pipes, which then keep them."""

import ctypes
import os

from attack import broken, libc

memory = ctypes.create_string_buffer(1 << 16)
vector = (ctypes.c_void_p * 2)(ctypes.addressof(memory), 1 << 16)
if libc().vmsplice(os.pipe()[1], vector, 1, 0) > 0:
    broken("pages in a pipe")
