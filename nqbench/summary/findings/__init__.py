"""What the records show, in sentences. Each module answers one question."""

import polars as pl

from nqbench.summary.findings import (
    answers,
    build,
    doubts,
    encoding,
    growth,
    speed,
    unchecked,
    unsolved,
)
from nqbench.units import is_time


def findings(records: pl.DataFrame, time: str = "solve_s") -> list[str]:
    """Describe what the records show in about eight sentences, the most important first.

    They report errors, the fastest combination of encoding and backend, those that cannot be
    distinguished from it, the cost of encoding, unsolved runs and the reasons, how answers were
    checked and why others were not, how the time grows with n, and what to keep in mind. A sentence
    is left out if the records do not support it. `time` is the column to compare, as in `observed`.
    Spaces within numbers do not break.
    """
    cautions = [*build.unoptimised(records), *doubts.doubts(records)]
    return [*stated(records, time), *(f"To keep in mind: {each}" for each in cautions)]


def stated(records: pl.DataFrame, time: str = "solve_s") -> list[str]:
    """The findings without what to keep in mind, for a page that says that elsewhere."""
    if records.is_empty():
        return []
    return [
        *answers.wrong(records),
        *speed.speed(records, time),
        *(encoding.encoding(records, time) if is_time(time) else ()),
        *unsolved.unsolved(records),
        *answers.checked(records),
        *unchecked.unchecked(records),
        *growth.growth(records, time),
        *growth.largest(records),
    ]
