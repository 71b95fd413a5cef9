"""Measures: numbers that users read from the output of runs with regular expressions."""

import math
import re
import warnings
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Self

from nqbench import isolate
from nqbench.common.errors import InputError
from nqbench.common.limits import PatientLimits
from nqbench.common.vocabulary import Outcome
from nqbench.records.record import COLUMNS

NAME: Final = "[A-Za-z_][A-Za-z0-9_]{0,63}"
"""What the whole name of a measure matches."""

_RESERVED: Final = {*COLUMNS, "measures", "solved", "time_s", "total_s"}
_LONGEST: Final = 1000
UNREAD: Final = r"measure '\w+' (?:found|was not read)[^;]*"
"""Matches the part of a run's message that says why a measure has no value."""

MOST: Final = 100
"""The largest number of measures of a run."""

LIMITS: Final = PatientLimits(time_s=2.0, memory_bytes=2**30)
"""Limits of compiling a regular expression, and of compiling it and searching an output: some take
for ever. So this is never done in the process that asks.
"""

Measured = Mapping[str, float | None]
"""The value of each measure of a run, by its name; None if the output does not contain it."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A name, and a regular expression whose first group is the value."""

    name: str
    pattern: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `NAME=REGEX`. Raises `InputError`."""
        measure = cls.checked(text)
        if "=" not in text:
            raise InputError(f"'{text[:40]}' is not a measure: write NAME=REGEX")
        name = measure.name
        if re.fullmatch(NAME, name) is None:
            raise InputError(f"'{name[:40]}' is not a name: use letters, digits and _, as in glue")
        if not is_name(name):
            raise InputError(f"measure '{name}' has the name of a column: choose another name")
        cls._check(name, measure.pattern)
        return measure

    @classmethod
    def checked(cls, text: str) -> Self:
        """The measure in a text that `parse` has read before, as when its campaign was planned."""
        name, _, pattern = text.partition("=")
        return cls(name.strip(), pattern)

    @staticmethod
    def _check(name: str, pattern: str) -> None:
        if len(pattern) > _LONGEST:
            raise InputError(f"measure '{name}' has more than {_LONGEST} characters")
        if flaw := _flaw(pattern):
            raise InputError(f"measure '{name}': '{pattern[:80]}'{flaw}")

    def value(self, printed: str) -> float | None:
        """The first group of the last match, as a number; None without a match.

        Raises `InputError` if the group is not a finite number. May take forever.
        """
        matches = deque(compiled(self.pattern).finditer(printed), maxlen=1)
        text: str | None = matches[0][1] if matches else None
        if text is None:
            return None
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise InputError(f"measure '{self.name}' found '{text[:40]}', which is not a number")
        return value


@cache
def _flaw(pattern: str) -> str:
    """What is wrong with a regular expression, in words; empty if nothing is."""
    ending = isolate.call(lambda: _flaw_of(pattern).encode(), LIMITS)
    if ending.outcome is Outcome.FINISHED:
        return ending.payload.decode()
    if ending.outcome is Outcome.TIMEOUT:
        return f" takes more than {LIMITS.time_s:g} s to compile"
    return f": {ending.message}"


def _flaw_of(pattern: str) -> str:
    try:
        groups = compiled(pattern).groups
    except (re.error, OverflowError, RecursionError, ValueError) as error:
        return f": {error}"
    if not groups:
        return r" has no group: write the number in parentheses, as in 'glue: (\d+)'"
    return ""


def compiled(pattern: str) -> re.Pattern[str]:
    """The regular expression, in which ^ and $ match at every line. Raises as `re.compile`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return re.compile(pattern, re.MULTILINE)


def parse_all(texts: Sequence[str]) -> tuple[Measure, ...]:
    """The measures that are written as `NAME=REGEX`, each name once. Raises `InputError`."""
    measures = tuple(map(Measure.parse, texts))
    names = [measure.name for measure in measures]
    if twice := {name for name in names if names.count(name) > 1}:
        raise InputError(f"measure '{min(twice)}' is given twice: choose another name")
    if len(names) > MOST:
        raise InputError(f"{len(names)} measures are more than {MOST}")
    return measures


def is_name(name: str) -> bool:
    """Whether a measure can have this name, which is a column beside those of a record."""
    return re.fullmatch(NAME, name) is not None and name not in _RESERVED


def flaw(values: Measured) -> str | None:
    """Why no run can have measured this, in words; None if it can."""
    if len(values) > MOST:
        return f"{len(values)} measures"
    for name, value in values.items():
        if not is_name(name):
            return f"the measure {name!r:.40}"
        if value is not None and not math.isfinite(value):
            return f"measure {name} = {value}"
    return None
