"""Gives a process its own network, processes and view of the files: namespaces(7).

A user namespace needs no rights, and takes those of root away. Where it is refused, root can have
the others without it. In a container, the kernel or its rules may refuse all of them.
"""

import contextlib
import ctypes
import os
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Final

USER, NETWORK, PROCESSES, MESSAGES, FILES = 0x10000000, 0x40000000, 0x20000000, 0x08000000, 0x20000

_MS_BIND, _MS_REC, _MS_PRIVATE = 1 << 12, 1 << 14, 1 << 18
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1 << 1, 1 << 2, 1 << 3
_MOUNT_SETATTR: Final = 442  # on every architecture
_ATTR_READ_ONLY: Final = 1
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_CAPABILITIES: Final = 0x20080522
_WITH_SOCKETS: Final = Path("/run")

_c = ctypes.CDLL(None, use_errno=True)
_c.syscall.restype = ctypes.c_long


def enter(*kinds: int) -> set[int]:
    """Move this process into new namespaces, and return those kinds that the kernel granted. A new
    namespace of processes is for those that it starts from now on.
    """
    user, group = os.geteuid(), os.getegid()
    granted = {kind for kind in kinds if _c.unshare(ctypes.c_int(kind)) == 0}
    if USER in granted:
        # Without a map, the process has no name for its user, but works the same way.
        for name, line in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with contextlib.suppress(OSError):
                Path("/proc/self", name).write_text(line)
    return granted


def mount_own_proc() -> bool:
    """Show only the processes of this namespace in /proc. Returns whether that worked."""
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    return _mount("proc", Path("/proc"), "proc", flags)


def separate_mounts() -> None:
    """Keep what is mounted from now on from being seen in other namespaces."""
    _mount(None, Path("/"), None, _MS_REC | _MS_PRIVATE)


def make_read_only(writable: Path, visible: Iterable[Path]) -> bool:
    """Make all files read-only except below one folder. Returns whether that worked. The folder of
    sockets is hidden, unless it has one of the `visible` paths in it.
    """
    is_needed = any(path.is_relative_to(_WITH_SOCKETS) for path in (writable, *visible))
    if not is_needed:
        _mount("tmpfs", _WITH_SOCKETS, "tmpfs", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    return (
        _mount(str(writable), writable, None, _MS_BIND)
        and _set_attributes(Path("/"), _AT_RECURSIVE, _ATTR_READ_ONLY, 0)
        and _set_attributes(writable, 0, 0, _ATTR_READ_ONLY)
    )


def drop_capabilities() -> None:
    """Give up all rights that this process has besides those of its user."""
    header, none = struct.pack("=Ii", _CAPABILITIES, 0), bytes(24)
    _c.capset(header, none)


def _mount(source: str | None, target: Path, kind: str | None, flags: int) -> bool:
    names = [None if name is None else name.encode() for name in (source, str(target), kind)]
    return bool(_c.mount(*names, ctypes.c_ulong(flags), None) == 0)


def _set_attributes(path: Path, flags: int, set_bits: int, cleared: int) -> bool:
    attributes = struct.pack("=QQQQ", set_bits, cleared, 0, 0)
    result = _c.syscall(
        _MOUNT_SETATTR,
        ctypes.c_int(_AT_FDCWD),
        os.fsencode(path),
        ctypes.c_uint(flags),
        attributes,
        ctypes.c_size_t(len(attributes)),
    )
    return bool(result == 0)
