"""Reads a CSV with a row for each run."""

import polars as pl

from nqbench.addons.importing import csv_columns
from nqbench.addons.importing.base import Format, ResultFile


class PlainCSV(Format):
    """A row for each run, in columns that the user maps."""

    meaning = "CSV with a row for each run, whose columns --map and --match name"
    suffixes = (".csv",)
    maps_columns = True

    def recognises(self, file: ResultFile) -> bool:  # noqa: ARG002
        """False: it is what remains if no other format recognises a file."""
        return False

    def read(self, file: ResultFile) -> pl.DataFrame:
        """What each row states. Raises as `csv_columns.read` does."""
        return csv_columns.read(file.content, file.mapped)
