"""`export`: write the records of a store for other tools."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nqbench import files
from nqbench.cli.options import OneOf, output_option, results_option
from nqbench.errors import InputError
from nqbench.records import sources
from nqbench.records.store import Store

if TYPE_CHECKING:
    import polars as pl


@click.command
@results_option
@click.option(
    "--format",
    "kind",
    type=OneOf(["csv", "jsonl", "parquet", "mkplot", "conditions"]),
    required=True,
    help="mkplot: one file per encoding and backend. conditions: the machines and sessions of the "
    "records, as JSON.",
)
@output_option(
    "Write to this file, or folder for mkplot, instead of standard output.",
    click.Path(path_type=Path),
)
def export(results: Path, kind: str, output: Path | None) -> None:
    """Write all records, sorted so that two exports can be compared line by line.

    \b
    Examples:
      nqbench export --format csv --output records.csv
      nqbench export --format conditions --output conditions.json
      nqbench export --format mkplot --output plots && mkplot.py plots/*.json
    """
    from nqbench.records import formats
    from nqbench.records.reading_order import SORTED_BY

    records = sources.read_raw(results).sort(SORTED_BY)
    if kind == "mkplot":
        _export_mkplot(records, output)
        return
    if kind == "parquet" and output is None:
        raise InputError("Parquet is a binary format: add --output FILE")
    if kind == "conditions":
        with Store(sources.store(results), read_only=True) as store:
            content = formats.to_conditions(store.environments(), store.sessions())
    else:
        writers = {"csv": formats.to_csv, "jsonl": formats.to_jsonl, "parquet": formats.to_parquet}
        content = writers[kind](records)
    if output is not None:
        files.write(output, content)
    else:
        sys.stdout.buffer.write(content)


def _export_mkplot(records: "pl.DataFrame", folder: Path | None) -> None:
    from nqbench.records import formats

    if folder is None:
        raise InputError("mkplot needs one file per encoding and backend: add --output FOLDER")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot create the folder {folder}: {error.strerror}") from error
    for name, content in formats.to_mkplot(records).items():
        files.write(folder / name, content)
