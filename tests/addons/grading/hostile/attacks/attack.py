"""What attacks share. Each runs in the sandbox, tries one thing, and prints a line with BROKEN if
that worked. None of them harms the machine if it works: less than 1 GiB, a few seconds.
"""

import contextlib
import ctypes
import json
import mmap
import os
import platform
import time
from pathlib import Path

TEACHER = json.loads(Path("teacher.json").read_text())
"""Where the things of the teacher are that an attack is after, and whether it is alone."""

MIB = 2**20
GOAL = 640 * MIB
"""More than twice of what the test allows as memory and files together."""

_COLUMN = {"x86_64": 0, "aarch64": 1}[platform.machine()]
_NUMBERS = {
    "add_key": (248, 217), "clock_settime": (227, 112), "clone": (56, 220), "io_setup": (206, 0),
    "io_uring_setup": (425, 425), "keyctl": (250, 219), "landlock_add_rule": (445, 445),
    "landlock_create_ruleset": (444, 444), "mq_open": (240, 180), "perf_event_open": (298, 241),
    "request_key": (249, 218), "semget": (64, 190), "setns": (308, 268), "setxattr": (188, 5),
    "shmat": (30, 196), "shmdt": (67, 197), "shmget": (29, 194), "syslog": (103, 116),
    "truncate": (76, 45), "unshare": (272, 97), "userfaultfd": (323, 282), "bpf": (321, 280),
    "msgget": (68, 186), "inotify_init1": (294, 26), "process_vm_readv": (310, 270),
    "fsopen": (430, 430), "mount": (165, 40), "memfd_create": (319, 279), "prlimit": (302, 261),
}  # fmt: skip
_c = ctypes.CDLL(None, use_errno=True)
_c.syscall.restype = ctypes.c_long


def call(name, *arguments):
    """Call the kernel; the result, or the negative number of the error."""
    wide = (ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)
    result = _c.syscall(ctypes.c_long(_NUMBERS[name][_COLUMN]), *wide)
    return -ctypes.get_errno() if result < 0 else result


def libc():
    return _c


def broken(what):
    print(f"BROKEN: {what}", flush=True)


def held(size):
    """Say that so many bytes are held, if nobody minds for a while."""
    if size >= GOAL:
        time.sleep(2)
        broken(f"{size // MIB} MiB are held")


def allowed(what, function, *arguments):
    """Say that it worked, if the function raises nothing."""
    with contextlib.suppress(OSError, ValueError):
        function(*arguments)
        broken(what)


def in_children(count, function):
    """Call the function in so many processes, each of which then waits. Returns when all are so
    far, or have ended; and how many are.
    """
    ready, tell = os.pipe()
    for _ in range(count):
        try:
            child = os.fork()
        except OSError:
            break
        if child == 0:
            with contextlib.suppress(BaseException):
                os.close(ready)
                function()
                os.write(tell, b"x")
                os.close(tell)
                time.sleep(8)
            os._exit(0)
    os.close(tell)
    done = b""
    while len(done) < count and (piece := os.read(ready, 64)):
        done += piece
    return len(done)


def fill(size):
    """Private memory of this process, touched."""
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for at in range(0, size, mmap.PAGESIZE):
        memory[at] = 1
    return memory
