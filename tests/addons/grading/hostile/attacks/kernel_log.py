"""Reads the log of the kernel."""

import contextlib
import ctypes
import os

from attack import broken, call

if call("syslog", 3, ctypes.create_string_buffer(4096), 4096) > 0:
    broken("the log is read")
for name in ("/dev/kmsg", "/proc/kmsg", "/proc/kcore"):
    with contextlib.suppress(OSError):
        os.close(os.open(name, os.O_RDONLY | os.O_NONBLOCK))
        broken(name)
