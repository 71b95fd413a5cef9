"""Has the kernel start a program as root, with its memory as input: one that keeps core dumps. A
limit of 0 does not forbid that, but one of 1 does: see core(5).
"""

import resource
from pathlib import Path

from attack import broken

limit, _ = resource.getrlimit(resource.RLIMIT_CORE)
if limit > 1 or (limit == 0 and Path("/proc/sys/kernel/core_pattern").read_text()[:1] == "|"):
    broken(f"core dumps: {limit}")
