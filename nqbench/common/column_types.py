"""The types of columns: what a value may be, as an annotation of the field that holds it."""

import math
from dataclasses import dataclass
from typing import Annotated, Final, Literal

LARGEST_INTEGER: Final = 2**63 - 1
"""The largest integer of a table, in magnitude."""

LARGEST_NUMBER: Final = 2.0**53
"""The largest time in seconds; sums of such numbers are finite."""

FINEST: Final = 1e-15
"""The least time in seconds besides 0, which is far below what any clock measures."""

LATEST: Final = 253402300799.0
"""The last second of the year 9999, as seconds since 1970: the latest date that Python knows."""


@dataclass(frozen=True, slots=True)
class Within:
    """A number from `least` to `most`. If it is not 0, its magnitude is at least `finest`."""

    least: float
    most: float = math.inf
    finest: float = 0.0


@dataclass(frozen=True, slots=True)
class Text:
    """A text of at least `shortest` characters; with a pattern, the whole text matches it."""

    shortest: int = 0
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class From:
    """A value that a record repeats from its run, such as `limits.time_s`. It is known before the
    run starts and is a part of its identity.
    """

    path: str


@dataclass(frozen=True, slots=True)
class Since:
    """A column that the tables of earlier schemas lack, and the value of their rows: `earlier`."""

    schema: int
    earlier: str | None = None


@dataclass(frozen=True, slots=True)
class Counted:
    """A counter whose name in a sentence is not that of its field, or for which a column has the
    limit.
    """

    noun: str = ""
    limit: str | None = None


@dataclass(frozen=True, slots=True)
class ReadBy:
    """Who reads a column where only some are read, as of a million records it takes long to read
    all: each `summary` and the page of a report, or only the `page`.
    """

    reader: Literal["summary", "page"]


@dataclass(frozen=True, slots=True)
class DecidedHere:
    """A column that no imported file can state."""


@dataclass(frozen=True, slots=True)
class CountedByWorker:
    """A count that the worker puts into the `counts` of its report, under the column's name."""


Count = Annotated[int, Within(0)]
Positive = Annotated[int, Within(1)]
Seconds = Annotated[float, Within(0, LARGEST_NUMBER, FINEST)]
Limit = Annotated[float, Within(FINEST, LARGEST_NUMBER)]
"""A limit in seconds, which is more than 0."""

Moment = Annotated[float, Within(0, LATEST)]
"""Seconds since 1970 (UTC)."""

Ratio = Annotated[float, Within(0, LARGEST_NUMBER, FINEST)]
Name = Annotated[str, Text(shortest=1)]
