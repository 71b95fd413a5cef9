"""Records as a table."""

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Final

import polars as pl

from nqbench.record import Record, plain_type

_POLARS: Final[dict[type, type[pl.DataType]]] = {int: pl.Int64, float: pl.Float64, str: pl.String}


def schema() -> pl.Schema:
    """The columns of a table of records: the fields of `Record`, `queens` as a list of integers."""
    columns = {field.name: _POLARS[plain_type(field.name)] for field in fields(Record)}
    return pl.Schema(columns | {"queens": pl.List(pl.Int64)})


def of(records: Iterable[Record]) -> pl.DataFrame:
    """These records as such a table, in their order."""
    return pl.DataFrame([asdict(record) for record in records], schema=schema())


def digest(records: pl.DataFrame) -> str:
    """A hash of which runs these records are of and when they began: 32 hexadecimal digits, the
    same for the same records in any order.
    """
    rows = sorted(records.select("run_id", "started_at").iter_rows())
    return hashlib.blake2b(repr(rows).encode(), digest_size=16).hexdigest()
