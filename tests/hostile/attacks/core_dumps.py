"""Has the kernel start a program as root, with its memory as input: one that keeps core dumps. A
limit of 0 does not forbid that, but one of 1 does: see core(5).
"""

import resource

from attack import broken

if resource.getrlimit(resource.RLIMIT_CORE) != (1, 1):
    broken("core dumps go to a program")
