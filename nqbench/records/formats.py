"""Exports records to files for other tools: CSV, JSON lines, Parquet and mkplot, and reads them."""

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
import polars as pl

from nqbench.machine.conditions import Session
from nqbench.machine.environment import Environment
from nqbench.records.frame import measures_of, schema
from nqbench.summary import PAIR, observed
from nqbench.vocabulary import combination

_FORMULA: Final = r"^'*[=+\-@\t\r]"
_QUOTED_FORMULA: Final = r"^'('*[=+\-@\t\r])"


def to_csv(records: pl.DataFrame) -> bytes:
    """A header and one line per record; `queens` as numbers separated by spaces.

    Text that a spreadsheet would take for a formula is prefixed with an apostrophe, which
    spreadsheets do not show and `from_csv` removes.
    """
    queens = pl.col("queens").cast(pl.List(pl.String)).list.join(" ")
    texts = pl.col(_texts(records)).str.replace(_FORMULA, "'$0")
    return records.with_columns(queens).with_columns(texts).write_csv().encode()


def to_jsonl(records: pl.DataFrame) -> bytes:
    """One JSON object per line."""
    return records.write_ndjson().encode()


def to_parquet(records: pl.DataFrame) -> bytes:
    """An Apache Parquet file."""
    file = io.BytesIO()
    records.write_parquet(file)
    return file.getvalue()


def from_csv(content: bytes) -> pl.DataFrame:
    """Read what `to_csv` wrote. Raises `polars.exceptions.PolarsError`."""
    header = pl.read_csv(content, n_rows=0, infer_schema=False)
    types = pl.Schema(
        {**dict.fromkeys(measures_of(header), pl.String()), **schema(), "queens": pl.String()}
    )
    table = pl.read_csv(content, schema_overrides=types)
    listed = pl.when(pl.col("queens") != "").then(pl.col("queens").str.split(" "))
    queens = listed.cast(pl.List(pl.Int64)).alias("queens")
    complete = _complete(table.with_columns(queens))
    texts = pl.col(_texts(complete)).str.replace(_QUOTED_FORMULA, "$1")
    empty = pl.col("instance", "message", "cpus").fill_null("")
    return complete.with_columns(texts).with_columns(empty)


def _texts(table: pl.DataFrame) -> list[str]:
    return [name for name, kind in table.schema.items() if kind == pl.String]


def from_jsonl(content: bytes) -> pl.DataFrame:
    """Read what `to_jsonl` wrote. Raises `polars.exceptions.PolarsError`."""
    stated = pl.read_ndjson(content.partition(b"\n")[0])
    as_text = dict.fromkeys(measures_of(stated), pl.String())
    # Polars refuses a type for a field that is missing.
    types = {name: kind for name, kind in schema().items() if name in stated.columns} | as_text
    return _complete(pl.read_ndjson(content, schema_overrides=types))


def from_parquet(content: bytes) -> pl.DataFrame:
    """Read what `to_parquet` wrote. Raises `polars.exceptions.PolarsError`."""
    return _complete(pl.read_parquet(content))


def _complete(table: pl.DataFrame) -> pl.DataFrame:
    """The table with all fields of a record as columns, and the measures, which are other columns
    of numbers. Older versions of nqbench wrote fewer fields.
    """
    for name, kind in schema().items():
        if name in table.columns and not _fits(table.schema[name], kind):
            raise pl.exceptions.SchemaError(f"{name} is of type {table.schema[name]}")
    missing = [
        pl.lit(None, kind).alias(name) for name, kind in schema().items() if name not in table
    ]
    measured = [_numbers(table[name]) for name in measures_of(table)]
    complete = table.with_columns(missing).select(schema().names()).cast(schema())
    return complete.with_columns(column for column in measured if column is not None)


def _fits(found: pl.DataType, expected: pl.DataType) -> bool:
    """Whether a column of this type can hold the values of a field."""
    if found == pl.Null:
        return True
    if isinstance(expected, pl.List):
        return isinstance(found, pl.List) and _fits(pl.Series(dtype=found.inner).dtype, pl.Int64())
    if expected == pl.String:
        return found == pl.String
    return found.is_integer() if expected.is_integer() else found.is_numeric()


def _numbers(column: pl.Series) -> pl.Series | None:
    """A column as floats; None if it has anything else. A file may state them as text."""
    if not (column.dtype.is_numeric() or column.dtype in (pl.String, pl.Null)):
        return None
    numbers = column.cast(pl.Float64, strict=False)
    return numbers if numbers.null_count() == column.null_count() else None


def to_conditions(environments: Sequence[Environment], sessions: Sequence[Session]) -> bytes:
    """Where and how the records were measured, as one JSON object."""
    told = [{"id": each.id, **msgspec.to_builtins(each)} for each in environments]
    facts = msgspec.json.encode({"environments": told, "sessions": sessions})
    return msgspec.json.format(facts) + b"\n"


def to_mkplot(records: pl.DataFrame) -> dict[str, bytes]:
    """JSON files for mkplot (A. Ignatiev), one for each encoding x backend, by file name.

    The instances are the boards and repeats. If one was run under several conditions, the latest
    run counts. `rtime` is encode_s + load_s + solve_s + decode_s in seconds, or the time limit of
    an unsolved run.
    """
    files = {}
    for (encoding, backend), table in observed(records, "total_s").group_by(*PAIR):
        rows = table.sort("n", "instance", "repeat", "started_at").iter_rows(named=True)
        stats = {_mkplot_instance(row): _mkplot_facts(row) for row in rows}
        name = combination(encoding, backend)
        preamble = {"benchmark": "nqbench", "program": name, "prog_alias": name}
        safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in f"{encoding}__{backend}")
        files[f"{safe}.json"] = json.dumps(
            {"preamble": preamble, "stats": stats}, indent=1
        ).encode()
    return files


def _mkplot_instance(row: Mapping[str, Any]) -> str:
    board = f"{row['family']} n{row['n']} {row['instance']}".strip()
    return f"{row['instance'] if row['n'] is None else board} {row['repeat']}"


def _mkplot_facts(row: Mapping[str, Any]) -> dict[str, Any]:
    memory = f"{(row['peak_rss_bytes'] or 0) // 1024} KiB"
    return {"status": row["solved"], "rtime": row["time_s"], "mempeak": memory}
