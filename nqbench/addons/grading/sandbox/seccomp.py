"""Denies system calls to a process and all that it starts, by a filter of the kernel: seccomp(2).

It needs no rights, and cannot be taken back. A denied call fails with ENOSYS, as on a kernel that
does not have it, so that programs try something else. Programs for another architecture, such as
those of 32 bits, are ended by SIGSYS.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Iterable
from typing import Final, NamedTuple

_ARCHITECTURES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""The column of `DENIED`, and the name that the kernel gives the architecture."""

DENIED: Final = {
    # Sockets reach whatever listens: the network, and programs of this user by a file.
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201),
    "accept": (43, 202), "accept4": (288, 242), "setsockopt": (54, 208),
    # Keys of this user and of the session.
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    # Memory that belongs to no process and to no folder, so that nobody counts it.
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "vmsplice": (278, 75),
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "shmdt": (67, 197),
    "semget": (64, 190), "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192),
    "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187),
    "mq_open": (240, 180), "mq_unlink": (241, 181), "io_setup": (206, 0),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "landlock_create_ruleset": (444, 444), "landlock_add_rule": (445, 445),
    # What happens in folders that cannot be read.
    "inotify_init": (253, 26), "inotify_init1": (294, 26), "fanotify_init": (300, 262),
    # Files by their path that Landlock protects only since Linux 6.2, or does not.
    "truncate": (76, 45), "open_by_handle_at": (304, 265),
    # Other processes.
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438), "kcmp": (312, 272), "setpriority": (141, 140),
    "ioprio_set": (251, 30), "sched_setscheduler": (144, 119), "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    # Parts of the kernel in which errors are found often, and its log.
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "unshare": (272, 97), "setns": (308, 268), "clone3": (435, 435),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "syslog": (103, 116),
}  # fmt: skip
"""System calls and their numbers on each architecture."""


class _Rule(NamedTuple):
    """Denies a call by one argument: unless, or if, these bits of it have this value."""

    numbers: tuple[int, int]
    argument: int
    bits: int
    value: int
    unless: bool


_ALL_BITS: Final = 0xFFFFFFFF
_NAMESPACES: Final = 0x7E020000
"""The bits of new namespaces, of all kinds that `clone` makes."""

_LOCKS: Final = (6, 7, 37, 38)
"""F_SETLK, F_SETLKW, and the same for open files."""

_CLONE, _FCNTL, _SOCKETPAIR = (56, 220), (72, 25), (53, 199)

_RULES: Final = (
    _Rule(_CLONE, 0, _NAMESPACES, 0, unless=True),
    # A thread with descriptors of its own, which nobody counts.
    _Rule(_CLONE, 0, 0x10400, 0x10000, unless=False),
    # Pairs of streams only: other sockets can send to a file.
    _Rule(_SOCKETPAIR, 0, _ALL_BITS, 1, unless=True),
    _Rule(_SOCKETPAIR, 1, 0xF, 1, unless=True),
    # Locks on parts of a file: the kernel needs memory for each, and has no limit.
    *(_Rule(_FCNTL, 1, _ALL_BITS, lock, unless=False) for lock in _LOCKS),
    # Shared memory without a file, which stays when no process has it in use.
    _Rule((9, 222), 3, 0x21, 0x21, unless=False),
    # Only of the process itself: prlimit64, sched_setaffinity.
    _Rule((302, 261), 0, _ALL_BITS, 0, unless=True),
    _Rule((203, 122), 0, _ALL_BITS, 0, unless=True),
)

_LOAD, _AND, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_AT_NUMBER, _AT_ARCHITECTURE, _AT_ARGUMENTS = 0, 4, 16
_ALLOW, _KILL, _DENY = 0x7FFF0000, 0x80000000, 0x00050000 | errno.ENOSYS
_OTHER_NUMBERS: Final = 0x40000000
"""From here on, the kernel of x86-64 has the numbers of x32, a second set of calls."""

_PR_GET_SECCOMP, _PR_SET_SECCOMP, _FILTER = 21, 22, 2
_KEYCTL: Final = (250, 219)
_JOIN_SESSION_KEYRING: Final = 1

_c = ctypes.CDLL(None, use_errno=True)


def is_available() -> bool:
    """Whether there are numbers for this architecture, and the kernel has filters."""
    is_wide = struct.calcsize("P") == 8  # a Python of 32 bits has other numbers
    known = is_wide and os.uname().machine in _ARCHITECTURES
    return known and _c.prctl(_PR_GET_SECCOMP, *map(ctypes.c_ulong, (0, 0, 0, 0))) >= 0


def leave_keyring() -> None:
    """Give this process a new and empty session keyring. The filter denies doing so."""
    column, _ = _ARCHITECTURES.get(os.uname().machine, (0, 0))
    _c.syscall(ctypes.c_long(_KEYCTL[column]), ctypes.c_int(_JOIN_SESSION_KEYRING), None)


def restrict() -> None:
    """Deny the calls to this process from now on. It must have no way to new privileges. Raises
    `OSError` if the kernel refuses.
    """
    column, architecture = _ARCHITECTURES[os.uname().machine]
    instructions = b"".join(_program(column, architecture))
    buffer = ctypes.create_string_buffer(instructions, len(instructions))
    program = struct.pack("@HP", len(instructions) // 8, ctypes.addressof(buffer))
    arguments = (ctypes.c_ulong(_FILTER), program, ctypes.c_ulong(0), ctypes.c_ulong(0))
    if _c.prctl(_PR_SET_SECCOMP, *arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")


def _program(column: int, architecture: int) -> Iterable[bytes]:
    """The instructions of the filter; see Documentation/userspace-api/seccomp_filter.rst."""
    yield _instruction(_LOAD, _AT_ARCHITECTURE)
    yield _instruction(_IF_EQUAL, architecture, 1, 0)
    yield _instruction(_RETURN, _KILL)
    yield _instruction(_LOAD, _AT_NUMBER)
    yield _instruction(_IF_AT_LEAST, _OTHER_NUMBERS, 0, 1)
    yield _instruction(_RETURN, _DENY)
    for numbers in DENIED.values():
        yield _instruction(_IF_EQUAL, numbers[column], 0, 1)
        yield _instruction(_RETURN, _DENY)
    for rule in _RULES:
        yield _instruction(_IF_EQUAL, rule.numbers[column], 0, 5)
        yield _instruction(_LOAD, _AT_ARGUMENTS + 8 * rule.argument)  # its lower half
        yield _instruction(_AND, rule.bits)
        yield _instruction(_IF_EQUAL, rule.value, *((1, 0) if rule.unless else (0, 1)))
        yield _instruction(_RETURN, _DENY)
        yield _instruction(_LOAD, _AT_NUMBER)
    yield _instruction(_RETURN, _ALLOW)


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
