"""Which compiler made a solver, and a digest of its code alone. Both are read from its file in ELF,
the format of Linux, which is untrusted.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nqbench.common.errors import InputError
from nqbench.common.files import opened
from nqbench.common.printable import printable

_MOST_CODE: Final = 64 * 2**20
"""Bytes of machine code that are read; of a larger file, the first ones."""

_PIECE: Final = 2**20
_LONGEST_TEXT: Final = 2**12
_MOST_SEGMENTS: Final = 8
_MOST_SECTIONS: Final = 2**12

_FORMAT: Final = b"\x7fELF\x02\x01\x01"
_HEADER: Final = np.dtype([
    ("format", "S7"), ("_", "V11"), ("machine", "<u2"), ("_1", "V12"), ("segments_at", "<u8"),
    ("sections_at", "<u8"), ("_2", "V8"), ("segments", "<u2"), ("_3", "V2"), ("sections", "<u2"),
    ("names", "<u2"),
])  # fmt: skip
_SEGMENT: Final = np.dtype([
    ("type", "<u4"), ("flags", "<u4"), ("offset", "<u8"), ("address", "<u8"), ("_", "V8"),
    ("size", "<u8"), ("_1", "V16"),
])  # fmt: skip
_SECTION: Final = np.dtype([
    ("name", "<u4"), ("type", "<u4"), ("flags", "<u8"), ("_", "V8"), ("offset", "<u8"),
    ("size", "<u8"), ("link", "<u4"), ("_1", "V20"),
])  # fmt: skip
_LOADED, _EXECUTABLE = 1, 1
_INTERPRETER: Final = 3
_CONTENT, _EXECUTED = 1, 4


class Elf:
    """A 64-bit little-endian ELF file that is open for reading. What is damaged is left out.

    `machine` is the number of its instruction set; 0 if it is another file.
    """

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self._size = os.fstat(file.fileno()).st_size
        header = self._table(_HEADER, 0, 1)
        self.machine = 0
        self._segments = np.empty(0, _SEGMENT)
        self._sections = np.empty(0, _SECTION)
        self._names_at = 0
        if header["format"].tolist() == [_FORMAT]:
            self._read_tables(header[0])

    def _read_tables(self, header: Any) -> None:
        self.machine = int(header["machine"])
        self._segments = self._table(_SEGMENT, header["segments_at"], header["segments"])
        most = min(int(header["sections"]), _MOST_SECTIONS)
        self._sections = self._table(_SECTION, header["sections_at"], most)
        if header["names"] < len(self._sections):
            self._names_at = int(self._sections[header["names"]]["offset"])

    def _code(self) -> Iterator[bytes]:
        """Yield the machine code in pieces of 1 MiB."""
        kinds, flags = self._segments["type"], self._segments["flags"]
        segments = self._segments[(kinds == _LOADED) & (flags & _EXECUTABLE > 0)]
        left_bytes = _MOST_CODE
        for segment in segments[:_MOST_SEGMENTS]:
            for start in range(0, min(int(segment["size"]), self._size), _PIECE):
                length = min(int(segment["size"]) - start, _PIECE, left_bytes)
                piece = self._read(int(segment["offset"]) + start, length)
                left_bytes -= len(piece)
                if not piece:
                    break
                yield piece

    def digest(self) -> str | None:
        """12 hexadecimal digits of the machine code alone: the same wherever it was compiled. None
        without any.
        """
        hashed, size = hashlib.blake2b(digest_size=6), 0
        executable = self._sections["flags"] & _EXECUTED > 0
        sections = self._sections[executable & (self._sections["type"] == _CONTENT)]
        ranges = ((int(section["offset"]), int(section["size"])) for section in sections)
        pieces = (self._read(offset, min(length, _MOST_CODE)) for offset, length in ranges)
        for piece in pieces if len(sections) else self._code():
            hashed.update(piece)
            size += len(piece)
            if size > _MOST_CODE:
                break
        return hashed.hexdigest() if size else None

    @property
    def interpreter(self) -> str | None:
        """The program that loads the libraries of this one; None if it needs none."""
        segments = self._segments[self._segments["type"] == _INTERPRETER]
        return os.fsdecode(self._text(int(segments[0]["offset"]))) if len(segments) else None

    def comments(self) -> list[bytes]:
        """What compilers and linkers left about themselves, each once, in the file's order."""
        for section in self._sections:
            if self._text(self._names_at + int(section["name"])) == b".comment":
                content = self._read(section["offset"], min(int(section["size"]), _LONGEST_TEXT))
                return list(dict.fromkeys(filter(None, content.split(b"\0"))))
        return []

    def _table(self, kind: np.dtype[np.void], offset: int, entries: int) -> NDArray[Any]:
        data = self._read(offset, int(entries) * kind.itemsize)
        return np.frombuffer(data[: len(data) // kind.itemsize * kind.itemsize], kind)

    def _text(self, offset: int) -> bytes:
        return self._read(offset, _LONGEST_TEXT).partition(b"\0")[0]

    def _read(self, offset: int, size: int) -> bytes:
        """Return the bytes; fewer at the end of the file, also if it was shortened meanwhile."""
        size = min(int(size), self._size - int(offset))
        return os.pread(self._file.fileno(), size, int(offset)) if size > 0 else b""


_LARGEST_FILE: Final = 2**40
_LONGEST_NAME: Final = 80
_LONGEST_COMMENT: Final = 200


@dataclass(frozen=True, slots=True)
class MachineCode:
    """What a program or a shared object reveals about its compilation.

    `compiler` has all compilers that the file names, as in 'GCC 12.2.0, clang 14.0.6'; None if it
    names none. The first of several may have made only the startup code. `digest` has 12
    hexadecimal digits of the code, the same wherever it was compiled in the same way; None if the
    file is not ELF.
    """

    compiler: str | None = None
    digest: str | None = None


def examine(path: Path) -> MachineCode:
    """Examine a program or a shared object, but not the libraries that it loads."""
    try:
        with opened(path, _LARGEST_FILE) as file:
            elf = Elf(file)
            return MachineCode(_compiler(elf.comments()), elf.digest())
    except (InputError, OSError):
        return MachineCode()


def _compiler(comments: list[bytes]) -> str | None:
    """Name the compilers, in the order of the comments.

    >>> _compiler([b"GCC: (Debian 12.2.0-14) 12.2.0", b"Linker: LLD", b"clang version 14.0.6"])
    'GCC 12.2.0, clang 14.0.6'
    """
    names: dict[str, None] = {}
    for comment in comments:
        text = printable(comment.decode(errors="replace"), _LONGEST_COMMENT)
        if match := re.match(r"(GCC): \(.*\) (\d\S*)|.*\b(clang|rustc) version (\S+)", text):
            text = " ".join(filter(None, match.groups()))
        if not text.startswith(("Linker", "mold")):
            names[printable(text, _LONGEST_NAME)] = None
    return printable(", ".join(names), _LONGEST_COMMENT) or None
