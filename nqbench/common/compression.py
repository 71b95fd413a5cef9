"""Packed files: recognised by their first bytes, unpacked up to a size, and written by suffix.

Zstandard is in Python from 3.14 on; before, the extra `zst` has it.
"""

import bz2
import gzip
import importlib
import io
import lzma
import re
import zlib
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, Final

from nqbench.common.errors import InputError, Place
from nqbench.common.printable import printable

_PIECE: Final = 1 << 20
"""Bytes that are unpacked at once: what is left of a piece is copied for each packed part."""


def _zstd() -> Any:
    """The module for Zstandard. Raises `InputError` with the command that installs it."""
    for name in ("compression.zstd", "backports.zstd"):
        with suppress(ImportError):
            return importlib.import_module(name)
    raise InputError(
        "zst needs a package before Python 3.14: try pip install 'nqbench[zst]', or another "
        "packing such as gz"
    )


@dataclass(frozen=True, slots=True)
class Packing:
    """A way to pack a file: how it is called, its suffixes and first bytes; what unpacks one part,
    and the writer for an open file.
    """

    noun: str
    suffixes: tuple[str, ...]
    magic: bytes
    decompressor: Callable[[], Any]
    writer: Callable[[BinaryIO], Any]


PACKINGS: Final = (
    Packing(
        "a gzip file",
        (".gz",),
        b"\x1f\x8b",
        partial(zlib.decompressobj, 16 + zlib.MAX_WBITS),
        # Without a name and a time, equal formulas make equal files.
        lambda file: gzip.GzipFile("", "wb", fileobj=file, mtime=0),
    ),
    Packing(
        "a bzip2 file",
        (".bz2",),
        b"BZh",
        bz2.BZ2Decompressor,
        lambda file: bz2.BZ2File(file, "wb"),
    ),
    Packing(
        "an xz file",
        (".xz",),
        b"\xfd7zXZ\x00",
        lzma.LZMADecompressor,
        lambda file: lzma.LZMAFile(file, "wb"),  # noqa: SIM115 - the caller closes it
    ),
    Packing(
        "an lzma file",
        (".lzma",),
        b"\x5d\x00\x00",
        lzma.LZMADecompressor,
        lambda file: lzma.LZMAFile(file, "wb", format=lzma.FORMAT_ALONE),  # noqa: SIM115
    ),
    Packing(
        "a zst file",
        (".zst",),
        b"\x28\xb5\x2f\xfd",
        lambda: _zstd().ZstdDecompressor(),
        lambda file: _zstd().ZstdFile(file, "wb"),
    ),
)

SUFFIXES: Final = tuple(suffix for packing in PACKINGS for suffix in packing.suffixes)

_OTHERS: Final = {
    b"PK\x03\x04": "a zip archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!": "a rar archive",
    b"\x1f\x9d": "packed by `compress`",
    b"LZIP": "an lzip file",
    b"\x04\x22\x4d\x18": "an lz4 file",
}
"""First bytes of files that nqbench does not unpack."""

_OTHER_SUFFIXES: Final = (".zip", ".7z", ".rar", ".z", ".lz", ".lz4", ".tar", ".tgz", ".tbz", ".br")
_TAR: Final = slice(257, 262)
_PADDING: Final = re.compile(rb"\0*")


def of_suffix(name: str) -> Packing | None:
    """The packing that the name of a file states, in any case; None if it states none."""
    return next((packing for packing in PACKINGS if name.lower().endswith(packing.suffixes)), None)


def unpacked(content: bytes, source: str, largest_bytes: int) -> bytes:
    """Return the content as it is, or unpacked if its first bytes say that it is packed.

    Raises `InputError` with the source if the archive is corrupt, unpacks to more than
    `largest_bytes`, or is of a kind that nqbench does not unpack.
    """
    for packing in PACKINGS:
        if content.startswith(packing.magic):
            content = _unpack_parts(packing, content, source, largest_bytes)
            break
    for magic, noun in _OTHERS.items():
        if content.startswith(magic):
            raise InputError(f"{source} is {noun}: unpack it first")
    if content[_TAR] == b"ustar":
        raise InputError(f"{source} is a tar archive: unpack it, and name its files or folder")
    return content


def _unpack_parts(packing: Packing, content: bytes, source: str, largest_bytes: int) -> bytes:
    """What is in the packed parts, of which there may be several."""
    output = io.BytesIO()
    view, start = memoryview(content), 0
    try:
        while start < len(content) and content.startswith(packing.magic, start):
            part = packing.decompressor()
            while not part.eof:
                if start == len(content):
                    raise InputError("corrupt archive: it is cut off", place=Place(source))
                piece = view[start : start + _PIECE]
                output.write(part.decompress(piece, largest_bytes + 1 - output.tell()))
                if output.tell() > largest_bytes:
                    raise InputError(f"{source} unpacks to more than {largest_bytes // 2**20} MiB")
                start += len(piece) - len(part.unused_data)
            start = _padding_end(content, start)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # each decompressor has its own
        raise InputError(f"corrupt archive: {error}", place=Place(source)) from error
    return output.getvalue()


def _padding_end(content: bytes, start: int) -> int:
    """Where the zeros end that may stand between packed parts."""
    padding = _PADDING.match(content, start)
    return padding.end() if padding else start


def check_name(name: str) -> None:
    """Raise `InputError` if the suffix of this name is that of archives that nqbench does not
    write, or if there is no package for it.
    """
    if packing := of_suffix(name):
        packing.decompressor()
    if name.lower().endswith(_OTHER_SUFFIXES):
        every = ", ".join(SUFFIXES)
        raise InputError(f"cannot write {printable(name)}: pack it as {every}, or not at all")


def writer(name: str, file: BinaryIO) -> Any:
    """A context manager that packs what is written to it into an open file, as the suffix of this
    name says; without such a suffix, it writes it as it is. Raises `InputError` if there is no
    package for that.
    """
    packing = of_suffix(name)
    return packing.writer(file) if packing else nullcontext(file)
