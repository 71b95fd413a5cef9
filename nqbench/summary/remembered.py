"""Remembers what was calculated from a table, for as long as somebody has the table.

Several findings ask for the same of one table, and nothing changes a table of records. Without
this, a summary of a million records takes three times as long.
"""

import functools
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

import polars as pl

F = TypeVar("F", bound=Callable[..., pl.DataFrame])


def remembered(function: F) -> F:
    """A function of a table and other arguments, whose results are kept as long as the table."""
    results: dict[int, dict[tuple[Any, ...], pl.DataFrame]] = {}

    @functools.wraps(function)
    def from_memory(records: pl.DataFrame, *given: Any, **named: Any) -> pl.DataFrame:
        key = id(records)
        if key not in results:
            results[key] = {}
            weakref.finalize(records, results.pop, key, None)
        asked = (records.shape, repr(given), repr(sorted(named.items())))
        if asked not in results[key]:
            results[key][asked] = function(records, *given, **named)
        return results[key][asked]

    return from_memory  # type: ignore[return-value]
