"""`cnf`: a formula in a DIMACS file, measured as it is.

It has clauses already, and no cover or rules: answers are checked against the clauses.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma
import zlib
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Final

from nqbench import files, parsing
from nqbench.errors import InputError
from nqbench.families.base import Family
from nqbench.printable import printable
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal

SUFFIXES: Final = tuple(
    kind + packed for kind in (".cnf", ".dimacs") for packed in ("", ".gz", ".xz")
)
"""The suffixes of formula files in a folder."""

LARGEST_FILE: Final = 8 * 2**30
"""The largest file in bytes: two billion literals, more than most solvers accept."""

_GZIP: Final = b"\x1f\x8b"
_XZ: Final = b"\xfd7zXZ\x00"
_ARCHIVES: Final = {".gz": "a gzip", ".xz": "an xz"}


@dataclass(frozen=True, slots=True)
class Formula(Clausal):
    """A formula in a file, plain or compressed with gzip or xz, identified by name and content.

    `file_digest` is a hash of the file's bytes, empty if it could not be read. `path` is not part
    of its identity, since another machine may have the file elsewhere.
    """

    instance: str = ""
    file_digest: str = ""
    path: str = ""

    family: ClassVar[str] = "cnf"  # type: ignore[misc]

    @classmethod
    def at(cls, path: Path, name: str) -> Formula:
        """The formula in a file. `content` reports if something is wrong with the file."""
        try:
            with files.opened(path, LARGEST_FILE) as file:
                digest = _digest(file)
        except (InputError, OSError):
            digest = ""
        return cls(printable(name), digest, str(path.absolute()))

    @property
    def identity(self) -> dict[str, Any]:
        return {"instance": self.instance, "digest": self.file_digest, "path": ""}

    @property
    def digest(self) -> str:
        return self.file_digest

    @property
    def weight(self) -> int:
        """The bytes of the file as it is, packed or not; 0 if it cannot be read."""
        try:
            return Path(self.path).stat().st_size
        except OSError:
            return 0

    @property
    def source(self) -> str:
        return self.path

    def content(self) -> bytes:
        """The unpacked text of the file.

        Raises an `InputError` with the file if it cannot be read, or has changed since the campaign
        was planned.
        """
        content = files.content(Path(self.path), LARGEST_FILE)
        if _digest(io.BytesIO(content)) != self.file_digest:
            raise InputError(f"{self.path}: changed since the campaign was planned: start again")
        return _unpacked(content, self.path)


def formulas(path: str | PathLike[str]) -> list[Formula]:
    """Return the formula in a file, or the formulas in a folder and its subfolders, sorted by path.

    A formula in a folder is named by its path from there. Raises `InputError` if there is none.
    """
    place = parsing.path(path)
    if place.is_file():
        return [Formula.at(place, place.name)]
    if not place.is_dir():
        raise InputError(f"no file or folder {place}")
    found = sorted(file for file in place.rglob("*") if file.name.endswith(SUFFIXES))
    if not found:
        raise InputError(f"no formulas in {place}: expected files that end in {' '.join(SUFFIXES)}")
    return [Formula.at(file, file.relative_to(place).as_posix()) for file in found]


def _digest(file: io.BufferedReader | io.BytesIO) -> str:
    return hashlib.file_digest(file, partial(hashlib.blake2b, digest_size=16)).hexdigest()


def _unpacked(content: bytes, source: str) -> bytes:
    from nqbench.instances import dimacs  # NumPy takes long to import

    try:
        if content.startswith(_GZIP):
            return gzip.decompress(content)
        if content.startswith(_XZ):
            return lzma.decompress(content)
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        raise InputError(f"{source}: corrupt archive: {error}") from error
    kind = _ARCHIVES.get(Path(source).suffix)
    # Some programs unpack what they download, and keep the name.
    if kind is not None and not dimacs.has_header(content):
        raise InputError(f"{source}: not {kind} file")
    return content


class Formulas(Family):
    """Formulas in files and folders."""

    meaning = "a formula in a DIMACS file"
    reference = "SAT competition, 'CNF format'"
    problem = Formula
    has_sizes = False
    suffixes = SUFFIXES

    def read(self, path: Path) -> list[Problem]:
        return list(formulas(path))
