"""Reads the texts and numbers of files from other programs. Whatever is wrong with one is an
`InputError` that names its row, counted from 1 without headers, and its field.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import polars as pl

from nqbench.column_types import LARGEST_INTEGER
from nqbench.errors import InputError

_AT_A_TIME: Final = 20_000
"""Rows that are held as Python objects, which take much more memory than a table."""

_NUMBER: Final = r"^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*"
_LONGEST_UNIT: Final = r"([A-Za-z]{0,10})$"
_LARGEST: Final = float(LARGEST_INTEGER)
_ABSENT: Final = ("", "?", "-", "None", "none", "null", "~")


def table(names: Sequence[str], rows: Iterable[Sequence[str | None]]) -> pl.DataFrame:
    """The rows as a table of texts, without spaces around them; an empty text is no value. Raises
    `InputError` for two columns of one name, and for a row that has not a value for each.
    """
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise InputError(f"two columns are named {twice[0]!r:.60}")
    types = dict.fromkeys(names, pl.String)
    parts = [pl.DataFrame(schema=types)]
    numbered = enumerate(rows, 1)
    while some := list(itertools.islice(_whole(numbered, len(names)), _AT_A_TIME)):
        parts.append(pl.DataFrame(some, schema=types, orient="row"))
    if not names:
        return parts[0]
    texts = pl.all().str.strip_chars()
    return pl.concat(parts).with_columns(pl.when(texts != "").then(texts).name.keep())


def _whole(
    rows: Iterator[tuple[int, Sequence[str | None]]], width: int
) -> Iterator[Sequence[str | None]]:
    for number, row in rows:
        if len(row) != width:
            raise InputError(f"row {number}: {len(row)} values, not {width}")
        yield row


def numbers(
    column: pl.Series, kind: pl.DataType, units: Mapping[str, float] | None = None
) -> pl.Series:
    """A column as finite numbers of this type, Float64 or Int64. A text may end with one of the
    `units`, by which its number is multiplied; the product is rounded to an integer if `kind` is
    one. Raises `InputError` for a value that is no such number.
    """
    found = _converted(column, kind, units)
    lost = found.is_null() & column.is_not_null()
    if lost.any():
        what = "an integer" if kind == pl.Int64() else "a number"
        refuse(column, int(lost.arg_max() or 0), f"which is not {what}")
    return found


def numbers_among(column: pl.Series, units: Mapping[str, float] | None = None) -> pl.Series:
    """The same, with null for each value that is no finite number."""
    return _converted(column, pl.Float64(), units)


def refuse(column: pl.Series, row: int, why: str) -> None:
    """Raise an `InputError` about the value of a column in a row, which is counted from 0."""
    raise InputError(f"row {row + 1}: {column.name} is {column[row]!r:.60}, {why}")


def _converted(
    column: pl.Series, kind: pl.DataType, units: Mapping[str, float] | None
) -> pl.Series:
    """The numbers of a column, with null for what is not one."""
    name, factors = column.name, None
    if column.dtype == pl.Boolean:
        return pl.Series(name, [None] * len(column), kind)
    if column.dtype == pl.String:
        unit = _LONGEST_UNIT if units else "()$"
        parts = column.str.strip_chars().str.extract_groups(_NUMBER + unit).struct.unnest()
        column = parts["1"]
        if units:
            given = dict(units)
            factors = parts["2"].replace_strict(
                list(given), list(given.values()), default=None, return_dtype=pl.Float64
            )
    floats = column.cast(pl.Float64, strict=False)
    # Large counts are exact only as integers.
    exact = column.cast(pl.Int64, strict=False) if kind == pl.Int64() else None
    if factors is not None:
        floats *= factors
        floats = floats.round() if kind == pl.Int64() else floats
        exact = None if exact is None else exact.set(~(factors == 1).fill_null(value=False), None)
    floats = floats.set(~floats.is_finite(), None)
    if exact is None:
        return floats.alias(name)
    within = (floats == floats.floor()) & (floats.abs() < _LARGEST)
    whole = floats.set(~within.fill_null(value=False), None).cast(pl.Int64, strict=False)
    return exact.fill_null(whole).alias(name)


def number(text: str, name: str, units: Mapping[str, float] | None = None) -> float | None:
    """One number of a file, which its `name` states; None for a text that says there is none.
    Raises `InputError` for any other text.
    """
    if text.strip() in _ABSENT:
        return None
    found = numbers_among(pl.Series(name, [text]), units)[0]
    if found is None:
        raise InputError(f"{name} is {text!r:.60}, which is not a number")
    return float(found)
