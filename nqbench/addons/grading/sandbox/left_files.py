"""Puts files into a folder of strangers' code, and takes those out that the code has left.

The folder is an open descriptor, and names are bytes below it. Links are never followed, and there
is no recursion: the code may have left anything, and folders as deep as it likes.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from nqbench.common.errors import InputError

DEEPEST: Final = 16
MOST_ENTRIES: Final = 10_000

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class GivenFile:
    """The content of a file, and whether it is a program."""

    content: bytes
    is_executable: bool = False


def put_files(folder: int, files: Mapping[bytes, GivenFile], owner: int | None = None) -> None:
    """Write files into a new and empty folder, by their names in it; for `owner`, if that is not
    this user. Raises `OSError` if there is no room.
    """
    for name, given in files.items():
        parent, _, own_name = name.rpartition(b"/")
        below = _make_folders(folder, parent, owner)
        try:
            mode = 0o755 if given.is_executable else 0o644
            place = os.open(own_name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode, dir_fd=below)
            with open(place, "wb") as file:  # noqa: PTH123
                file.write(given.content)
                os.fchmod(place, mode)
                _give(place, owner)
        finally:
            os.close(below)


def _make_folders(folder: int, name: bytes, owner: int | None) -> int:
    """Open a folder below this one, which is made if it is missing."""
    here = os.dup(folder)
    for part in filter(None, name.split(b"/")):
        with suppress(FileExistsError):
            os.mkdir(part, 0o755, dir_fd=here)
        here = _step(here, part)
        _give(here, owner)
    return here


def _give(descriptor: int, owner: int | None) -> None:
    if owner is not None:
        os.fchown(descriptor, owner, owner)


def collect_files(
    folder: int, given: Mapping[bytes, GivenFile], most_bytes: int
) -> dict[bytes, bytes]:
    """The content of the regular files that are new or have been changed, by their names in the
    folder. Call it when all processes have ended. Those that cannot be read are left out.

    Raises `InputError` if they are longer than that together, whatever room they take, or if there
    are too many, or in folders that are too deep.
    """
    contents = {}
    total = 0
    for name, below in _regular_files(folder):
        try:
            place = os.open(name.rpartition(b"/")[2], _FILE, dir_fd=below)
        except OSError:
            continue
        with open(place, "rb") as file:  # noqa: PTH123
            facts = os.fstat(place)
            total += facts.st_size
            if total > most_bytes:
                raise InputError(f"files of more than {most_bytes} bytes")
            content = file.read(facts.st_size) if stat.S_ISREG(facts.st_mode) else b""
        if name not in given or given[name].content != content:
            contents[name] = content
    return contents


def flaw(folder: int, most_bytes: int) -> str:
    """What is wrong with a folder in which a program is at work: too many bytes or files, or
    folders that are too deep; empty if nothing is.
    """
    blocks = 0
    try:
        for name, below in _regular_files(folder):
            with suppress(OSError):
                own_name = name.rpartition(b"/")[2]
                blocks += os.stat(own_name, dir_fd=below, follow_symlinks=False).st_blocks
    except InputError as error:
        return str(error)
    return f"{most_bytes} bytes in its folder" if blocks * 512 > most_bytes else ""


def _regular_files(folder: int) -> Iterator[tuple[bytes, int]]:
    """The names of the regular files in a folder and below it, each with the folder that it is in,
    which is open until the next one. Raises `InputError`.
    """
    folders, count = [b""], 0
    while folders:
        name = folders.pop()
        try:
            here = _open_below(folder, name)
        except OSError:
            continue
        try:
            with os.scandir(here) as entries:
                for entry in entries:
                    count += 1
                    if count > MOST_ENTRIES:
                        raise InputError(f"more than {MOST_ENTRIES} files and folders")
                    path = b"/".join(filter(None, (name, os.fsencode(entry.name))))
                    if entry.is_file(follow_symlinks=False):
                        yield path, here
                    elif entry.is_dir(follow_symlinks=False):
                        if path.count(b"/") >= DEEPEST:
                            raise InputError(f"folders more than {DEEPEST} deep")
                        folders.append(path)
        finally:
            os.close(here)


def _open_below(folder: int, name: bytes) -> int:
    """Open a folder below this one, by none of whose names a link is followed."""
    here = os.dup(folder)
    for part in filter(None, name.split(b"/")):
        here = _step(here, part)
    return here


def _step(here: int, part: bytes) -> int:
    """Open a folder in this one, and close this one."""
    try:
        return os.open(part, _FOLDER, dir_fd=here)
    finally:
        os.close(here)
