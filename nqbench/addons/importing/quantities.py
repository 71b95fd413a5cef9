"""Reads numbers as people and programs write them: times and sizes in any unit, a decimal comma,
and the unit that the header of a column names.

A unit after a number counts more than one that the user states, that more than one of the header,
and without any a time is in seconds and a size in bytes.
"""

import re
import warnings
from collections.abc import Iterable, Mapping
from typing import Final

import polars as pl

from nqbench.addons.importing import cells
from nqbench.addons.importing.cells import RowsError
from nqbench.addons.importing.statements import RUN_TIMES
from nqbench.common import limits
from nqbench.common.errors import InputError
from nqbench.common.units import counted
from nqbench.records.columns import shown

TIMES: Final[Mapping[str, float]] = {
    **dict.fromkeys(("ns", "nanosecond", "nanoseconds"), 1e-9),
    **dict.fromkeys(("us", "µs", "μs", "usec", "microsecond", "microseconds"), 1e-6),
    **dict.fromkeys(("msec", "msecs", "millis", "millisecond", "milliseconds"), 1e-3),
    **limits.SECONDS,
}
"""Seconds, by the names of units in lower case: more than limits have."""

SIZES: Final[Mapping[str, float]] = {
    **dict.fromkeys(("byte", "bytes"), 1),
    "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
    **limits.BYTES,
}  # fmt: skip
"""Bytes, by the names of units in lower case."""

_SHOWN: Final = {"_s": "ns, us, ms, s, min, h", "_bytes": "B, kB, MB, GB, KiB, MiB, GiB"}
_UNITS: Final = {"_s": TIMES, "_bytes": SIZES}
_EXAMPLES: Final = {"_s": "1.5, 1.5s, 200ms or 1m3s", "_bytes": "1500000, 1500kB or 2GiB"}
_OPTIONS: Final = {"_s": "ms", "_bytes": "kB"}
_WHAT: Final = {"_s": "time", "_bytes": "size"}

_CAMEL: Final = re.compile(r"(?<=[a-z])([A-Z][A-Za-z]?[a-z]*)$")
_IN_HEADER: Final = re.compile(r"(?:^|[\s_.\-/(\[,])([A-Za-zµμ]+)[)\]]?$")
"""The last word of a header: `time (ms)`, `time_ms`, `time/ms` or `timeMs`."""

_SURE: Final = re.compile(r"[(\[/]\s*[A-Za-zµμ]+[)\]]?$")
"""A last word that can only be a unit, as in `time (m)` or `time [min]`."""

_UNSURE: Final = {"m", "min", "h", "b", "s"}
"""Units that may be something else at the end of a name: `time_min` is often the least time."""

_PART: Final = r"([0-9]+(?:\.[0-9]+)?)\s*"
_COMPOUND: Final = re.compile(
    rf"(?:{_PART}h\s*)?(?:{_PART}m(?:in)?\s*)?(?:{_PART}s)?", re.IGNORECASE
)
_CLOCK: Final = re.compile(r"([0-9]+):([0-5]?[0-9]):([0-5]?[0-9](?:\.[0-9]+)?)")
_WITH_COMMA: Final = r"^([+-]?[0-9]*),([0-9]+)(\s*[A-Za-zµμ]*|[eE][+-]?[0-9]+)$"
_OF_THOUSANDS: Final = r"^[+-]?[1-9][0-9]{0,2},[0-9]{3}\s*[A-Za-zµμ]*$"
_DECIMAL_COMMA: Final = ";"
"""The separator of files from places that write 1,5."""

_DIGIT: Final = re.compile("[0-9]")
_AT_LEAST: Final = re.compile(r"^[<>\u2264\u2265]|[*+]$")
"""What marks a limit that was reached, as in >3600."""

_ENDLESS: Final = ("inf", "+inf", "infinity", "+infinity", "∞")


def suffix_of(name: str) -> str | None:
    """The end of a field's name that says what it measures: `_s` or `_bytes`."""
    return next((suffix for suffix in _UNITS if name.endswith(suffix)), None)


def factor(name: str, unit: str) -> float:
    """How many seconds or bytes are in this unit of a field. Raises `InputError`."""
    suffix = suffix_of(name)
    if suffix is None:
        raise InputError(f"{name} has no unit: only times (_s) and sizes (_bytes) have one")
    number = _UNITS[suffix].get(unit.strip().lower())
    if number is None:
        raise InputError(
            f"'{unit}' is not a unit of {name}: write one of {_SHOWN[suffix]}, as in "
            f"--unit {name}={_OPTIONS[suffix]}"
        )
    return number


def factor_in_header(name: str, header: str) -> float:
    """How many seconds or bytes are in the unit that the header of a field's column names; 1 if it
    names none. Raises `InputError` if nobody can know.
    """
    suffix = suffix_of(name)
    word = _CAMEL.search(header.strip()) or _IN_HEADER.search(header.strip())
    if suffix is None or word is None or header.strip() == name:
        return 1
    unit = word[1].lower()
    number = _UNITS[suffix].get(unit, 1)
    if unit in _UNSURE and number != 1 and not _SURE.search(header.strip()):
        raise InputError(
            f"column '{header}' may be in {unit} or not: state its unit, as in "
            f"--unit {name}={unit} or --unit {name}={'s' if suffix == '_s' else 'B'}"
        )
    return number


def numbers(
    column: pl.Series, name: str, kind: pl.DataType, scale: float, separator: str
) -> pl.Series:
    """A column of texts as the numbers of this field, in seconds or bytes if it has a unit. A
    number without a unit is multiplied by `scale`. `separator` is that of the values in a row. A
    time without an end is infinite. Raises `InputError` for a text that is no number.
    """
    texts = _with_points(cells.given(column, cells.ABSENT).str.strip_chars(), name, separator)
    suffix = suffix_of(name)
    units = {"": scale, **(_UNITS[suffix] if suffix else {})}
    values = cells.numbers_among(texts.str.to_lowercase(), kind, units if suffix else None)
    if suffix == "_s":
        values = _durations(texts, values)
    lost = values.is_null() & texts.is_not_null()
    if lost.any():
        rows = lost.arg_true().to_list()
        text = str(column[rows[0]])
        why = _why(name, suffix, kind)
        if name in RUN_TIMES and (not _DIGIT.search(text) or _AT_LEAST.search(text)):
            why += f"; if it says how the run ended, write --word {shown(text)}=timeout"
        raise RowsError(rows, f"{name} is {text!r:.60}, {why}")
    return values.alias(name)


def _why(name: str, suffix: str | None, kind: pl.DataType) -> str:
    if suffix is None:
        return f"which is not {'an integer' if kind == pl.Int64() else 'a number'}"
    return (
        f"which is not a {_WHAT[suffix]}: write {_EXAMPLES[suffix]}; numbers in another unit need "
        f"an option such as --unit {name}={_OPTIONS[suffix]}"
    )


def _durations(texts: pl.Series, values: pl.Series) -> pl.Series:
    """The times with those that have several units, colons or no end."""
    rows = (values.is_null() & texts.is_not_null()).arg_true()
    if rows.is_empty():
        return values
    return values.scatter(rows, [_duration(texts[row]) for row in rows])


def _duration(text: str) -> float | None:
    """A time such as 1m3s or 0:01:03 in seconds; None if it is not one."""
    if text.lower() in _ENDLESS:
        return float("inf")
    match = _CLOCK.fullmatch(text) or _COMPOUND.fullmatch(text)
    if match is None or not any(match.groups()):
        return None
    return sum(
        float(part or 0) * unit for part, unit in zip(match.groups(), (3600, 60, 1), strict=True)
    )


def _with_points(column: pl.Series, name: str, separator: str) -> pl.Series:
    """The texts with a point in place of a decimal comma, of which it warns. Raises `InputError` if
    a comma may separate thousands.
    """
    has_comma = column.str.contains(",", literal=True).fill_null(value=False)
    if not has_comma.any():
        return column
    simple = column.str.contains(_WITH_COMMA).fill_null(value=False)
    odd = has_comma & ~simple
    if separator != _DECIMAL_COMMA and column.filter(has_comma).str.contains(_OF_THOUSANDS).all():
        odd = has_comma
    if simple.any():
        odd |= column.str.contains(".", literal=True).fill_null(value=False)
    _refuse_separators(column, name, odd)
    with_points = column.str.replace(_WITH_COMMA, "${1}.${2}${3}")
    example = int(has_comma.arg_max() or 0)
    warnings.warn(
        f"the comma in {name} is decimal: {column[example]} is read as {with_points[example]} "
        f"({counted(int(has_comma.sum()), 'value')})",
        stacklevel=2,
    )
    return with_points


def _refuse_separators(column: pl.Series, name: str, odd: pl.Series) -> None:
    rows: Iterable[int] = odd.arg_true().to_list()
    if rows := list(rows):
        raise RowsError(
            rows,
            f"{name} is {column[rows[0]]!r:.60}, which is not a number whose comma or point is "
            "surely decimal: write 1234.5, without separators of thousands",
        )
