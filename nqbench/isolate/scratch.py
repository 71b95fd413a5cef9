"""Private folders for the files that a process hands to programs. They vanish with the process.

Each folder is locked by the process that made it. The kernel releases the lock however that process
ends, and the next `sweep` removes the folder; `isolate.call` sweeps after each process. The folders
are in memory if possible, so that a file takes no time of a disk.
"""

import contextlib
import fcntl
import os
import stat
import sys
import tempfile
import weakref
from pathlib import Path
from time import monotonic
from typing import Final

from nqbench.common.trees import remove_tree

_IN_MEMORY: Final = "/dev/shm"
_ATTEMPTS: Final = 100
_KEPT: Final = "left-"
"""How the name of a folder begins that could not be removed, and was named to the user."""

_LONGEST_S: Final = 1.0
"""The time limit of a sweep. The process that sweeps may be a server, whose silence means death."""

_named: Final[set[Path]] = set()
"""Folders that this process named and could not rename."""


class Folder:
    """A new private folder at `path`, in memory unless `on_disk`. It is removed when this object or
    the process ends. Its name is unique, so programs may use it for other files.
    """

    def __init__(self, *, on_disk: bool = False) -> None:
        homes = (home for base in _bases(on_disk) if (home := _make_home(base)))
        # Without a home, `sweep` does not find the folder, but nothing else changes.
        self.path, lock = _make_folder(next(homes, None) or Path(tempfile.gettempdir()))
        self._finalizer = weakref.finalize(self, _remove, os.getpid(), self.path, lock)

    def remove(self) -> None:
        """Remove the folder now. Does nothing if that was done."""
        self._finalizer()


def has_room(size_bytes: int) -> bool:
    """Whether there is memory for so many bytes of files. Containers often have little."""
    try:
        facts = os.statvfs(_IN_MEMORY)
    except OSError:
        return False
    return facts.f_bavail * facts.f_frsize >= size_bytes


def sweep() -> None:
    """Remove the folders of processes that have ended. What cannot be removed is named on standard
    error once, by the process that notices, and left alone from then on: see `left`. What takes too
    long is removed further by the next sweep. Never raises.
    """
    deadline = monotonic() + _LONGEST_S
    for base in _bases():
        # It cleans up after other processes, so nothing that fails here is the caller's failure.
        with contextlib.suppress(Exception):
            home = _home(base)
            if not _is_private(home):
                continue
            for name in os.listdir(home):  # noqa: PTH208 - fast, since this follows every process
                if not name.startswith(_KEPT):
                    _remove_unlocked(home / name, deadline)
            _remove_unused(home)


def left() -> list[Path]:
    """The folders that cannot be removed, after another attempt."""
    homes = filter(_is_private, map(_home, _bases()))
    kept = [path for home in homes for path in sorted(home.glob(f"{_KEPT}*"))]
    return [path for path in kept if not remove_tree(path)]


def _bases(on_disk: bool = False) -> list[str]:
    bases = [] if on_disk else [_IN_MEMORY]
    with contextlib.suppress(FileNotFoundError):  # a full disk has no usable folder
        bases.append(tempfile.gettempdir())
    return bases


def _name() -> str:
    return f"nqbench-{os.getuid()}"


def _home(base: str) -> Path:
    return Path(base, _name())


def _make_home(base: str) -> Path | None:
    """The folder of all folders of this user; None if it cannot be made, or is not private."""
    home = _home(base)
    with contextlib.suppress(OSError):
        home.mkdir(mode=0o700, exist_ok=True)
    return home if _is_private(home) else None


def _is_private(path: Path) -> bool:
    """Whether this is a folder of this user that nobody else can use; not a link to one."""
    try:
        facts = path.lstat()
    except OSError:
        return False
    mine = facts.st_uid == os.getuid() and not facts.st_mode & 0o077
    return mine and stat.S_ISDIR(facts.st_mode)


def _make_folder(home: Path) -> tuple[Path, int]:
    """A new folder, and the descriptor that locks it."""
    for _ in range(_ATTEMPTS):
        # Another process may remove the home before, and the folder until it is locked.
        try:
            path = home / f"nq-{os.urandom(8).hex()}"
            path.mkdir(mode=0o700)
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):
                home.mkdir(mode=0o700)
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            return path, lock
        os.close(lock)
    raise FileNotFoundError(f"folders in {home} are removed as soon as they are made")


def _remove(owner: int, path: Path, lock: int) -> None:
    # A forked process inherits the object, but not the folder.
    if os.getpid() == owner:
        remove_tree(path)
        os.close(lock)
        _remove_unused(path.parent)


def _remove_unused(home: Path) -> None:
    if home.name == _name():
        with contextlib.suppress(OSError):  # it is in use
            home.rmdir()


def _remove_unlocked(path: Path, deadline: float) -> None:
    try:
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not remove_tree(path, deadline) and monotonic() <= deadline:
            _name_kept(path)
    except BlockingIOError:
        pass  # its process is alive
    finally:
        os.close(lock)


def _name_kept(path: Path) -> None:
    """Name a folder that cannot be removed, and rename it, so that no process tries again."""
    if path in _named:
        return
    kept = path.with_name(f"{_KEPT}{path.name}")
    try:
        path.rename(kept)
    except OSError:
        kept = path
        _named.add(path)
    with contextlib.suppress(OSError):  # standard error may be closed or full
        sys.stderr.write(f"nqbench: cannot remove {kept}: remove it by hand\n")
        sys.stderr.flush()
