"""Reads exports and stores of nqbench itself."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from nqbench.addons.importing.base import Format, ResultFile
from nqbench.addons.importing.csv_columns import Mapped
from nqbench.common.errors import InputError
from nqbench.records import sources


class Exported(Format):
    """Records as they are, except for verdicts: nothing in them was checked here."""

    meaning = "export of nqbench"
    suffixes = (".jsonl", ".parquet", ".csv", sources.STORE)
    is_campaign = True
    makes_records = True

    def recognises(self, file: ResultFile) -> bool:
        """Whether its name, or the header of a CSV, is that of an export."""
        if file.name.lower().endswith(".csv"):
            return {"run_id", "backend", "outcome"} <= file.columns
        return super().recognises(file)

    def parts(self, path: Path) -> Sequence[Path]:
        """The file, or the store in a results folder."""
        return [sources.store(path)] if path.is_dir() else [path]

    def read(self, file: ResultFile) -> pl.DataFrame:
        """The records. Raises `InputError` for a record that nqbench would not write."""
        if file.mapped != Mapped():
            raise InputError("an export of nqbench states all fields itself: leave out others")
        if sources.is_store(file.path):
            return sources.read_raw(file.path)
        suffix = file.plain_path.suffix.lower()
        if suffix not in sources.EXPORTS:
            raise InputError(f"an export of nqbench ends with {', '.join(sources.EXPORTS)}")
        return sources.parsed(str(file.plain_path.with_suffix(suffix)), file.content)
