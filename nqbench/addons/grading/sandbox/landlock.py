"""Restricts a process and all that it starts to some files, by the kernel's Landlock.

See Documentation/userspace-api/landlock.rst. It needs no rights, and cannot be taken back. It does
not cover modes, dates and owners of files, nor sockets that are files.
"""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # on every architecture
_VERSION: Final = 1
_PATH_BENEATH: Final = 1
_PR_SET_NO_NEW_PRIVS: Final = 38

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_READ: Final = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_HANDLED: Final = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""What can be restricted, since this version of the interface."""

_TCP: Final = 0b11
_SIGNALS_AND_ABSTRACT_SOCKETS: Final = 0b11
_HAS_TRUNCATION, _HAS_TCP, _HAS_SCOPES = 3, 4, 6

_syscall = ctypes.CDLL(None, use_errno=True).syscall
_syscall.restype = ctypes.c_long


def version() -> int:
    """The version of the interface that the kernel has; 0 without Landlock."""
    return max(0, int(_syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(_VERSION))))


def restricts_truncation(number: int) -> bool:
    """Whether this version also keeps a process from emptying files by their names."""
    return number >= _HAS_TRUNCATION


def restricts_signals(number: int) -> bool:
    """Whether this version also keeps a process from sending signals to others."""
    return number >= _HAS_SCOPES


def forbid_new_privileges() -> None:
    """Have programs that this process starts get no rights beyond its own, as by `sudo`."""
    ctypes.CDLL(None).prctl(_PR_SET_NO_NEW_PRIVS, *map(ctypes.c_ulong, (1, 0, 0, 0)))


def restrict(readable: Iterable[Path], writable: Iterable[Path]) -> None:
    """Let this process read only what is at or below these paths, write only below `writable`, and
    use no TCP. Paths that do not exist are ignored. Raises `OSError` without Landlock.
    """
    number = version()
    every = next((rights for since, rights in sorted(_HANDLED.items())[::-1] if since <= number), 0)
    tcp = _TCP if number >= _HAS_TCP else 0
    scopes = _SIGNALS_AND_ABSTRACT_SOCKETS if number >= _HAS_SCOPES else 0
    size = 24 if number >= _HAS_SCOPES else 16 if number >= _HAS_TCP else 8
    attributes = struct.pack("=QQQ", every, tcp, scopes)[:size]
    forbid_new_privileges()
    ruleset = _call(_CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint(0))
    try:
        for paths, rights in ((readable, _READ), (writable, every)):
            for path in paths:
                _allow(ruleset, path, rights & every)
        _call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_FILES
        rule = struct.pack("=Qi", rights, descriptor)
        _call(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_PATH_BENEATH), rule, ctypes.c_uint(0))
    finally:
        os.close(descriptor)


def _call(number: int, *arguments: object) -> int:
    result = int(_syscall(number, *arguments))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"Landlock: {os.strerror(error)}")
    return result
