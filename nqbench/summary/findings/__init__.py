"""What the records show, in sentences. Each module answers one question."""

from collections.abc import Iterator

import polars as pl

from nqbench.summary.findings import answers, encoding, growth, speed, unsolved


def findings(records: pl.DataFrame, time: str = "solve_s") -> list[str]:
    """Describe what the records show in about eight sentences, the most important first.

    They report errors, the fastest combination of encoding and backend, those that cannot be
    distinguished from it, the cost of encoding, unsolved runs and the reasons, how answers were
    checked, and how the time grows with n. A sentence is left out if the records do not support it.
    `time` is the column to compare, in seconds, or `TOTAL`. Spaces within numbers do not break.
    """
    return list(_sentences(records, time))


def _sentences(records: pl.DataFrame, time: str) -> Iterator[str]:
    if records.is_empty():
        return
    yield from answers.wrong(records)
    yield from speed.speed(records, time)
    yield from encoding.encoding(records, time)
    yield from unsolved.unsolved(records)
    yield from answers.checked(records)
    yield from growth.growth(records, time)
    yield from growth.largest(records)
