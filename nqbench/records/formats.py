"""Exports records to files for other tools as CSV, JSON lines or Parquet, and reads them."""

import csv
import io
import json
import math
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

import msgspec
import polars as pl

from nqbench.common import files
from nqbench.common.csv_text import FORMULA, QUOTED_FORMULA
from nqbench.common.errors import InputError, Place
from nqbench.common.machine.environment import Environment, Session
from nqbench.records import measures
from nqbench.records.columns import OF_RECORDS, shown
from nqbench.records.frame import (
    MOST_MEASURES,
    check_types,
    measures_of,
    row_error,
    schema,
    stored_once,
)
from nqbench.records.record import EARLIER

_FORMULAS: Final = "cnf"


def to_csv(records: pl.DataFrame) -> bytes:
    """A header and one line per record; `queens` as numbers separated by spaces.

    Text that a spreadsheet would take for a formula is prefixed with an apostrophe, which
    spreadsheets do not show and `from_csv` removes.
    """
    queens = pl.col("queens").cast(pl.List(pl.String)).list.join(" ")
    texts = pl.col(_texts(records)).str.replace(FORMULA, "'$0")
    return records.with_columns(queens).with_columns(texts).write_csv().encode()


def to_jsonl(records: pl.DataFrame) -> bytes:
    """One JSON object per line."""
    return records.write_ndjson().encode()


def to_parquet(records: pl.DataFrame) -> bytes:
    """An Apache Parquet file."""
    file = io.BytesIO()
    records.write_parquet(file)
    return file.getvalue()


def from_csv(content: bytes, columns: Collection[str] | None = None) -> pl.DataFrame:
    """Read what `to_csv` wrote; with `columns`, only those that are among them. Raises `InputError`
    for a value of another type than its column, and `polars.exceptions.PolarsError`.
    """
    selection = _select_names(pl.read_csv(content, infer_schema=False, n_rows=0).columns, columns)
    table = stored_once(_numbers_read(content, selection))
    for name, kind in schema().items():
        if table.schema.get(name) == pl.String != kind:
            table = table.with_columns(_parse_texts(table, name, kind))
    complete = _complete(_without_quotes(table))
    # A program that saved the file again may have left out the quotes of an empty text.
    may_be_empty = [c.name for c in OF_RECORDS.values() if c.required and not c.words]
    empty = pl.col([name for name in may_be_empty if complete.schema[name] == pl.String])
    return complete.with_columns(empty.fill_null(""))


def rows_of_csv(text: str, separator: str = ",") -> Iterator[list[str]]:
    """The rows of a CSV, of which the first is its header, without empty lines. Raises `InputError`
    for a quote that is not closed or that ends inside of a value.
    """
    before = csv.field_size_limit(len(text) + 1)
    number = 0
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True):
            if row:
                yield row
                number += 1
    except csv.Error as error:
        place = Place(row=number) if number else Place(field="the header")
        is_open = "end of data" in str(error)
        reason = "a quote is not closed" if is_open else str(error)
        raise InputError(reason, place=place) from error
    finally:
        csv.field_size_limit(before)


def misshapen(content: bytes) -> InputError | None:
    """The error about the rows of a CSV; None if nothing is wrong with them."""
    try:
        rows = rows_of_csv(files.decoded(content))
        width = len(next(rows, []))
        for number, row in enumerate(rows, 1):
            if len(row) != width:
                return InputError(f"{len(row)} values, not {width}", place=Place(row=number))
    except InputError as error:
        return error
    return None


def _select_names(names: Sequence[str], columns: Collection[str] | None) -> list[str] | None:
    """Which columns of a file to read; None for all."""
    return None if columns is None else [name for name in names if name in columns]


def _without_quotes(table: pl.DataFrame) -> pl.DataFrame:
    """The table without the apostrophes that `to_csv` puts before formulas."""
    texts = _texts(table)
    # Few columns have any, and this search takes less time than a regular expression.
    has_quotes = table.select(pl.col(texts).str.starts_with("'").any())
    quoted = [name for name in texts if has_quotes[name].item()]
    return table.with_columns(pl.col(quoted).str.replace(QUOTED_FORMULA, "$1"))


def _numbers_read(content: bytes, columns: list[str] | None) -> pl.DataFrame:
    """The columns of a CSV, with numbers where records have numbers; all as texts if any of these
    is not a number, so that `_parse_texts` can name it.
    """
    numbers = {name: kind for name, kind in schema().items() if kind.is_numeric()}
    try:
        return pl.read_csv(content, infer_schema=False, columns=columns, schema_overrides=numbers)
    except pl.exceptions.ComputeError:
        return pl.read_csv(content, infer_schema=False, columns=columns)


def _parse_texts(texts: pl.DataFrame, name: str, kind: pl.DataType) -> pl.Series:
    """A column of texts as numbers, or as lists of numbers; an empty text is no value. pandas
    writes 41.0 for a whole number beside a missing one, and [1 2] for a list.
    """
    filled = texts.select(pl.when(pl.col(name) != "").then(pl.col(name)))[name]
    if isinstance(kind, pl.List):
        spaced = filled.str.strip_chars("[] ").str.replace_all(r"\s+", " ")
        split = spaced.str.split(" ").list.filter(pl.element() != "")
    else:
        split = filled.str.replace(r"\.0+$", "") if kind.is_integer() else filled
    values = split.cast(kind, strict=False)
    lost = values.is_null() & filled.is_not_null()
    if isinstance(kind, pl.List):
        lost |= values.list.eval(pl.element().is_null()).list.any().fill_null(value=False)
    if lost.any():
        row = int(lost.arg_max() or 0)
        flaw = OF_RECORDS[name].flaw(filled[row])
        raise row_error(texts, row, f"{name} {flaw}")
    return values


def _texts(table: pl.DataFrame) -> list[str]:
    return [name for name, kind in table.schema.items() if kind == pl.String]


def from_jsonl(content: bytes, columns: Collection[str] | None = None) -> pl.DataFrame:
    """Read what `to_jsonl` wrote; with `columns`, only those that are among them. Raises
    `InputError` for a line that is not an object, and for a value of another type than its column.
    """
    decoder = msgspec.json.Decoder(dict[str, Any])
    rows = []
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        try:
            rows.append(decoder.decode(line))
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            reason = f"not an object of JSON: {too_large(line) or error}"
            raise InputError(reason, place=Place(line=number)) from error
    names = dict.fromkeys(name for row in rows for name in row if not columns or name in columns)
    values = {name: [row.get(name) for row in rows] for name in schema() if name in names}
    check_types(values)
    types = {name: kind for name, kind in schema().items() if name in values}
    table = pl.DataFrame(values, schema=types)
    measure_names = list(filter(measures.is_name, names))
    if len(measure_names) > MOST_MEASURES:
        raise InputError(f"more than {MOST_MEASURES} measures")
    measure_columns = (
        _measure_column(table, name, [row.get(name) for row in rows]) for name in measure_names
    )
    return _complete(table.with_columns(column for column in measure_columns if column is not None))


def too_large(content: bytes) -> str | None:
    """Which number of a JSON text is beyond the range of floats, in words with its keys; None if
    none is, and for what is not JSON.
    """
    try:
        waiting = [("", json.loads(content, parse_int=float))]
    except (ValueError, RecursionError):
        return None
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, float) and not math.isfinite(value):
            return f"{path} is not a finite number"
        if isinstance(value, dict):
            waiting += [(f"{path}, {key!r:.60}".lstrip(", "), item) for key, item in value.items()]
        elif isinstance(value, list):
            waiting += [(path, item) for item in value]
    return None


def _measure_column(table: pl.DataFrame, name: str, values: Sequence[Any]) -> pl.Series | None:
    """A measure as a column; None if these are not numbers."""
    number = OF_RECORDS["solve_s"].fits  # any float
    wrong_rows = [row for row, value in enumerate(values) if not (value is None or number(value))]
    if not wrong_rows:
        return pl.Series(name, [None if v is None else float(v) for v in values], pl.Float64)
    if any(map(number, values)):
        raise _no_number(table, name, wrong_rows[0], values[wrong_rows[0]])
    return None


def from_parquet(content: bytes, columns: Collection[str] | None = None) -> pl.DataFrame:
    """Read what `to_parquet` or pandas wrote; with `columns`, only those that are among them.
    Raises `InputError`, and `polars.exceptions.PolarsError`.
    """
    _try_parquet(content)
    selection = _select_names([*pl.read_parquet_schema(io.BytesIO(content))], columns)
    return _complete(_from_pandas(stored_once(pl.read_parquet(content, columns=selection))))


_READ: Final = "import io, sys, polars; polars.read_parquet(io.BytesIO(sys.stdin.buffer.read()))"


def _try_parquet(content: bytes) -> None:
    """Read it in another process first, since Polars ends its process for some damaged files: it
    believes their sizes, and cannot allocate 2 EiB. Raises `polars.exceptions.ComputeError`.
    """
    process = subprocess.run(
        [sys.executable, "-P", "-c", _READ], input=content, capture_output=True, check=False
    )
    if process.returncode:
        raised = process.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        kind, _, reason = raised.partition(": ")
        is_told = kind.startswith("polars.exceptions.") and "Panic" not in kind
        raise pl.exceptions.ComputeError(reason if is_told else "it is damaged")


def from_table(table: pl.DataFrame) -> pl.DataFrame:
    """Read a table that `nqbench.run` returned, or a part of it. Raises `InputError`."""
    try:
        return _complete(_from_pandas(table))
    except InputError as error:
        raise InputError(f"{error}: nqbench.read reads a file of records") from None


def _from_pandas(table: pl.DataFrame) -> pl.DataFrame:
    """The table with whole numbers where they have become floats, as those of pandas do where a
    value is missing, and with the types of records in columns without values.
    """
    columns = []
    for name, kind in schema().items():
        if name not in table.columns:
            continue
        column = table[name]
        if column.null_count() == len(column):
            columns.append(pl.Series(name, [None] * len(column), kind))
        elif kind.is_integer() and column.dtype.is_float():
            whole = column.fill_nan(None).cast(pl.Int64, strict=False)
            is_exact = (whole == column.fill_nan(None)) & (whole.abs() <= 2**53)
            if is_exact.all():
                columns.append(whole)
    return table.with_columns(columns)


def _complete(table: pl.DataFrame) -> pl.DataFrame:
    """The table with all fields of a record as columns, and the measures, which are other columns
    of numbers. Older versions of nqbench wrote fewer fields.
    """
    for name, kind in schema().items():
        if name in table.columns and not _fits(table.schema[name], kind):
            raise InputError(f"{name} is of type {table.schema[name]}")
    missing = [
        pl.lit(EARLIER.get(name), kind).alias(name)
        for name, kind in schema().items()
        if name not in table
    ]
    measure_columns = [_numbers(table, name) for name in measures_of(table)]
    complete = table.with_columns(missing).select(schema().names()).cast(schema())
    # Formulas had n = 0 in earlier exports.
    no_size = (pl.col("family") == _FORMULAS) & (pl.col("n") == 0)
    complete = complete.with_columns(n=pl.when(~no_size.fill_null(value=False)).then("n"))
    return complete.with_columns(column for column in measure_columns if column is not None)


def _fits(kind: pl.DataType, expected: pl.DataType) -> bool:
    """Whether a column of this type can hold the values of a field."""
    if kind == pl.Null:
        return True
    if isinstance(expected, pl.List):
        return isinstance(kind, pl.List) and _fits(pl.Series(dtype=kind.inner).dtype, pl.Int64())
    if expected == pl.String:
        return kind == pl.String
    return kind.is_integer() if expected.is_integer() else kind.is_numeric()


def _numbers(table: pl.DataFrame, name: str) -> pl.Series | None:
    """A column as floats; None if it has no numbers. A file may state them as text."""
    column = table[name]
    if column.dtype != pl.String:
        is_number = column.dtype.is_numeric() or column.dtype == pl.Null
        return column.cast(pl.Float64) if is_number else None
    filled = table.select(pl.when(pl.col(name) != "").then(pl.col(name)))[name]
    numbers = filled.cast(pl.Float64, strict=False)
    lost = numbers.is_null() & filled.is_not_null()
    if not lost.any():
        return numbers
    if numbers.null_count() < len(numbers):
        row = int(lost.arg_max() or 0)
        raise _no_number(table, name, row, filled[row])
    return None


def _no_number(table: pl.DataFrame, name: str, row: int, value: object) -> InputError:
    flaw = f"{name} is {shown(value)}, which is not a number as in other rows"
    return row_error(table, row, flaw)


def to_conditions(environments: Sequence[Environment], sessions: Sequence[Session]) -> bytes:
    """Where and how the records were measured, as one JSON object."""
    with_ids = [
        {"id": environment.id, **msgspec.to_builtins(environment)} for environment in environments
    ]
    facts = msgspec.json.encode({"environments": with_ids, "sessions": sessions})
    return msgspec.json.format(facts) + b"\n"
