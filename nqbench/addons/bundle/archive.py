"""The archive of a bundle: a ZIP file that has a checksum of every file in it.

The same files give the same bytes: names are sorted, and times and permissions are fixed. A bundle
may come from anybody, so an archive is checked as a whole before anything in it is used, and it is
never unpacked: files are read by name, up to the size that it states.
"""

import errno
import hashlib
import re
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from nqbench.common import files
from nqbench.common.errors import InputError, Place
from nqbench.common.printable import printable

CHECKSUMS: Final = "SHA256SUMS"
"""The file with the checksums of all others, as `sha256sum --check` reads it."""

LARGEST: Final = 16 * 2**30
"""The largest bundle in bytes, packed or not."""

MOST_FILES: Final = 100_000

_SMALL: Final = 16 * 2**20
_MOST_RATIO: Final = 100
"""How many times its packed size a file may have if it is not small. DIMACS has up to 20."""

_NAME: Final = re.compile(r"\w[\w.+-]*(/\w[\w.+-]*)*", re.ASCII)
_LONGEST_NAME: Final = 200
_LINE: Final = re.compile(r"([0-9a-f]{64})  (.+)")
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a ZIP file can state."""

_MODE: Final = stat.S_IFREG | 0o644
_UNIX: Final = 3
"""The number of the system whose permissions an entry has."""

_PART: Final = 2**20
_ENCRYPTED: Final = 0x1
_KINDS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN: Final = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(EOFError, ValueError, NotImplementedError),
)

Content = bytes | Path
"""The content of a file, or the path of a file that has it."""


def write(path: Path, contents: Mapping[str, Content]) -> None:
    """Write an archive of these files by name, with their checksums. Raises `InputError` if a file
    cannot be read, and `OSError` if the archive cannot be written.
    """
    sums = {}
    with zipfile.ZipFile(path, "w") as archive:
        for name in sorted(contents):
            sums[name] = _add(archive, name, contents[name])
        lines = "".join(f"{digest}  {name}\n" for name, digest in sums.items())
        _add(archive, CHECKSUMS, lines.encode())


def _add(archive: zipfile.ZipFile, name: str, content: Content) -> str:
    """Add a file and return its checksum."""
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, _UNIX
    entry.external_attr = _MODE << 16
    if isinstance(content, bytes):
        archive.writestr(entry, content)
        return hashlib.sha256(content).hexdigest()
    digest = hashlib.sha256()
    with files.opened(content, LARGEST) as file:
        entry.file_size = content.stat().st_size
        with archive.open(entry, "w") as packed:
            while part := file.read(_PART):
                digest.update(part)
                packed.write(part)
    return digest.hexdigest()


class Archive:
    """A bundle that is open for reading, all of whose checksums are right."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self.path = path
        self._archive = archive
        self._entries = _entries(archive)
        self._check()

    @property
    def names(self) -> list[str]:
        """The names of its files."""
        return list(self._entries)

    def content(self, name: str, largest: int) -> bytes:
        """The content of a file. Raises `InputError` if there is none of this name, or if it has
        more than `largest` bytes.
        """
        with self._opened(name) as file:
            if self._entries[name].file_size > largest:
                raise InputError(f"{name} is larger than {largest // 2**20} MiB")
            return file.read()

    def unpack_file(self, name: str, path: Path) -> None:
        """Write the content of a file to this path. Raises `InputError` as `content` does."""
        with self._opened(name) as file, path.open("wb") as copy:
            shutil.copyfileobj(file, copy)

    def _check(self) -> None:
        """Raise `InputError` if the checksum of a file is wrong or missing."""
        sums = {}
        for line in self.content(CHECKSUMS, _SMALL).decode(errors="replace").splitlines():
            if not (match := _LINE.fullmatch(line)):
                raise InputError(f"{CHECKSUMS} has a line that is no checksum: {printable(line)}")
            sums[match[2]] = match[1]
        for name in sums.keys() ^ (self._entries.keys() - {CHECKSUMS}):
            lacks = f"{CHECKSUMS} lacks" if name in self._entries else "it lacks the file"
            raise InputError(f"{lacks} {printable(name)}")
        for name, digest in sums.items():
            with self._opened(name) as file:
                if hashlib.file_digest(file, hashlib.sha256).hexdigest() != digest:  # type: ignore[arg-type]
                    raise InputError(f"{name} was changed: its checksum is another one")

    def _opened(self, name: str) -> IO[bytes]:
        if name not in self._entries:
            raise InputError(f"it lacks the file {name}")
        return self._archive.open(self._entries[name])


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """The archive at this path, for reading. Raises an `InputError` with the path for a file that
    is no bundle, and for one that was changed, here or while it is read.
    """
    with files.opened(path, LARGEST) as file, errors_of(path), zipfile.ZipFile(file) as archive:
        yield Archive(path, archive)


@contextmanager
def errors_of(path: Path) -> Iterator[None]:
    """Put the path of a bundle before errors about its content."""
    try:
        yield
    except InputError as error:
        raise InputError(str(error), place=Place(printable(str(path)))) from error
    except (*_BROKEN, OSError) as error:
        # A damaged archive may place a file before its own beginning.
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise
        why = printable(str(error)) or "it ends too early"
        raise InputError(f"{printable(str(path))} is no bundle, or is damaged: {why}") from error


def _entries(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The files of an archive by name. Raises `InputError` for what `write` does not write."""
    listed = archive.infolist()
    if len(listed) > MOST_FILES:
        raise InputError(f"it has more than {MOST_FILES} files")
    entries: dict[str, zipfile.ZipInfo] = {}
    for entry in listed:
        name = entry.filename
        if flaw := _flaw(entry) or ("is there twice" if name in entries else None):
            raise InputError(f"the file {printable(name, _LONGEST_NAME)} {flaw}")
        entries[name] = entry
    if sum(entry.file_size for entry in listed) > LARGEST:
        raise InputError(f"it unpacks to more than {LARGEST // 2**30} GiB")
    return entries


def _flaw(entry: zipfile.ZipInfo) -> str | None:
    """Why `write` does not write this file, in words; None if it can."""
    name, kind = entry.filename, entry.external_attr >> 16
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name) or entry.orig_filename != name:
        return "has a name that no file of a bundle has"
    if stat.S_IFMT(kind) not in (0, stat.S_IFREG):
        return "is not a regular file"
    if entry.flag_bits & _ENCRYPTED or entry.compress_type not in _KINDS:
        return "is packed in a way that no bundle uses"
    if entry.file_size > max(_SMALL, _MOST_RATIO * entry.compress_size):
        return f"unpacks to more than {_MOST_RATIO} times its size"
    return None
