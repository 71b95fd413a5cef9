"""What kinds of files can be imported, which kind a file is, and what is read from it."""

import bz2
import gzip
import lzma
import zlib
from pathlib import Path
from typing import Any, Final

import polars as pl

from nqbench import files
from nqbench.errors import InputError
from nqbench.imported import aslib, benchexec, csv_columns, mkplot
from nqbench.imported.csv_columns import Mapped
from nqbench.imported.statements import Stated, as_records
from nqbench.printable import printable
from nqbench.records import origin, sources

_LARGEST: Final = 4 * 2**30
"""The largest file, unpacked, in bytes."""

_ARCHIVES: Final[dict[str, Any]] = {
    ".bz2": bz2.open,
    ".gz": gzip.open,
    ".xz": lzma.open,
}
_SUFFIXES: Final = {
    ".xml": "benchexec",
    ".json": "mkplot",
    ".jsonl": "nqbench",
    ".parquet": "nqbench",
}
_BEGINNING: Final = 1 << 16


def records(
    path: Path,
    *,
    kind: str | None = None,
    mapped: Mapped | None = None,
    source: str | None = None,
    stated: Stated | None = None,
    notes: list[str] | None = None,
) -> pl.DataFrame:
    """The records of a file, or of the folder of a scenario, from elsewhere.

    By default the kind is found out, and the source is the name of the file. `mapped` says where
    the fields of a CSV are, or replaces what another file states, and `stated` holds for all runs.
    What a user should know is added to `notes`. Raises `InputError` with the name of the file for
    what cannot be read.
    """
    name = printable(source or path.name)
    try:
        found = _records(
            path, kind or kind_of(path), mapped or Mapped(), name, stated=stated, notes=notes
        )
        if found.is_empty():
            raise InputError("it has no runs")
    except (pl.exceptions.PolarsError, UnicodeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{sources.shown(path)}: {reason}") from error
    except InputError as error:
        shown = sources.shown(path)
        is_named = str(error).startswith((shown, f"cannot read {shown}"))
        if is_named:
            raise
        raise InputError(f"{shown}: {str(error).removeprefix(f'{name}: ')}") from error
    return found


def _records(
    path: Path,
    kind: str,
    mapped: Mapped,
    source: str,
    *,
    stated: Stated | None,
    notes: list[str] | None,
) -> pl.DataFrame:
    if kind != "nqbench":
        return as_records(_statements(path, kind, mapped), source, stated, notes)
    if mapped != Mapped() or stated:
        raise InputError("an export of nqbench states all fields itself: leave out others")
    return _of_nqbench(path, source)


def kind_of(path: Path) -> str:
    """The kind of a file or folder, by its name and its beginning. Raises `InputError` if there is
    no such file.
    """
    if path.is_dir():
        if aslib.is_scenario(path):
            return "aslib"
        needed = f"{aslib.RUNS} and {aslib.DESCRIPTION}"
        raise InputError(f"a folder has to be a scenario of ASlib, with {needed}")
    if not path.exists():
        raise InputError("there is no such file")
    plain = _unpacked_name(path)
    if plain.suffix in _SUFFIXES:
        return _SUFFIXES[plain.suffix]
    header = _first(path, _BEGINNING).partition(b"\n")[0].decode(errors="replace")
    columns = {name.strip().strip('"') for name in header.split(",")}
    return "nqbench" if {"run_id", "backend", "outcome"} <= columns else "csv"


def _unpacked_name(path: Path) -> Path:
    """The name of a file without the ending of an archive."""
    return path.with_suffix("") if path.suffix in _ARCHIVES else path


def _statements(path: Path, kind: str, mapped: Mapped) -> pl.DataFrame:
    if kind == "csv":
        return csv_columns.read(_content(path), mapped)
    if kind == "aslib":
        table = aslib.read(path)
    else:
        table = {"benchexec": benchexec.read, "mkplot": mkplot.read}[kind](_content(path))
    return table.with_columns(**csv_columns.fields(table, mapped))


def _of_nqbench(path: Path, source: str) -> pl.DataFrame:
    """The records of an export; those that it did not import itself get the source."""
    if sources.is_store(path):
        found = sources.read_raw(path)
    else:
        found = sources.parsed(str(_unpacked_name(path)), _content(path))
    return origin.as_imported(found.with_columns(pl.col("imported_from").fill_null(source)))


def _content(path: Path) -> bytes:
    """The bytes of a file, unpacked if it is an archive. Raises `InputError` for a damaged archive
    and for too many bytes.
    """
    data = _first(path, _LARGEST + 1)
    if len(data) > _LARGEST:
        raise InputError(f"it is larger than {_LARGEST // 2**20} MiB")
    return data


def _first(path: Path, size: int) -> bytes:
    """The first bytes of a file, unpacked. Raises `InputError` for a damaged archive."""
    with files.opened(path, _LARGEST) as file:
        opened = _ARCHIVES[path.suffix](file) if path.suffix in _ARCHIVES else file
        try:
            data: bytes = opened.read(size)
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            raise InputError(f"corrupt archive: {error}") from error
    return data
