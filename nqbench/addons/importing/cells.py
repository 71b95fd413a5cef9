"""Reads the texts and numbers of files from other programs. Whatever is wrong with one is an
`InputError` that names its field and its line, or its row, counted from 1, where a file has no
lines.
"""

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

import polars as pl

from nqbench.common.column_types import LARGEST_INTEGER
from nqbench.common.errors import InputError, Place
from nqbench.common.units import counted

_FLOAT: Final = pl.Float64()
_AT_A_TIME: Final = 20_000
"""Rows that are held as Python objects, which take much more memory than a table."""

_NUMBER: Final = r"^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*"
_LONGEST_UNIT: Final = r"([A-Za-zµμ]{0,12})$"
_LARGEST: Final = float(LARGEST_INTEGER)
NONE: Final = ("", "?", "-", "none", "null", "~")
"""What is written where there is no value, in lower case."""

ABSENT: Final = (*NONE, "--", "---", "na", "n/a", "#n/a", "nan")
"""The same in tables that people and statistical programs write."""

_MOST_SHOWN: Final = 5
"""The most rows that a message names besides the first."""


class RowsError(InputError):
    """What is wrong with `rows`, at least one, which are counted from 0."""

    def __init__(self, rows: Sequence[int], flaw: str) -> None:
        self.rows, self.flaw = rows, flaw
        also = self.also("row", [row + 1 for row in rows[1 : _MOST_SHOWN + 1]])
        super().__init__(f"{flaw}{also}", place=Place(row=rows[0] + 1))

    def also(self, noun: str, others: Sequence[int]) -> str:
        """Where else it is wrong, as the end of the message; `others` are the first other ones."""
        if not others:
            return ""
        more = len(self.rows) - _MOST_SHOWN - 1
        listed = ", ".join(map(str, others)) + (f" and {more} more" if more > 0 else "")
        return f" (also {noun}{'s' if len(self.rows) > 2 else ''} {listed})"


@contextmanager
def in_lines(lines: Sequence[int] | pl.Series, noun: str = "line") -> Iterator[None]:
    """Make errors about rows name the lines of the file, which are those of the rows in order."""
    try:
        yield
    except RowsError as error:
        first, *others = (lines[row] for row in error.rows[: _MOST_SHOWN + 1])
        place = Place(line=first) if noun == "line" else Place(row=first)
        raise InputError(f"{error.flaw}{error.also(noun, others)}", place=place) from error


def table(
    names: Sequence[str], rows: Iterable[Sequence[str]], selection: Iterable[str]
) -> pl.DataFrame:
    """The wanted columns of the rows as texts, without spaces around them; an empty text is no
    value. Raises `InputError` for two wanted columns of one name, and for a row that has not a
    value for each name.
    """
    places = [(at, name) for at, name in enumerate(names) if name in set(selection)]
    columns = [name for _, name in places]
    if twice := [name for name, times in Counter(columns).items() if times > 1]:
        raise InputError(f"two columns are named {twice[0]!r:.60}")
    types = dict.fromkeys(columns, pl.String)
    tables = [pl.DataFrame(schema=types)]
    checked_rows = _whole(rows, len(names))
    while some := list(itertools.islice(checked_rows, _AT_A_TIME)):
        tables.append(pl.DataFrame({n: [row[at] for row in some] for at, n in places}, types))
    texts = pl.all().str.strip_chars()
    return pl.concat(tables).with_columns(pl.when(texts != "").then(texts).name.keep())


def _whole(rows: Iterable[Sequence[str]], width: int) -> Iterator[Sequence[str]]:
    ragged: list[tuple[int, int]] = []
    for number, row in enumerate(rows):
        if len(row) == width:
            yield row
        else:
            ragged.append((number, len(row)))
    if ragged:
        numbers, widths = zip(*ragged, strict=True)
        raise RowsError(numbers, f"{counted(widths[0], 'value')}, not {width}")


def texts_of(name: str, values: Iterable[object]) -> pl.Series:
    """Values of JSON as a column of texts. Raises `InputError` for a list or an object."""
    texts: list[str | None] = []
    for row, value in enumerate(values):
        if isinstance(value, list | dict):
            raise RowsError([row], f"{name} is neither a number nor a text")
        texts.append(value if value is None or isinstance(value, str) else json.dumps(value))
    return pl.Series(name, texts, pl.String)


def given(column: pl.Series, none: Sequence[str] = NONE) -> pl.Series:
    """The texts of a column, with null for those that say that there is none."""
    return column.set(column.str.strip_chars().str.to_lowercase().is_in(none), None)


def numbers(
    column: pl.Series, kind: pl.DataType, units: Mapping[str, float] | None = None
) -> pl.Series:
    """A column as finite numbers of this type, Float64 or Int64. A text may end with one of the
    `units`, by which its number is multiplied; the product is rounded to an integer if `kind` is
    one. Raises `InputError` for a value that is no such number.
    """
    values = numbers_among(column, kind, units)
    lost = values.is_null() & column.is_not_null()
    if lost.any():
        kind_of_number = "an integer" if kind == pl.Int64() else "a number"
        refuse(column, lost, f"which is not {kind_of_number}")
    return values


def refuse(column: pl.Series, lost: pl.Series, why: str) -> None:
    """Raise an `InputError` about the values of a column in these rows, of which there are some."""
    rows = lost.arg_true().to_list()
    raise RowsError(rows, f"{column.name} is {column[rows[0]]!r:.60}, {why}")


def numbers_among(
    column: pl.Series,
    kind: pl.DataType = _FLOAT,
    units: Mapping[str, float] | None = None,
) -> pl.Series:
    """The same, with null for each value that is no finite number."""
    name, factors = column.name, None
    if column.dtype == pl.Boolean:
        return pl.Series(name, [None] * len(column), kind)
    if column.dtype == pl.String:
        unit = _LONGEST_UNIT if units else "()$"
        groups = column.str.strip_chars().str.extract_groups(_NUMBER + unit).struct.unnest()
        column = groups["1"]
        if units:
            factors = groups["2"].replace_strict(
                list(units), list(map(float, units.values())), default=None, return_dtype=pl.Float64
            )
    floats = column.cast(pl.Float64, strict=False)
    # Large counts are exact only as integers.
    exact = column.cast(pl.Int64, strict=False) if kind == pl.Int64() else None
    exact = None if exact is None else exact.set(exact < -LARGEST_INTEGER, None)
    if factors is not None:
        floats *= factors
        floats = floats.round() if kind == pl.Int64() else floats
        exact = None if exact is None else exact.set(~(factors == 1).fill_null(value=False), None)
    floats = floats.set(~floats.is_finite(), None)
    if exact is None:
        return floats.alias(name)
    within = (floats == floats.floor()) & (floats.abs() < _LARGEST)
    integers = floats.set(~within.fill_null(value=False), None).cast(pl.Int64, strict=False)
    return exact.fill_null(integers).alias(name)


def number(text: str, name: str, units: Mapping[str, float] | None = None) -> float | None:
    """One number of a file, which its `name` states; None for a text that says there is none.
    Raises `InputError` for any other text.
    """
    if text.strip().lower() in NONE:
        return None
    value = numbers_among(pl.Series(name, [text]), units=units)[0]
    if value is None:
        raise InputError(f"{name} is {text!r:.60}, which is not a number")
    return float(value)
