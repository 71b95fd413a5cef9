"""Which format a file has, and the records of what is read from it."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
import polars as pl

from nqbench.addons.importing import aslib, csv_columns
from nqbench.addons.importing.base import FILE, Format, ResultFile, format_names
from nqbench.addons.importing.csv_columns import Mapped
from nqbench.addons.importing.statements import FIELDS, LINE, Stated, as_records
from nqbench.common.errors import InputError, Place, UnavailableError
from nqbench.common.printable import printable
from nqbench.records import frame, origin, sources
from nqbench.records.columns import OF_RECORDS
from nqbench.records.measures import is_name

_OTHERWISE: Final = "csv"
"""The format of a file that no format recognises."""


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

    By default the format is found out, and the source is the name of the file. `mapped` says where
    the fields of a CSV are, or replaces what another file states; `stated` holds for all runs.
    What a user should know is added to `notes`. Raises `InputError` with the name of the file for
    what cannot be read.
    """
    file = ResultFile(path, mapped)
    return records_of(file, format_of(file, kind), source or path.name, stated, notes=notes)


def records_of(
    file: ResultFile,
    kind: Format,
    source: str,
    stated: Stated | None = None,
    *,
    label: str = "",
    notes: list[str] | None = None,
) -> pl.DataFrame:
    """The records of a file of this format. `label` is its name in the source. What a user should
    know is added to `notes`. Raises as `records` does.
    """
    name = printable(source)
    with _naming(file.path, name):
        table = _read(file, kind)
        if not kind.makes_records:
            admitted = as_records(_with_fields(table, file, kind), name, stated, notes, label)
        elif stated:
            raise InputError("an export of nqbench states all fields itself: leave out others")
        else:
            with_source = table.with_columns(pl.col("imported_from").fill_null(name))
            admitted = frame.admitted(origin.as_imported(with_source), name)
        if admitted.is_empty():
            raise InputError("it has no runs")
    return admitted


@contextmanager
def _naming(path: Path, source: str) -> Iterator[None]:
    """Name the file in the message of each error."""
    try:
        yield
    except (pl.exceptions.PolarsError, UnicodeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{reason}", place=Place(sources.shown(path))) from error
    except InputError as error:
        shown_path = sources.shown(path)
        if not error.reason.startswith((shown_path, f"cannot read {shown_path}")):
            is_of_file = error.place.source in (source, shown_path)
            inner = replace(error.place, source="") if is_of_file else error.place
            error.place = inner.within(Place(shown_path))
        raise


def _read(file: ResultFile, kind: Format) -> pl.DataFrame:
    """What a format reads. A format may be a plugin, so what it returns is checked."""
    table = kind.read(file)
    if not isinstance(table, pl.DataFrame):
        raise InputError(f"format '{kind.name}' returns no table of Polars")
    return table


def _with_fields(table: pl.DataFrame, file: ResultFile, kind: Format) -> pl.DataFrame:
    """The table with the fields that the user mapped, without texts that are no fields."""
    if not kind.maps_columns:
        mapped = file.fields(table)
        stated_names = [name for name in table.columns if _is_stated(name, table.schema[name])]
        table = table.select(stated_names).with_columns(**mapped)
    name_table = pl.DataFrame({FILE: [printable(file.path.name)]})
    of_name = csv_columns.fields(name_table, file.mapped_name)
    table = table.with_columns(pl.lit(text[0]).alias(field) for field, text in of_name.items())
    if caution := file.mapped.shared.caution():
        warnings.warn(caution, stacklevel=2)
    return table


def _is_stated(name: str, kind: pl.DataType) -> bool:
    """Whether a column of a format is a field or a measure, and not only there to be mapped."""
    is_field = name in FIELDS or name in OF_RECORDS
    return is_field or name == LINE or (is_name(name) and kind != pl.String)


def format_of(file: ResultFile, name: str | None = None) -> Format:
    """The format with this name or, without one, that which recognises the file. Raises
    `InputError` if there is no such file, and if several recognise it.
    """
    with _naming(file.path, ""):
        if name is not None:
            return Format.named(name)
        if not file.path.exists():
            raise InputError("there is no such file")
        kinds = [kind for kind in _installed() if _recognises(kind, file)]
        if len(kinds) > 1:
            names = " or ".join(kind.name for kind in kinds)
            raise InputError(f"several formats recognise it: choose --from {names}")
        if not kinds and file.is_folder:
            needed_files = f"{aslib.RUNS} and {aslib.DESCRIPTION}"
            raise InputError(f"a folder has to be a scenario of ASlib, with {needed_files}")
        if not kinds and file.name.lower().endswith(".json"):
            json_formats = ", ".join(kind.name for kind in _installed() if ".json" in kind.suffixes)
            file.json(dict[str, msgspec.Raw], f"JSON of a known format ({json_formats})")
            raise InputError(f"it is not JSON of a known format ({json_formats})")
    return kinds[0] if kinds else Format.named(_OTHERWISE)


@cache
def _installed() -> list[Format]:
    """The formats that can be loaded."""
    kinds = []
    for name in format_names():
        try:
            kinds.append(Format.named(name))
        except (InputError, UnavailableError) as error:
            warnings.warn(str(error), stacklevel=2)
    return kinds


def _recognises(kind: Format, file: ResultFile) -> bool:
    """Whether a format recognises a file. A plugin that fails does not spoil other formats."""
    try:
        return bool(kind.recognises(file))
    except InputError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        warnings.warn(f"format '{kind.name}' could not look at it: {reason}", stacklevel=2)
        return False
