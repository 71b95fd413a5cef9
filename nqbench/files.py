"""Finds and reads untrusted files, only regular ones up to a size limit; writes files whole or not
at all.
"""

import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import Final

from nqbench.errors import InputError
from nqbench.printable import printable

LARGEST_TEXT: Final = 32 * 2**20
"""The largest text file in bytes; a picture of a board of 4000 rows with spaces fits."""


def opened(path: Path, largest_bytes: int) -> BufferedReader:
    """Open a file for reading.

    Raises `InputError` for a pipe, a device, a folder, a file that is too large or cannot be read,
    and a name that is not text.
    """
    shown = printable(str(path))
    try:
        # Without O_NONBLOCK, opening a pipe would wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        raise InputError(f"cannot read {shown}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"cannot read {shown!r}: {error}") from error
    if flaw := _flaw(os.fstat(descriptor), largest_bytes):
        os.close(descriptor)
        raise InputError(f"cannot read {shown}: it {flaw}")
    return os.fdopen(descriptor, "rb")


def _flaw(facts: os.stat_result, largest_bytes: int) -> str:
    if stat.S_ISDIR(facts.st_mode):
        return "is a folder"
    if not stat.S_ISREG(facts.st_mode):
        return "is not a regular file"
    return f"is larger than {largest_bytes // 2**20} MiB" if facts.st_size > largest_bytes else ""


def digest(path: Path) -> str:
    """12 hexadecimal digits of the file's content. Raises `OSError` if it cannot be read."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, partial(hashlib.blake2b, digest_size=6)).hexdigest()


def content(path: Path, largest_bytes: int) -> bytes:
    """Return all bytes of a file. Raises `InputError` as `opened` does, and if the file grows."""
    with opened(path, largest_bytes) as file:
        size = os.fstat(file.fileno()).st_size
        data = file.read(size + 1)
    if len(data) > size:
        raise InputError(f"cannot read {printable(str(path))}: it grows while it is read")
    return data


def text(path: Path) -> str:
    """Return the text of a file. Raises `InputError` as `content` does, and if it is no text."""
    try:
        decoded = content(path, LARGEST_TEXT).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not a text file") from error
    if "\0" in decoded:
        raise InputError(f"{path} is not a text file")
    return decoded


def in_folder(path: Path, suffixes: Sequence[str]) -> list[Path]:
    """The file itself, or the files of a folder with these suffixes, sorted by name with numbers in
    numeric order. Raises `InputError` if there are none.
    """
    if not path.is_dir():
        return [path]
    try:
        found = sorted((p for p in path.iterdir() if p.suffix in suffixes), key=_natural)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    if not found:
        expected = f"files that end in {' '.join(suffixes)}"
        raise InputError(f"no problems in {path}: expected {expected}")
    return found


def _natural(path: Path) -> list[tuple[int, str]]:
    return [
        (int(part or 0), "") if part.isdigit() else (-1, part)
        for part in re.split(r"(\d+)", path.name)
    ]


def write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: what was there stays if the disk is full. A device or a
    pipe is written to. Raises `InputError` if the file cannot be written.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        target = path.resolve()  # a link stays a link
        if not target.parent.exists():
            raise InputError(
                f"cannot write {printable(str(path))}: there is no folder "
                f"{printable(str(path.parent))}"
            )
        descriptor, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            Path(beside).chmod(_mode_of(target))
            Path(beside).replace(target)
        except BaseException:
            Path(beside).unlink()
            raise
    except OSError as error:
        raise InputError(f"cannot write {printable(str(path))}: {error.strerror}") from error


def write_all(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files by name into a folder, which is created if missing. Raises `InputError`."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot create the folder {folder}: {error.strerror}") from error
    for name, content in contents.items():
        write(folder / name, content)


def _mode_of(path: Path) -> int:
    """The permissions of the file, or of a new one."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
