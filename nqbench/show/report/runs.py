"""Encodes all runs for the scripts of a page, as columns of codes and numbers."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import msgspec
import polars as pl

from nqbench import summary
from nqbench.common.units import time_unit
from nqbench.common.vocabulary import NOT_YET
from nqbench.show.tables.columns import Row

LISTED: Final = (
    "family", "instance", "n", "encoding", "backend", "outcome", "solve_s", "total_s", "repeat",
    "answer", "verdict", "encode_s", "load_s", "wall_s", "peak_rss_bytes", "conflicts", "clauses",
    "checked_by", "message",
)  # fmt: skip
"""The columns of the table of runs: the problem, the combination, and what came out, most
interesting first. A narrow window shows those up to the solve time.
"""

_SORTED: Final = ("family", "n", "instance", "encoding", "backend", "repeat")

_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of time, and its length in seconds."""

    name: str
    size: float


def unit_of(rows: Iterable[Row]) -> Unit:
    """The unit of times on the page: that in which the command line prints these rows of
    `summary.overview`. If they are of several families, it suits all of them together.
    """
    times = (row[name] for row in rows for name in summary.TIMES)
    name, per_second = time_unit(times)
    return Unit(name, 1 / per_second)


def encoded(records: pl.DataFrame, unit: Unit) -> dict[str, dict[str, Any]]:
    """The runs as `columns`, by problem, combination and repeat. Times are in this unit."""
    ordered = records.sort(_SORTED, nulls_last=True, maintain_order=True)
    runs = summary.observed(ordered).with_columns(n=pl.when(summary.SIZED).then("n"))
    times = pl.selectors.ends_with("_s").cast(pl.Float64) / unit.size
    message = pl.when(pl.col("message") != NOT_YET).then("message")  # the verdict says that already
    from_one = pl.col("repeat") + 1  # a reader counts from 1
    listing = runs.with_columns(message=message, repeat=from_one).select(LISTED)
    return columns(listing.with_columns(times))


def columns(table: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """Encode each column as `constant`, as `codes` of its different `values`, or as `numbers`."""
    return {column.name: _encoded(column) for column in table}


def _encoded(column: pl.Series) -> dict[str, Any]:
    if column.dtype == pl.Float64:
        column = column.round_sig_figs(_DIGITS)
    if len(column) > 1 and column.n_unique() == 1:
        return {"constant": column[0]}
    if column.dtype != pl.String:
        return {"numbers": _array(column)}
    values = column.unique(maintain_order=True)
    codes = column.to_frame("value").join(
        values.to_frame("value").with_row_index("code"), on="value", nulls_equal=True,
        how="left", maintain_order="left",
    )  # fmt: skip
    return {"values": values.to_list(), "codes": _array(codes["code"])}


def _array(numbers: pl.Series) -> msgspec.Raw:
    """A JSON array, made without a Python object for each number."""
    texts = numbers.cast(pl.String).str.strip_suffix(".0").fill_null("null")
    return msgspec.Raw(f"[{texts.str.join(',').item()}]".encode())
