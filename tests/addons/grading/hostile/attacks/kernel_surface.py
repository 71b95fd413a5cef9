"""Uses parts of the kernel that no program needs which writes a formula."""

import ctypes

from attack import broken, call

for name, arguments in (
    ("io_uring_setup", (4, ctypes.create_string_buffer(256))),
    ("userfaultfd", (1,)),
    ("bpf", (0, ctypes.create_string_buffer(128), 128)),
    ("perf_event_open", (ctypes.create_string_buffer(b"\0\0\0\0p", 128), 0, -1, -1, 0)),
):
    result = call(name, *arguments)
    if result >= 0 or result in {-22, -14}:  # the kernel has looked at the arguments
        broken(f"{name}: {result}")
