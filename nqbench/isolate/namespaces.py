"""Gives a process its own network, processes and view of the files: namespaces(7).

A user namespace needs no rights. Root has the others without it. In a container, the kernel or its
rules may refuse all of them.
"""

import contextlib
import ctypes
import os
import stat
import struct
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

USER, NETWORK, PROCESSES, MESSAGES, FILES = 0x10000000, 0x40000000, 0x20000000, 0x08000000, 0x20000

BOX: Final = Path("/box")
"""The only folder of an own root that can be written to."""

_MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1 << 1, 1 << 2, 1 << 3
_MS_BIND, _MS_REC, _MS_PRIVATE = 1 << 12, 1 << 14, 1 << 18
_MNT_DETACH: Final = 2
_MOUNT_SETATTR: Final = 442  # on every architecture
_ATTR_READ_ONLY, _ATTR_NO_SET_USER = 1, 2
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_CAPABILITIES: Final = 0x20080522

_MOST_FILES: Final = 10_000
_LONGEST_WAY: Final = 200
_STAGES: Final = tuple(map(Path, ("/tmp", "/mnt", "/media", "/run", "/var", "/home", "/root")))
"""Where the new root may be put together: a folder of which nothing is needed in it."""

_MASKED: Final = tuple(Path("/proc", name) for name in ("keys", "key-users", "timer_list"))
_OF_MACHINE: Final = tuple(
    Path("/proc", name) for name in ("cpuinfo", "meminfo", "stat", "version", "filesystems")
)
_LINKS: Final = {
    "tmp": "/box/tmp", "var/tmp": "/box/tmp", "dev/shm": "/box/tmp", "dev/fd": "/proc/self/fd",
    "dev/stdin": "/proc/self/fd/0", "dev/stdout": "/proc/self/fd/1",
    "dev/stderr": "/proc/self/fd/2",
}  # fmt: skip

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


def enter_own_root(visible: Iterable[Path], size_bytes: int, owner: int) -> bool:
    """Give this process a root that has only these paths, its own /proc, and the folder `BOX` for
    `owner`, with room for so many bytes; only that can be written to. It must be in a namespace of
    processes. Returns whether the kernel granted it; if not, nothing has changed.
    """
    paths = [step for path in visible for step in _way_to(path)]
    root = next(
        (s for s in _STAGES if s.is_dir() and not any(p.is_relative_to(s) for p in paths)), None
    )
    if root is None or not enter(FILES):
        return False
    try:
        _mount(None, Path("/"), None, _MS_REC | _MS_PRIVATE)
        _mount("tmpfs", root, "tmpfs", _MS_NOSUID, "mode=755,size=1m")
    except OSError:
        return False
    try:
        _furnish(root, paths, size_bytes, owner)
        _change_root(root)
    except OSError:
        _c.umount2(os.fsencode(root), ctypes.c_int(_MNT_DETACH))
        return False
    return True


def drop_capabilities() -> None:
    """Give up all rights that this process has besides those of its user."""
    header, none = struct.pack("=Ii", _CAPABILITIES, 0), bytes(24)
    _c.capset(header, none)


def _furnish(root: Path, paths: Sequence[Path], size_bytes: int, owner: int) -> None:
    """Put everything into the new root. Raises `OSError`."""
    # First, while nothing of the old root is there that could be written to.
    _write_own_files(root, paths, owner)
    shown: list[Path] = []
    for path in sorted(set(paths)):
        if not any(path.is_relative_to(above) for above in shown) and _show(path, root):
            shown.append(path)
    _mount_processes(root)
    box = root / BOX.relative_to("/")
    options = f"size={size_bytes},nr_inodes={_MOST_FILES},mode=700,uid={owner},gid={owner}"
    _mount("tmpfs", box, "tmpfs", _MS_NOSUID | _MS_NODEV, options)
    for name in ("work", "tmp"):
        (box / name).mkdir(mode=0o700)
        os.chown(box / name, owner, owner)
    _set_attributes(root, _AT_RECURSIVE, _ATTR_READ_ONLY | _ATTR_NO_SET_USER, 0)
    _set_attributes(box, 0, 0, _ATTR_READ_ONLY)


def _write_own_files(root: Path, paths: Sequence[Path], owner: int) -> None:
    """Make the folders and files of the new root that are not those of the old one."""
    for name in ("box", "proc", "etc", "dev", "var"):
        (root / name).mkdir()
    (root / "etc/passwd").write_text(f"student:x:{owner}:{owner}::{BOX / 'work'}:/bin/sh\n")
    (root / "etc/group").write_text(f"student:x:{owner}:\n")
    for name, target in _LINKS.items():
        if not any(path.is_relative_to(Path("/", name)) for path in paths):
            (root / name).symlink_to(target)


def _way_to(path: Path) -> Iterator[Path]:
    """The links that lead to where a path is, and that place."""
    parts, place = list(path.absolute().parts[:0:-1]), Path("/")
    for _ in range(_LONGEST_WAY):
        if not parts:
            break
        part = parts.pop()
        place = place.parent if part == ".." else place / part
        if place.is_symlink():
            yield place
            target = place.readlink()
            parts += [part for part in target.parts[::-1] if part != "/"]
            place = Path("/") if target.is_absolute() else place.parent
    if os.path.lexists(place):
        yield place


def _show(path: Path, root: Path) -> bool:
    """Make a path visible below the new root. Returns whether that shows what is below it, too."""
    place = root / path.relative_to("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        place.symlink_to(path.readlink())
        return False
    if stat.S_ISDIR(mode):
        place.mkdir(exist_ok=True)
    else:
        place.touch()
    _mount(str(path), place, None, _MS_BIND | _MS_REC)
    return stat.S_ISDIR(mode)


def _mount_processes(root: Path) -> None:
    """Show the processes of this namespace in the /proc of the new root; or nothing but facts about
    the machine, where a container forbids it.
    """
    try:
        _mount("proc", root / "proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    except OSError:
        for path in filter(Path.exists, _OF_MACHINE):
            _show(path, root)
        return
    for path in filter(Path.exists, _MASKED):
        _mount("/dev/null", root / path.relative_to("/"), None, _MS_BIND)


def _change_root(root: Path) -> None:
    """Make a mounted folder the root of this process, and put the old one out of reach."""
    os.chdir(root)
    if _c.pivot_root(b".", b".") == 0:
        # Both are now at the same place, and the old one is on top.
        _check(_c.umount2(b".", ctypes.c_int(_MNT_DETACH)))
    else:  # in a changed root that is no mount: who has no rights does not leave it
        os.chroot(".")
    os.chdir("/")


def _mount(source: str | None, target: Path, kind: str | None, flags: int, data: str = "") -> None:
    names = [None if name is None else os.fsencode(name) for name in (source, str(target), kind)]
    _check(_c.mount(*names, ctypes.c_ulong(flags), data.encode()))


def _set_attributes(path: Path, flags: int, set_bits: int, cleared: int) -> None:
    attributes = struct.pack("=QQQQ", set_bits, cleared, 0, 0)
    result = _c.syscall(
        ctypes.c_long(_MOUNT_SETATTR),
        ctypes.c_int(_AT_FDCWD),
        os.fsencode(path),
        ctypes.c_uint(flags),
        attributes,
        ctypes.c_size_t(len(attributes)),
    )
    _check(result)


def _check(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
