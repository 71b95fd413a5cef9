"""Calls the kernel by the numbers of other architectures, which a filter could forget."""

import ctypes
import mmap
import os
import platform

from attack import broken, libc

if platform.machine() == "x86_64":
    if libc().syscall(ctypes.c_long(0x40000000 | 41), 1, 1, 0) >= 0:
        broken("socket of x32")
    # mov eax, 359 (socket of i386); mov ebx, 1; mov ecx, 1; xor edx, edx; int 0x80; ret
    code = (
        b"\x53\xb8\x67\x01\x00\x00\xbb\x01\x00\x00\x00\xb9\x01\x00\x00\x00\x31\xd2\xcd\x80\x5b\xc3"
    )
    memory = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
    memory.write(code)
    place = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    child = os.fork()
    if child == 0:
        os._exit(0 if ctypes.CFUNCTYPE(ctypes.c_int)(place)() >= 0 else 1)
    if os.waitpid(child, 0)[1] == 0:
        broken("socket of i386")
