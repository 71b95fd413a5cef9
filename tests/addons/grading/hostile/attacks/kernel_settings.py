"""Opens settings of the kernel for writing: one of them is a program that runs as root."""

import contextlib
import glob
import os

from attack import broken

names = [
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/modprobe",
    "/proc/sysrq-trigger",
    "/proc/sys/vm/drop_caches",
]
names += [
    "/proc/self/oom_score_adj",
    "/proc/self/uid_map",
    "/proc/self/coredump_filter",
    "/proc/1/oom_score_adj",
]
names += glob.glob("/proc/sys/kernel/*")[:50] + glob.glob("/sys/devices/system/cpu/*/online")[:5]
for name in names:
    if name.startswith("/proc/self") and not os.path.exists("/box"):
        continue  # of its own, and of nobody else
    with contextlib.suppress(OSError):
        os.close(os.open(name, os.O_WRONLY))
        broken(f"{name} is opened for writing")
