"""Reads a CSV of any program, with a mapping of its columns.

A column may hold one field, or several that a regular expression with named groups takes apart, as
in names such as `php10-cadical`.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Self

import polars as pl

from nqbench import files
from nqbench.errors import InputError
from nqbench.imported import cells
from nqbench.imported.shared_names import SharedNames
from nqbench.imported.statements import FIELDS, check_field
from nqbench.records.formats import rows_of_csv
from nqbench.spelling import suggestion

_SEPARATORS: Final = ",;\t|"
_GROUP: Final = re.compile(r"\(\?P?<(\w+)>")


@dataclass(frozen=True, slots=True)
class Mapped:
    """Where the fields of a table are: `columns` has the column of each field, and `patterns` the
    regular expression of each column that is taken apart. A column with the name of a field needs
    no mapping.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    patterns: Mapping[str, str] = field(default_factory=dict)
    shared: SharedNames = field(default_factory=SharedNames, compare=False)

    @classmethod
    def parse(cls, columns: Mapping[str, str], patterns: Mapping[str, str]) -> Self:
        """Raises `InputError` for a field that no file can state, and for a pattern without named
        groups.
        """
        for name in columns:
            check_field(name)
        for column, pattern in patterns.items():
            groups = _GROUP.findall(pattern)
            if not groups:
                raise InputError(
                    f"'{pattern}' for {column} names no field: write groups such as "
                    "(?P<instance>.+)-(?P<backend>.+)"
                )
            for name in groups:
                check_field(name)
        return cls(columns, patterns)


def read(content: bytes, mapped: Mapped) -> pl.DataFrame:
    """What each row states. Raises `InputError` for a missing column, for a text that a pattern
    does not match, and for what is no CSV.
    """
    text = files.decoded(content)
    rows = rows_of_csv(text, _separator(text))
    names = [name.strip() for name in next(rows, [])]
    if not names:
        raise InputError("it is empty")
    used = {*mapped.columns.values(), *mapped.patterns}
    for name in sorted(used):
        _check_there(name, names)
    table = cells.table(names, rows, {*FIELDS, *used})
    stated = {name: table[name] for name in table.columns if name in FIELDS}
    return pl.DataFrame(stated | fields(table, mapped))


def fields(table: pl.DataFrame, mapped: Mapped) -> dict[str, pl.Series]:
    """The fields that the mapping finds in a table, by name. Raises as `read` does."""
    found = {name: _column(table, column) for name, column in mapped.columns.items()}
    for column, pattern in mapped.patterns.items():
        parts = _taken_apart(_column(table, column), pattern)
        mapped.shared.add(table[column], parts)
        found |= parts
    return found


def _separator(text: str) -> str:
    """The separator of the first line: the one that is there most often."""
    header = text.partition("\n")[0]
    return max(_SEPARATORS, key=header.count)


def _column(table: pl.DataFrame, name: str) -> pl.Series:
    _check_there(name, table.columns)
    return table[name]


def _check_there(name: str, names: Collection[str]) -> None:
    if name not in names:
        raise InputError(f"there is no column '{name}': {suggestion(name, names)}")


def _taken_apart(column: pl.Series, pattern: str) -> dict[str, pl.Series]:
    """The columns of the named groups."""
    try:
        parts = column.str.strip_chars().str.extract_groups(f"^(?:{pattern})$").struct.unnest()
    except pl.exceptions.PolarsError as error:
        reason = str(error).strip().splitlines()[-1]
        raise InputError(f"'{pattern}' is not a regular expression: {reason}") from error
    names = [name for name in _GROUP.findall(pattern) if name in parts.columns]
    matched = parts.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
    lost = ~matched & column.is_not_null()
    if lost.any():
        cells.refuse(column, int(lost.arg_max() or 0), f"which '{pattern}' does not match")
    return {name: parts[name] for name in names}
