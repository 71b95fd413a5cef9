"""Reads a CSV of any program, with a mapping of its columns.

A column may hold one field, or several that a regular expression with named groups takes apart, as
in names such as `php10-cadical`. Blank lines are passed over, and so are those that begin with # or
% and do not have the values of a row.
"""

import csv
import io
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Self

import polars as pl

from nqbench.addons.importing import cells, quantities, status_words, told_apart
from nqbench.addons.importing.shared_names import SharedNames
from nqbench.addons.importing.statements import FIELDS, LINE, check_field, split_times
from nqbench.common import files
from nqbench.common.errors import InputError, Place
from nqbench.common.spelling import suggestion
from nqbench.records import frame

_SEPARATORS: Final = ",;\t|"
_SPACE: Final = " "
"""The separator of files without any other: one or more spaces."""

_COMMENTS: Final = ("#", "%")
_GROUP: Final = re.compile(r"\(\?P?<(\w+)>")
_STATED_SEPARATOR: Final = re.compile(r"sep=([,;\t| ])\s*", re.IGNORECASE)
"""The first line of some files for spreadsheets."""

_ENOUGH: Final = 2
"""So many known names make a comment a header."""

_ONLY_FIELDS: Final = ("status", "expected", "solved", "wrong")
"""Fields whose names are common: a column of this name that holds another field is not read."""


_OTHER_NAMES: Final = {"solver": ("backend",), "time": ("solve_s", "wall_s", "cpu_s")}
"""Columns that are the first of these fields, if nothing states one of them."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """Where the fields of a table are: `columns` has the column of each field, or several with +
    between their names, and `patterns` the regular expression of each column that is taken apart. A
    column with the name of a field needs no mapping, and is not read if `columns` has an empty text
    for that field. `units` has the unit of fields in seconds or bytes, as how many of these are in
    it, and `meanings` what words for answers and outcomes mean. Columns that are `ignored` are not
    read.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    patterns: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, float] = field(default_factory=dict)
    meanings: Mapping[str, str] = field(default_factory=dict)
    ignored: Collection[str] = ()
    shared: SharedNames = field(default_factory=SharedNames, compare=False)

    @classmethod
    def parse(
        cls,
        columns: Mapping[str, str],
        patterns: Mapping[str, str],
        units: Mapping[str, str] | None = None,
        meanings: Mapping[str, str] | None = None,
        *,
        ignored: Collection[str] = (),
    ) -> Self:
        """Raises `InputError` for a field that no file can state, for a pattern without named
        groups, for an unknown unit, and for a meaning that is not a known word.
        """
        for name in (*columns, *(units or {})):
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
        factors = {name: quantities.factor(name, unit) for name, unit in (units or {}).items()}
        targets = {
            word: status_words.target(word, meaning) for word, meaning in (meanings or {}).items()
        }
        return cls(columns, patterns, factors, targets, tuple(ignored))

    def used(self, names: Collection[str]) -> set[str]:
        """The columns that it uses of a table with these columns."""
        mapped = (*filter(None, self.columns.values()), *self.patterns)
        return {part for column in mapped for part in _parts(column, names)}


def read(content: bytes, mapped: Mapped) -> pl.DataFrame:
    """What each row states. Raises `InputError` for a missing column, for a text that a pattern
    does not match, for a number that is none, and for what is no CSV.
    """
    sheet = _Sheet(files.decoded(content), {*FIELDS, *mapped.columns.values(), *mapped.used(())})
    if not sheet.names:
        raise InputError("it is empty")
    mapped_columns = mapped.used(sheet.names)
    for name in sorted({*mapped_columns, *mapped.ignored}):
        _check_there(name, sheet.names)
    lines: list[int] = []
    with cells.in_lines(lines):
        read = {*FIELDS, *_OTHER_NAMES, *mapped_columns}
        once = {name for name, times in Counter(sheet.names).items() if times == 1}
        table = cells.table(sheet.names, sheet.rows(lines), read | once)
        unread = table.drop(read, mapped.ignored, strict=False)
        mapped_to_fields = mapped_columns.intersection(_ONLY_FIELDS)
        own = {*FIELDS} - mapped_to_fields - {*mapped.columns} - {*mapped.ignored}
        own_columns = {name: table[name] for name in table.columns if name in own}
        by_field = own_columns | _map_fields(table, mapped)
        by_field = _with_other_names(table, by_field, mapped)
        if caution := told_apart.caution(unread, by_field):
            warnings.warn(caution, stacklevel=2)
        headers = {name: column.name for name, column in by_field.items()}
        named = pl.DataFrame([column.alias(name) for name, column in by_field.items()])
        by_field = {
            name: column.alias(headers.get(name, name))
            for name, column in split_times(named, mapped.meanings).to_dict().items()
        }
        typed = {
            name: _parse_field(name, column, mapped, sheet.separator)
            for name, column in by_field.items()
        }
    return pl.DataFrame({**typed, LINE: pl.Series(lines, dtype=pl.Int64)})


def _with_other_names(
    table: pl.DataFrame, by_field: dict[str, pl.Series], mapped: Mapped
) -> dict[str, pl.Series]:
    """The fields with those that are in columns of other names."""
    found = dict(by_field)
    taken = mapped.used(table.columns)
    for column, (name, *others) in _OTHER_NAMES.items():
        is_stated = not {name, *others}.isdisjoint({*by_field, *mapped.columns})
        if column in {*table.columns} - taken - {*mapped.ignored} and not is_stated:
            found[name] = table[column]
    return found


def fields(table: pl.DataFrame, mapped: Mapped) -> dict[str, pl.Series]:
    """The fields that the mapping finds in what another file states, by name. Raises as `read`
    does.
    """
    if mapped.units:
        raise InputError("such a file states its units itself: leave out others")
    by_field = _map_fields(table, mapped)
    with_words = [name for name in status_words.KNOWN if name in {*table.columns, *by_field}]
    if mapped.meanings:
        texts = {
            name: by_field.get(name, table.get_column(name, default=None)) for name in with_words
        }
        by_field |= {
            name: status_words.replaced(texts[name], mapped.meanings) for name in with_words
        }
    return by_field


def _map_fields(table: pl.DataFrame, mapped: Mapped) -> dict[str, pl.Series]:
    """The fields that the mapping finds in a table, by name."""
    by_field = {name: _column(table, column) for name, column in mapped.columns.items() if column}
    for column, pattern in mapped.patterns.items():
        texts = _column(table, column)
        groups = _match_groups(texts, pattern)
        mapped.shared.add(texts, groups)
        by_field |= groups
    return by_field


def _parse_field(name: str, column: pl.Series, mapped: Mapped, separator: str) -> pl.Series:
    """A field with its numbers in seconds or bytes, or with words whose meaning is known."""
    kind = frame.schema().get(name, pl.Float64())
    if name in status_words.KNOWN:
        return status_words.replaced(column, mapped.meanings) if mapped.meanings else column
    if kind == pl.String:
        return column
    scale = mapped.units.get(name)
    if scale is None:
        scale = quantities.factor_in_header(name, column.name)
    return quantities.numbers(column, name, kind, scale, separator)


class _Sheet:
    """The `names` of the columns of a text, the `separator` of its values, and its rows. A comment
    is its header if it has some of the `known_names`.
    """

    def __init__(self, text: str, known_names: Collection[str]) -> None:
        self._longest = len(text) + 1
        self._lines = enumerate(io.StringIO(text, newline=""), 1)
        self._line, self._is_between = 0, False
        header, self.separator = self._header(known_names)
        fed = self._fed(header)
        self._parsed = csv.reader(fed, delimiter=self.separator, strict=True)
        self.names = [name.strip() for name in next(self._rows(), [])] if header else []

    def rows(self, lines: list[int]) -> Iterator[list[str]]:
        """The rows below the header; the line of each is added to `lines`."""
        for row in self._rows():
            if any(map(str.strip, row)):
                lines.append(self._line)
                yield row

    def _header(self, known_names: Collection[str]) -> tuple[str, str]:
        """The line with the header, empty if there is none, and the separator."""
        separator = None
        for number, line in self._lines:
            if number == 1 and (match := _STATED_SEPARATOR.fullmatch(line)):
                separator = match[1]
                continue
            comment = line.lstrip().startswith(_COMMENTS)
            header = line.lstrip().lstrip("".join(_COMMENTS)).lstrip() if comment else line
            used_separator = separator or _find_separator_or_space(header)
            names = {name.strip().strip('"') for name in header.split(used_separator)}
            if line.strip() and (not comment or len(names & {*known_names}) >= _ENOUGH):
                self._line = number
                return header, used_separator
        return "", ","

    def _rows(self) -> Iterator[list[str]]:
        # By default, the csv module refuses values of more than 128 KiB.
        before = csv.field_size_limit(self._longest)
        try:
            for row in self._parsed:
                self._is_between = True
                yield row
        except csv.Error as error:
            is_open = "end of data" in str(error)
            reason = "a quote is not closed" if is_open else str(error)
            raise InputError(reason, place=Place(line=self._line)) from error
        finally:
            csv.field_size_limit(before)

    def _fed(self, header: str) -> Iterator[str]:
        """The lines of the header and of the rows, without those between rows that have nothing."""
        yield self._spaced(header)
        for number, line in self._lines:
            if self._is_between:
                if self._is_passed_over(line):
                    continue
                self._line, self._is_between = number, False
            yield self._spaced(line)

    def _spaced(self, line: str) -> str:
        return f"{_SPACE.join(line.split())}\n" if self.separator == _SPACE else line

    def _is_passed_over(self, line: str) -> bool:
        text = line.lstrip()
        if not text:
            return True
        if text[0] not in _COMMENTS:
            return False
        (values,) = csv.reader([self._spaced(line)], delimiter=self.separator)
        return len(values) != len(self.names)


def find_separator(header: str) -> str:
    """The separator of the header of a CSV: the one that is there most often."""
    return max(_SEPARATORS, key=header.count)


def _find_separator_or_space(header: str) -> str:
    """The same, but a space if the header has no separator."""
    separator = find_separator(header)
    return _SPACE if separator not in header and _SPACE in header.strip() else separator


def _parts(column: str, names: Collection[str]) -> list[str]:
    """The columns that a mapped one consists of: `solver + configuration` is two, unless a column
    has this name.
    """
    return [column] if column in names else [part.strip() for part in column.split("+")]


def _column(table: pl.DataFrame, name: str) -> pl.Series:
    parts = _parts(name, table.columns)
    for part in parts:
        _check_there(part, table.columns)
    if len(parts) == 1:
        return table[parts[0]]
    joined = table.select(pl.concat_str(parts, separator=" ", ignore_nulls=True).alias(name))[name]
    return joined.set(joined == "", None)


def _check_there(name: str, names: Collection[str]) -> None:
    if name not in names:
        raise InputError(f"there is no column '{name}': {suggestion(name, names)}")


def _match_groups(column: pl.Series, pattern: str) -> dict[str, pl.Series]:
    """The columns of the named groups."""
    try:
        groups = column.str.strip_chars().str.extract_groups(f"^(?:{pattern})$").struct.unnest()
    except pl.exceptions.PolarsError as error:
        reason = str(error).strip().splitlines()[-1]
        raise InputError(f"'{pattern}' is not a regular expression: {reason}") from error
    names = [name for name in _GROUP.findall(pattern) if name in groups.columns]
    matched = groups.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
    lost = ~matched & column.is_not_null()
    if lost.any():
        cells.refuse(column, lost, f"which '{pattern}' does not match")
    return {name: groups[name] for name in names}
