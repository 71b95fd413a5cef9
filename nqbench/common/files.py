"""Finds and reads untrusted files, only regular ones up to a size limit; writes files whole or not
at all. What the system refuses becomes an `InputError`, which says whether reading or writing
failed.
"""

import errno
import hashlib
import os
import re
import stat
import sys
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from io import BufferedReader, FileIO
from pathlib import Path
from typing import BinaryIO, Final

from nqbench.common.errors import InputError, Place
from nqbench.common.printable import printable

LARGEST_TEXT: Final = 32 * 2**20
"""The largest text file in bytes; a picture of a board of 4000 rows with spaces fits."""

_OPENED: Final = (Path("/dev/fd"), Path("/proc/self/fd"))
"""The folders of files that are open already: of a pipe there, somebody has the other end."""

STANDARD_INPUT: Final = Path("-")
"""The name that stands for standard input."""

_LONGEST_NAME: Final = 200
"""The longest file name that `distinct_names` makes, in bytes. Most systems take 255."""

_LONGEST_SHOWN: Final = 120
"""How much of a name is shown that may be too long, in characters."""

_MARKS: Final = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
"""The encodings of texts that begin with a byte order mark. Others are in UTF-8."""


class _Source(FileIO):
    """An open file whose errors while it is read are an `InputError`."""

    def __init__(self, descriptor: int, printable_name: str) -> None:
        super().__init__(descriptor, "rb")
        self._printable_name = printable_name

    def readinto(self, buffer: "memoryview | bytearray") -> int:  # type: ignore[override]
        """Read into the buffer, which returns the number of bytes. Raises `InputError`."""
        try:
            return super().readinto(buffer)
        except OSError as error:
            raise InputError(f"cannot read {self._printable_name}: {error.strerror}") from error

    def readall(self) -> bytes:
        """Read the rest. Raises `InputError`."""
        try:
            return super().readall()
        except OSError as error:
            raise InputError(f"cannot read {self._printable_name}: {error.strerror}") from error


def named(name: str | os.PathLike[str]) -> Path:
    """The path of a file or folder, which may be missing. Raises `InputError` for a name that the
    system refuses, such as one that is too long.
    """
    path = Path(name)
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return path
    except OSError as error:
        printable_name = printable(str(path), _LONGEST_SHOWN)
        raise InputError(f"cannot use {printable_name}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"cannot use {str(path)!r:.40}: {error}") from error
    return path


def opened(path: Path, largest_bytes: int) -> BufferedReader:
    """Open a file for reading.

    Raises `InputError` for a pipe, a device, a folder, a file that is too large or cannot be read,
    and a name that is not text. So does reading from it if the system fails.
    """
    printable_name = printable(str(path))
    try:
        # Without O_NONBLOCK, opening a pipe would wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        raise InputError(f"cannot read {printable_name}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"cannot read {printable_name!r}: {error}") from error
    if flaw := _flaw(os.fstat(descriptor), largest_bytes):
        os.close(descriptor)
        raise InputError(f"cannot read {printable_name}: it {flaw}")
    return BufferedReader(_Source(descriptor, printable_name))


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


def content_or_input(path: Path, largest_bytes: int) -> bytes:
    """The bytes of a file, for `-` those of standard input, or those of a pipe that the shell has
    opened, as in `<(solver)`. Raises `InputError` as `content`.
    """
    if path == STANDARD_INPUT:
        descriptor, source = os.dup(sys.stdin.fileno()), "standard input"
    elif path.parent in _OPENED and path.is_fifo():
        descriptor, source = os.open(path, os.O_RDONLY), str(path)
    else:
        return content(path, largest_bytes)
    with BufferedReader(_Source(descriptor, source)) as file:
        data = file.read(largest_bytes + 1)
    if len(data) > largest_bytes:
        raise InputError(f"{source} is larger than {largest_bytes // 2**20} MiB")
    return data


def decoded(data: bytes) -> str:
    """The text in these bytes: UTF-8, or what a byte order mark says. Raises an `InputError` with
    the line of what is no text.
    """
    encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"not in {encoding.upper()}, at byte {data[error.start]:#04x}: save the file as UTF-8",
            place=Place(line=line),
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError("a NUL character, so this is not text", place=Place(line=line))
    return text


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
        paths = sorted((p for p in path.iterdir() if p.suffix in suffixes), key=_natural)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    if not paths:
        expected = f"files that end in {' '.join(suffixes)}"
        raise InputError(f"no problems in {path}: expected {expected}")
    return paths


def _natural(path: Path) -> list[tuple[int, str]]:
    return [
        (int(part or 0), "") if part.isdigit() else (-1, part)
        for part in re.split(r"(\d+)", path.name)
    ]


def cache_folder() -> Path:
    """The folder for what can be made again: `nqbench` in `$XDG_CACHE_HOME`, which is usually
    `~/.cache`.
    """
    usual = Path("~/.cache").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or usual).absolute() / "nqbench"


def write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all. Raises `InputError` as `written` does."""
    with written(path) as file:
        file.write(content)


@contextmanager
def written(path: Path, *, folders: bool = False) -> Iterator[BinaryIO]:
    """A file to write, whole or not at all: what was there stays if the disk is full. A device, or
    a pipe that somebody reads, is written to. With `folders`, its folder is created if missing.
    Raises `InputError` if the system refuses.
    """
    printable_name = printable(str(path))
    try:
        if folders:
            path.parent.mkdir(parents=True, exist_ok=True)
        with (
            _open_device(path)
            if path.exists() and not path.is_file()
            else _replace_file(path) as file
        ):
            yield file
    except OSError as error:
        raise InputError(f"cannot write {printable_name}: {error.strerror}") from error


def _open_device(path: Path) -> BinaryIO:
    """A device or a pipe, opened for writing."""
    try:
        # Without O_NONBLOCK, opening a pipe would wait for a reader.
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        raise InputError(f"cannot write {printable(str(path))}: nothing reads from it") from error
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "wb")


@contextmanager
def _replace_file(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of this one when it is complete."""
    target = Path(os.path.realpath(path))  # a link stays a link
    if target.is_symlink():  # links that lead to each other, which `realpath` leaves as they are
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if not target.parent.exists():
        folder = printable(str(path.parent))
        raise InputError(f"cannot write {printable(str(path))}: there is no folder {folder}")
    mode = _mode_of(target)
    descriptor, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:20]}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        Path(beside).chmod(mode)
        Path(beside).replace(target)
    except BaseException:
        Path(beside).unlink()
        raise


def write_all(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files by name into a folder, which is created if missing. Raises `InputError`."""
    make_folder(folder)
    for name, content in contents.items():
        write(folder / name, content)


def make_folder(folder: Path, *, parents: bool = False) -> None:
    """Create a folder if it is missing, with `parents` also those above it. Raises `InputError`."""
    try:
        folder.mkdir(parents=parents, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot create the folder {printable(str(folder))}: {error.strerror}"
        ) from error


def distinct_names(texts: Iterable[str], suffix: str) -> dict[str, str]:
    """A file name for each text, by text: the same characters, or `_` for those that some system
    refuses. No two are equal, also where names ignore case; a number is added to those that would
    be. Names depend only on the set of texts.
    """
    names: dict[str, str] = {}
    uses: dict[str, int] = {}
    for text in sorted(set(texts)):
        safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in text).lstrip(".") or "_"
        # The limit is in bytes, and may cut a character in two.
        safe = safe.encode()[:_LONGEST_NAME].decode(errors="ignore")
        name = safe
        while (key := _fold_name(name)) in uses:
            uses[_fold_name(safe)] += 1
            name = f"{safe}-{uses[_fold_name(safe)]}"
        uses[key] = 1
        names[text] = name + suffix
    return names


def _fold_name(name: str) -> str:
    """The same for names that some file system takes for one."""
    return unicodedata.normalize("NFKC", name).casefold()


def _mode_of(path: Path) -> int:
    """The permissions of the file, or of a new one."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
