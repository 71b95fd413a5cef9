"""Chooses records by a condition in SQL."""

import re
from collections.abc import Iterable
from typing import Final

import polars as pl

from nqbench.common.errors import InputError
from nqbench.common.limits import BYTES, SECONDS
from nqbench.common.spelling import nearest
from nqbench.records import derived

_IN_QUOTES: Final = re.compile(r"'[^']*'|\"[^\"]*\"")
_WITH_UNIT: Final = re.compile(r"(?<![\w.])((\d+(?:\.\d+)?) ?([A-Za-z]+))(?!\w)")


def fulfilling(
    records: pl.DataFrame, condition: str | None, source: str = "", *, may_be_none: bool = False
) -> pl.DataFrame:
    """The records that fulfil a condition in SQL, or all without one. A condition can be about the
    columns of `derived`, too. Raises `InputError` for an invalid one, and if there are none, unless
    there `may_be_none`; the error then names the source, if it is given.
    """
    if condition is None:
        return records
    _check_units(condition)
    # As operators on bits, they come before comparisons, and another condition would be taken.
    if re.search(r"&|(?<!\|)\|(?!\|)", _IN_QUOTES.sub("", condition)):
        raise InputError(
            f"cannot use the condition '{condition}': write AND and OR instead of & and |"
        )
    try:
        derived_names = [name for name in derived.NAMES if name in condition]
        with_derived = derived.with_derived(records, derived_names)
        selected = with_derived.filter(pl.sql_expr(condition)).drop(derived_names)
    except pl.exceptions.ColumnNotFoundError as error:
        why = _no_such_field(str(error), records.columns)
        raise InputError(f"cannot use the condition '{condition}': {why}") from error
    except pl.exceptions.PolarsError as error:
        reason = str(error).partition("\n")[0]
        if "unable to parse" in reason:
            reason = "it ends too early, or has a sign that SQL does not know"
        raise InputError(f"cannot use the condition '{condition}': {reason}") from error
    if selected.is_empty() and not may_be_none:
        where = f" in {source}" if source else ""
        raise InputError(f"no record{where} fulfils '{condition}'")
    return selected


def _check_units(condition: str) -> None:
    """Raise `InputError` for a number with a unit, which SQL takes for the number alone."""
    for text, number, unit in _WITH_UNIT.findall(_IN_QUOTES.sub("", condition)):
        factors, plural = (SECONDS, "seconds") if unit.lower() in SECONDS else (BYTES, "bytes")
        if unit.lower() in factors:
            value = float(number) * factors[unit.lower()]
            raise InputError(
                f"cannot use the condition '{condition}': write {value:.15g} instead of {text}, "
                f"in {plural}"
            )


def _no_such_field(message: str, fields: Iterable[str]) -> str:
    """Explain the error of Polars about a condition, and suggest what would work."""
    match = re.search(r'"(\w+)"', message)
    name = match[1] if match else ""
    close = nearest(name, fields) if name else None
    hint = f"did you mean {close}? " if close else ""
    return f"no field {name}; {hint}Put text in single quotes. Fields are those of `nqbench export`"
