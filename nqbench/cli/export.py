"""`export`: write the records of a store for other tools."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nqbench.cli.options import OneOf, results_option
from nqbench.cli.results import store_path
from nqbench.errors import InputError
from nqbench.records import sources
from nqbench.records.store import Store

if TYPE_CHECKING:
    import polars as pl


@click.command(short_help="Write the records for other tools.")
@results_option
@click.option(
    "--format",
    "kind",
    type=OneOf(["csv", "jsonl", "parquet", "mkplot", "conditions"]),
    required=True,
    help="mkplot: one file per encoding and backend. conditions: the machines and sessions of the "
    "records, as JSON.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write to this file, or folder for mkplot, instead of standard output.",
)
def export(results: Path, kind: str, output: Path | None) -> None:
    """Write all records, sorted so that two exports can be compared line by line.

    \b
    Examples:
      nqbench export --format csv --output records.csv
      nqbench export --format conditions --output conditions.json
      nqbench export --format mkplot --output plots && mkplot.py plots/*.json
    """
    order = ["family", "n", "instance", "encoding", "backend", "repeat", "started_at"]
    records = sources.read_raw(str(store_path(results))).sort(order)
    if kind == "mkplot":
        _export_mkplot(records, output)
        return
    if kind == "parquet" and output is None:
        raise InputError("Parquet is a binary format: add --output FILE")
    content = _conditions(results) if kind == "conditions" else _content(records, kind)
    if output is not None:
        _write(output, content)
    else:
        sys.stdout.buffer.write(content)


def _export_mkplot(records: "pl.DataFrame", folder: Path | None) -> None:
    from nqbench.records import formats

    if folder is None:
        raise InputError("mkplot needs one file per encoding and backend: add --output FOLDER")
    for name, content in formats.to_mkplot(records).items():
        _write(folder / name, content)


def _conditions(results: Path) -> bytes:
    from nqbench.records import formats

    with Store(store_path(results), read_only=True) as store:
        return formats.to_conditions(store.environments(), store.sessions())


def _content(records: "pl.DataFrame", kind: str) -> bytes:
    """The content of one file of this kind with all records."""
    from nqbench.records import formats

    match kind:
        case "csv":
            return formats.to_csv(records)
        case "jsonl":
            return formats.to_jsonl(records)
        case _:
            return formats.to_parquet(records)


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error
