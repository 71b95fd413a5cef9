"""Walks and removes folders that somebody else has filled: of any depth, with any names and modes.

A program can nest folders so deeply that no path reaches the lowest one, and that a function that
calls itself for each level ends with `RecursionError`. So there is no recursion here. Folders are
opened one in another, and links are not followed.
"""

import glob
import math
import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import count
from pathlib import Path
from time import monotonic
from typing import BinaryIO, Final

from nqbench.common.errors import InputError
from nqbench.common.printable import printable

DEEPEST: Final = 64
"""How many folders may be nested where files are looked for."""

_LONGEST_PATH: Final = 4096 - 256
"""Bytes of the path of a folder, so that each file in it can be opened by its path."""

_MOST_PASSES: Final = 100_000
_LISTED: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NAMED: Final = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Entry:
    """What is in a tree, but no folder. `path` begins at the tree. `folder` is a descriptor of the
    folder that it is in, which is open until the next entry is asked for.
    """

    path: Path
    folder: int

    @property
    def facts(self) -> os.stat_result:
        """What the system says about it; of a link, about the link. Raises `OSError`."""
        return os.stat(self.path.name, dir_fd=self.folder, follow_symlinks=False)

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file, and so neither a link nor a pipe."""
        with suppress(OSError):
            return stat.S_ISREG(self.facts.st_mode)
        return False

    def open(self) -> BinaryIO:
        """Open it for reading, without following a link or waiting. Raises `OSError`."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        return os.fdopen(os.open(self.path.name, flags, dir_fd=self.folder), "rb")


def _refuse(path: Path, error: OSError) -> None:
    raise InputError(f"cannot read the folder {_shown(path)}: {error.strerror}") from error


def walk(
    top: Path,
    ignored: Collection[str] = (),
    unread: Callable[[Path, OSError], object] = _refuse,
    *,
    with_hidden: bool = True,
) -> Iterator[Entry]:
    """Yield what is in a folder and its subfolders, sorted by name within each, except folders.

    Names that are `ignored` are left out, and hidden ones on request. `unread` gets each folder
    that cannot be read, with the reason. Raises `InputError` if it is not given and there is one,
    and if folders are nested more than `DEEPEST` deep, or so deep that their paths are too long.
    """
    opened: list[tuple[Path, int, Iterator[str]]] = []

    def enter(path: Path, folder: int | None) -> None:
        if len(opened) > DEEPEST or len(os.fsencode(top / path)) > _LONGEST_PATH:
            raise InputError(f"{_shown(top)} has folders nested too deep: leave them out")
        name = os.path.realpath(top) if folder is None else path.name
        try:
            descriptor = os.open(name, _LISTED, dir_fd=folder)
        except OSError as error:
            unread(top / path, error)
            return
        names = (
            name
            for name in sorted(os.listdir(descriptor))  # noqa: PTH208
            if name not in ignored and (with_hidden or not name.startswith("."))
        )
        opened.append((path, descriptor, names))

    try:
        enter(Path(), None)
        while opened:
            path, descriptor, names = opened[-1]
            for name in names:
                if _is_folder(name, descriptor):
                    enter(path / name, descriptor)
                    break
                yield Entry(path / name, descriptor)
            else:
                opened.pop()
                os.close(descriptor)
    finally:
        for _, descriptor, _ in opened:
            os.close(descriptor)


def regular_files(top: Path, ignored: Collection[str] = ()) -> Iterator[Path]:
    """Yield the paths of the regular files in a folder and its subfolders; no links."""
    return (top / entry.path for entry in walk(top, ignored) if entry.is_file)


def matching(pattern: str, folder: Path) -> list[Path]:
    """Return the paths that match a pattern, which may be one below this folder, sorted. As for
    `glob`, `**` stands for folders of any depth, and hidden names only match if the pattern has
    their dot. Each path is there once; the folder before `**` is not, since it has all others. No
    links are followed: one that leads to a folder above it would have no end.

    Raises `InputError` as `walk` does for `**`. What cannot be read matches nothing.
    """
    parts = pattern.split("/")
    if "**" not in parts:
        return [folder / name for name in sorted(glob.glob(pattern, root_dir=folder))]  # noqa: PTH207
    first = parts.index("**")
    before, parts = "/".join(parts[: first + 1]).removesuffix("**"), parts[first:]
    with_hidden = any(part.startswith(".") for part in parts)
    found = set()
    for top in glob.glob(before or ".", root_dir=folder):  # noqa: PTH207 - takes absolute ones, too
        entries = walk(folder / top, unread=lambda *_: None, with_hidden=with_hidden)
        below = {path for entry in entries for path in (entry.path, *entry.path.parents)}
        found |= {folder / top / path for path in below if path.parts and _fits(path.parts, parts)}
    return sorted(found, key=str)


def _fits(names: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether these names, of folders and of what is in the last, match the parts of a pattern."""
    if not parts:
        return not names
    is_hidden = bool(names) and names[0].startswith(".")
    if parts[0] == "**":
        goes_on = bool(names) and not is_hidden and _fits(names[1:], parts)
        return _fits(names, parts[1:]) or goes_on
    is_visible = not is_hidden or parts[0].startswith(".")
    first = bool(names) and is_visible and fnmatchcase(names[0], parts[0])
    return first and _fits(names[1:], parts[1:])


def _is_folder(name: str, folder: int) -> bool:
    with suppress(OSError):
        return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    return False


def _shown(path: Path) -> str:
    return printable(str(path), 120)


def remove_tree(path: Path, deadline: float = math.inf) -> bool:
    """Remove a folder and all that is in it, whatever its depth, names and modes. Links in it are
    removed and not followed. Stops at the deadline, in the time of `time.monotonic`. Returns
    whether nothing is left at this path. Raises no `OSError`.

    What its subfolders contain is renamed into it, level by level, so no path gets long.
    """
    with suppress(OSError):
        os.rmdir(path)  # noqa: PTH106 - fast, since most folders are empty
        return True
    with suppress(OSError):
        top = _open_to_change(os.fspath(path), None)
        try:
            fresh = (f"{os.urandom(8).hex()}-{number}" for number in count())
            for _ in range(_MOST_PASSES):
                if not _flatten(top, fresh, deadline):
                    break
        finally:
            os.close(top)
        os.rmdir(path)  # noqa: PTH106
    return not os.path.lexists(path)


def _flatten(top: int, fresh: Iterator[str], deadline: float) -> bool:
    """Remove the files and the empty folders in `top`, and put the content of its other folders
    into it, under fresh names. Returns whether another pass is of use.
    """
    changed = False
    for name in os.listdir(top):
        if monotonic() > deadline:
            return False
        if _remove_entry(name, top):
            changed = True
            continue
        with suppress(OSError):
            folder = _open_to_change(name, top)
            try:
                for below in os.listdir(folder):  # noqa: PTH208
                    changed |= _remove_entry(below, folder) or _move(below, folder, top, fresh)
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=top)
            changed = True
    return changed


def _remove_entry(name: str, folder: int) -> bool:
    """Remove a file, a link or an empty folder. Returns whether that was possible."""
    try:
        os.unlink(name, dir_fd=folder)
    except IsADirectoryError:
        with suppress(OSError):
            os.rmdir(name, dir_fd=folder)
            return True
        return False
    except OSError:
        return False
    return True


def _move(name: str, folder: int, top: int, fresh: Iterator[str]) -> bool:
    with suppress(OSError):
        # A folder gets another parent, which is a change of that folder.
        os.close(_open_to_change(name, folder))
        os.rename(name, next(fresh), src_dir_fd=folder, dst_dir_fd=top)
        return True
    return False


def _open_to_change(name: str, folder: int | None) -> int:
    """Open a folder, which its owner may then change, whatever its mode was."""
    named = os.open(name, _NAMED, dir_fd=folder)
    try:
        if os.fstat(named).st_mode & stat.S_IRWXU != stat.S_IRWXU:
            Path(f"/proc/self/fd/{named}").chmod(stat.S_IRWXU)
        return os.open(".", _LISTED, dir_fd=named)
    finally:
        os.close(named)
