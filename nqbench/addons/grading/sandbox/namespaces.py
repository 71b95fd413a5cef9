"""Gives a process its own network, processes and view of the files: namespaces(7).

A user namespace needs no rights. Root has the others without it. In a container, the kernel or its
rules may refuse all of them.

Everything from `enter_own_root` on is done at each start, so it uses plain system calls.
"""
# ruff: noqa: PTH102, PTH123, PTH211

import contextlib
import ctypes
import os
import struct
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

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
_STAGES: Final = ("/tmp", "/mnt", "/media", "/run", "/var", "/home", "/root")
"""Where the new root may be put together: a folder of which nothing is needed in it."""

_MASKED: Final = ("/proc/keys", "/proc/key-users", "/proc/timer_list")
_OF_MACHINE: Final = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version")
_LINKS: Final = {
    "/tmp": "/box/tmp", "/var/tmp": "/box/tmp", "/dev/shm": "/box/tmp",
    "/dev/fd": "/proc/self/fd", "/dev/stdin": "/proc/self/fd/0",
    "/dev/stdout": "/proc/self/fd/1", "/dev/stderr": "/proc/self/fd/2",
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


class Layout(NamedTuple):
    """What a new root has: folders in the order in which they are made, empty files, links with
    where they lead to, and of these folders and files those that show what is there in the old
    root. `stage` is where it can be put together; None if there is no place.
    """

    stage: str | None
    folders: tuple[str, ...]
    files: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    shown: tuple[str, ...]


@cache
def layout(visible: tuple[Path, ...]) -> Layout:
    """What a root has to have for these paths to be visible: they themselves, and the links that
    lead to them. Remembered, since each start would take 5 ms more.
    """
    links: dict[str, str] = {}
    files: list[str] = []
    shown: list[str] = []
    folders = {"/box", "/proc", "/etc", "/dev", "/var"}
    for step in sorted({step for path in visible for step in _way_to(path)}):
        path = str(step)
        if any(_is_in(path, folder) for folder in folders.intersection(shown)):
            continue
        folders |= {str(parent) for parent in step.parents} - {"/"}
        if step.is_symlink():
            links[path] = os.readlink(step)  # noqa: PTH115 - of bytes that are no text
            continue
        shown.append(path)
        if step.is_dir():
            folders.add(path)
        else:
            files.append(path)
    paths = [*links, *shown]
    own = {name: to for name, to in _LINKS.items() if not any(_is_in(p, name) for p in paths)}
    stage = next(
        (s for s in _STAGES if Path(s).is_dir() and not any(_is_in(p, s) for p in paths)), None
    )
    return Layout(
        stage, tuple(sorted(folders)), tuple(files), (*own.items(), *links.items()), tuple(shown)
    )


def enter_own_root(layout: Layout, size_bytes: int, owner: int) -> Callable[[], None] | None:
    """Give this process a root that has only that, its own /proc, and the folder `BOX` for `owner`,
    with room for so many bytes; only that can be written to. It must be in a namespace of
    processes.

    Returns what puts the old root out of reach, and raises `OSError` if it cannot. The kernel waits
    for all CPUs then, so it is for the time in which the next process is started. Returns None if
    the kernel does not grant such a root, and nothing has changed.
    """
    root = layout.stage
    if root is None or not enter(FILES):
        return None
    try:
        _separate_mounts()
        _mount("tmpfs", root, "tmpfs", _MS_NOSUID, "mode=755,size=1m")
    except OSError:
        return None
    try:
        _furnish(root, layout, size_bytes, owner)
        return _change_root(root)
    except OSError:
        _c.umount2(os.fsencode(root), ctypes.c_int(_MNT_DETACH))
        return None


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def has_capabilities(numbers: Iterable[int]) -> bool:
    """Whether this process has these rights now."""
    content = ctypes.create_string_buffer(24)
    _c.capget(struct.pack("=Ii", _CAPABILITIES, 0), content)
    effective, _, _, high, _, _ = struct.unpack("=6I", content.raw)
    return all((effective | high << 32) >> number & 1 for number in numbers)


def drop_capabilities() -> None:
    """Give up all rights that this process has besides those of its user."""
    header, none = struct.pack("=Ii", _CAPABILITIES, 0), bytes(24)
    _c.capset(header, none)


def _separate_mounts() -> None:
    """Keep what is mounted from now on from being seen in other namespaces. Raises `OSError`."""
    try:
        _mount(None, "/", None, _MS_REC | _MS_PRIVATE)
    except OSError:  # in a changed root, which is no mount: from the root of all
        old_root, namespace = (os.open(path, os.O_RDONLY) for path in ("/", "/proc/self/ns/mnt"))
        _check(_c.setns(namespace, ctypes.c_int(FILES)))
        _mount(None, "/", None, _MS_REC | _MS_PRIVATE)
        os.fchdir(old_root)
        os.chroot(".")
        os.close(old_root)
        os.close(namespace)


def _furnish(root: str, layout: Layout, size_bytes: int, owner: int) -> None:
    """Put everything into the new root. Raises `OSError`."""
    # First, while nothing of the old root is there that could be written to.
    for path in layout.folders:
        os.mkdir(root + path)
    for path in layout.files:
        os.close(os.open(root + path, os.O_WRONLY | os.O_CREAT))
    for path, target in layout.links:
        os.symlink(target, root + path)
    for name, line in (
        ("passwd", f"student:x:{owner}:{owner}::{BOX}/work:/bin/sh\n"),
        ("group", f"student:x:{owner}:\n"),
    ):
        with open(f"{root}/etc/{name}", "wb", 0) as file:
            file.write(line.encode())
    for path in layout.shown:
        _mount(path, root + path, None, _MS_BIND | _MS_REC)
    _mount_processes(root)
    options = f"size={size_bytes},nr_inodes={_MOST_FILES},mode=700,uid={owner},gid={owner}"
    box = f"{root}{BOX}"
    _mount("tmpfs", box, "tmpfs", _MS_NOSUID | _MS_NODEV, options)
    for name in ("work", "tmp"):
        os.mkdir(f"{box}/{name}", 0o700)
        os.chown(f"{box}/{name}", owner, owner)
    _set_attributes(root, _AT_RECURSIVE, _ATTR_READ_ONLY | _ATTR_NO_SET_USER, 0)
    _set_attributes(box, 0, 0, _ATTR_READ_ONLY)


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


def _mount_processes(root: str) -> None:
    """Show the processes of this namespace in the /proc of the new root; or nothing but facts about
    the machine, where a container forbids it.
    """
    try:
        _mount("proc", f"{root}/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    except OSError:
        for name in filter(os.path.exists, _OF_MACHINE):
            os.close(os.open(root + name, os.O_WRONLY | os.O_CREAT))
            _mount(name, root + name, None, _MS_BIND)
        return
    for name in filter(os.path.exists, _MASKED):
        _mount("/dev/null", f"{root}{name}", None, _MS_BIND)


def _change_root(root: str) -> Callable[[], None]:
    """Make a folder that is a mount the root of this process. Returns what detaches the old one."""
    os.chdir(root)
    if _c.pivot_root(b".", b".") == 0:
        return _detach_old_root
    # In a changed root that is no mount: who has no rights does not leave the new one.
    os.chroot(".")
    return lambda: os.chdir("/")


def _detach_old_root() -> None:
    """Unmount what is on top of the new root, at the same place."""
    _check(_c.umount2(b".", ctypes.c_int(_MNT_DETACH)))
    os.chdir("/")


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    names = [None if name is None else os.fsencode(name) for name in (source, target, kind)]
    _check(_c.mount(*names, ctypes.c_ulong(flags), data.encode()))


def _set_attributes(path: str, flags: int, set_bits: int, cleared: int) -> None:
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
