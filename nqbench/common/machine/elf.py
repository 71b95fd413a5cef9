"""Reads programs and shared objects in ELF, the format of Linux. They are untrusted."""

import hashlib
import os
from collections.abc import Iterator
from io import BufferedReader
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

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
