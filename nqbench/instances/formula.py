"""Formulas in DIMACS files, measured as they are: there is no board behind them."""

import gzip
import hashlib
import io
import lzma
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, ClassVar, Final

from nqbench import files
from nqbench.errors import InputError
from nqbench.printable import printable

if TYPE_CHECKING:
    from nqbench.instances.cnf import CNF

FAMILY: Final = "cnf"
"""What stands in the records of formulas where others have the family of their board."""

ENCODING: Final = "file"
"""What stands there for the encoding."""

SUFFIXES: Final = tuple(
    kind + packed for kind in (".cnf", ".dimacs") for packed in ("", ".gz", ".xz")
)
"""The files of a folder that are formulas."""

LARGEST_FILE: Final = 8 * 2**30
"""Bytes: a formula of two billion literals, and more than most solvers take."""

_PIECE: Final = 1 << 20
_GZIP: Final = b"\x1f\x8b"
_XZ: Final = b"\xfd7zXZ\x00"


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula in a file, plain or packed by gzip or xz, known by its name and its content.

    `digest` is a hash of the file's bytes, empty if it could not be read. `path` says where it
    lies, and is no part of what it is: another machine may have it elsewhere.
    """

    instance: str
    digest: str
    path: str

    family: ClassVar = FAMILY
    n: ClassVar = 0
    density: ClassVar = None

    @classmethod
    def at(cls, path: Path, name: str) -> "Formula":
        """The formula in a file. What is wrong with the file is for `read` to tell."""
        try:
            with files.opened(path, LARGEST_FILE) as file:
                digest = _digest(file)
        except (InputError, OSError):
            digest = ""
        return cls(printable(name), digest, str(path.absolute()))

    def __str__(self) -> str:
        return self.instance

    def read(self) -> "CNF":
        """The clauses; none of the variables are known to be a board's.

        Raises `InputError` with the file, and the line where there is one, if it cannot be read, is
        not what it was when it was planned, or is not DIMACS.
        """
        from nqbench.instances import dimacs

        content = files.content(Path(self.path), LARGEST_FILE)
        if _digest(io.BytesIO(content)) != self.digest:
            raise InputError(f"{self.path}: changed since the campaign was planned: start again")
        return dimacs.read(_unpacked(content, self.path), self.path)


def formulas(path: Path) -> list[Formula]:
    """The formula in a file, or those of a folder and the folders in it, sorted by their names.

    A formula of a folder is called by its path from there. Raises `InputError` if there is none.
    """
    if path.is_file():
        return [Formula.at(path, path.name)]
    if not path.is_dir():
        raise InputError(f"no file or folder {path}")
    found = sorted(file for file in path.rglob("*") if file.name.endswith(SUFFIXES))
    if not found:
        raise InputError(f"no formulas in {path}: expected files that end in {' '.join(SUFFIXES)}")
    return [Formula.at(file, file.relative_to(path).as_posix()) for file in found]


def _digest(file: BinaryIO) -> str:
    state = hashlib.blake2b(digest_size=16)
    while piece := file.read(_PIECE):
        state.update(piece)
    return state.hexdigest()


def _unpacked(content: bytes, source: str) -> bytes:
    try:
        if content.startswith(_GZIP):
            return gzip.decompress(content)
        if content.startswith(_XZ):
            return lzma.decompress(content)
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        raise InputError(f"{source}: corrupt archive: {error}") from error
    return content
