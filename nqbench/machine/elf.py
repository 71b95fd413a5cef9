"""Reads programs and shared objects in ELF, the format of Linux. They are untrusted."""

import hashlib
import os
from collections.abc import Iterator
from io import BufferedReader
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

MOST_CODE: Final = 64 * 2**20
"""Bytes of machine code that are read; of a larger file, the first ones."""

_PIECE: Final = 2**20
_LONGEST_TABLE: Final = 24 * 2**20
_LONGEST_TEXT: Final = 2**12
_MOST_SEGMENTS: Final = 8
_MOST_SECTIONS: Final = 2**12
_MOST_SYMBOL_TABLES: Final = 2

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
_SYMBOL: Final = np.dtype([
    ("name", "<u4"), ("kind", "u1"), ("_", "V3"), ("address", "<u8"), ("size", "<u8"),
])  # fmt: skip
_LOADED, _EXECUTABLE = 1, 1
_INTERPRETER: Final = 3
_SYMBOLS: Final = (2, 11)  # all, and those that a shared object exports
_FUNCTION: Final = 2
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

    def code(self) -> Iterator[tuple[int, Bytes]]:
        """Yield the machine code in pieces of 1 MiB, each with its address."""
        kinds, flags = self._segments["type"], self._segments["flags"]
        segments = self._segments[(kinds == _LOADED) & (flags & _EXECUTABLE > 0)]
        left = MOST_CODE
        for segment in segments[:_MOST_SEGMENTS]:
            for start in range(0, min(int(segment["size"]), self._size), _PIECE):
                length = min(int(segment["size"]) - start, _PIECE, left)
                piece = self._read(int(segment["offset"]) + start, length)
                left -= len(piece)
                if not piece:
                    break
                yield (int(segment["address"]) + start) % 2**64, np.frombuffer(piece, np.uint8)

    def digest(self) -> str | None:
        """12 hexadecimal digits of the machine code alone: the same wherever it was compiled. None
        without any.
        """
        hashed, size = hashlib.blake2b(digest_size=6), 0
        executable = self._sections["flags"] & _EXECUTED > 0
        sections = self._sections[executable & (self._sections["type"] == _CONTENT)]
        whole = ((int(each["offset"]), int(each["size"])) for each in sections)
        pieces = (self._read(offset, min(length, MOST_CODE)) for offset, length in whole)
        for piece in pieces if len(sections) else (code.data for _, code in self.code()):
            hashed.update(piece)
            size += len(piece)
            if size > MOST_CODE:
                break
        return hashed.hexdigest() if size else None

    @property
    def interpreter(self) -> str | None:
        """The program that loads the libraries of this one; None if it needs none."""
        named = self._segments[self._segments["type"] == _INTERPRETER]
        return os.fsdecode(self._text(int(named[0]["offset"]))) if len(named) else None

    def comments(self) -> list[bytes]:
        """What compilers and linkers left about themselves, each once, in the file's order."""
        for section in self._sections:
            if self._text(self._names_at + int(section["name"])) == b".comment":
                content = self._read(section["offset"], min(int(section["size"]), _LONGEST_TEXT))
                return list(dict.fromkeys(filter(None, content.split(b"\0"))))
        return []

    def functions(self, starts: NDArray[np.uint64], length: int, most: int) -> list[bytes]:
        """The names of the largest functions that start in one of the blocks of `length` bytes, by
        size. `starts` are the addresses of the blocks, in ascending order.
        """
        found: dict[bytes, int] = {}
        for symbols, names_at in self._functions() if len(starts) else ():
            block = np.searchsorted(starts, symbols["address"], "right") - 1
            inside = symbols[(block >= 0) & (symbols["address"] - starts[block] < length)]
            for symbol in inside[np.argsort(inside["size"])[-most:]]:
                found[self._text(names_at + int(symbol["name"]))] = int(symbol["size"])
        return sorted(filter(None, found), key=lambda name: -found[name])[:most]

    def extents(self, prefixes: tuple[str, ...]) -> NDArray[np.uint64]:
        """Where the functions are whose names start with one of these: first and last address of
        each, shape (functions, 2).
        """
        wanted = tuple(prefix.encode() for prefix in prefixes)
        found = [np.empty((0, 2), np.uint64)]
        for symbols, names_at in self._functions():
            names = self._read(names_at, _LONGEST_TABLE)
            chosen = [names.startswith(wanted, at) for at in symbols["name"].tolist()]
            kept = symbols[np.array(chosen, np.bool_)]
            last = kept["address"] + np.maximum(kept["size"], 1) - 1
            found.append(np.stack([kept["address"], last], 1))
        return np.concatenate(found)

    def _functions(self) -> Iterator[tuple[NDArray[Any], int]]:
        """Yield the functions of each table of symbols, and where their names begin."""
        tables = self._sections[np.isin(self._sections["type"], _SYMBOLS)]
        for table in tables[:_MOST_SYMBOL_TABLES]:
            if table["link"] < len(self._sections):
                size = min(int(table["size"]), _LONGEST_TABLE)
                symbols = self._table(_SYMBOL, table["offset"], size // _SYMBOL.itemsize)
                names_at = int(self._sections[table["link"]]["offset"])
                yield symbols[symbols["kind"] & 15 == _FUNCTION], names_at

    def _table(self, kind: np.dtype[np.void], offset: int, entries: int) -> NDArray[Any]:
        data = self._read(offset, int(entries) * kind.itemsize)
        return np.frombuffer(data[: len(data) // kind.itemsize * kind.itemsize], kind)

    def _text(self, offset: int) -> bytes:
        return self._read(offset, _LONGEST_TEXT).partition(b"\0")[0]

    def _read(self, offset: int, size: int) -> bytes:
        """Return the bytes; fewer at the end of the file, also if it was shortened meanwhile."""
        size = min(int(size), self._size - int(offset))
        return os.pread(self._file.fileno(), size, int(offset)) if size > 0 else b""
