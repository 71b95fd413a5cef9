"""What the records of sequences show, in sentences, and the points of their plot."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import polars as pl

from nqbench.common import units
from nqbench.common.vocabulary import combination

REPLAY: Final = (
    "A replay asks every solver what the recorded one was asked: an application with another "
    "solver would have asked something else."
)

_MOST_FILES: Final = 3
_WRONG: Final = re.compile(r"(?:^|; )(query \d+ \(line \d+\)): ([^;]*)")


class Point(NamedTuple):
    """A query of a record: its number from 1, its line, and its seconds."""

    number: int
    line: int
    seconds: float


def points(text: str) -> list[Point]:
    """The queries of the column `queries`."""
    words = (re.split("[@:]", word) for word in text.split())
    return [Point(int(number), int(line), float(seconds)) for number, line, seconds in words]


def sentences(records: pl.DataFrame) -> list[str]:
    """Which query was answered wrongly, which one took longest, and what a replay is. Nothing
    without records of sequences.
    """
    if "queries" not in records.columns:
        return []
    asked = records.filter(pl.col("queries").is_not_null())
    if asked.is_empty():
        return []
    return [*_wrong(asked), *_slowest(asked), REPLAY]


def _wrong(records: pl.DataFrame) -> Iterator[str]:
    """For each combination and file, the wrong query and what is wrong with it."""
    said = dict.fromkeys(
        f"{combination(encoding, backend)} answers {found[1]} of {instance} wrongly: {found[2]}."
        for encoding, backend, instance, message in records.select(
            "encoding", "backend", "instance", "message"
        )
        .sort("instance", "backend")
        .iter_rows()
        if (found := _WRONG.search(message))
    )
    yield from list(said)[:_MOST_FILES]
    if more := len(said) - _MOST_FILES:
        yield from [f"{more} more are wrong: see the messages of the records."] * (more > 0)


def _slowest(records: pl.DataFrame) -> Iterator[str]:
    """For the files of which a query took longest: that query, and its share."""
    slowest: dict[str, tuple[Point, str, float]] = {}
    columns = records.select("encoding", "backend", "instance", "queries", "solve_s")
    for encoding, backend, instance, text, solve_s in columns.iter_rows():
        asked = points(text)
        point = max(asked, key=lambda one: one.seconds)
        total_s = max(solve_s or 0.0, sum(one.seconds for one in asked))
        if instance not in slowest or point.seconds > slowest[instance][0].seconds:
            slowest[instance] = point, combination(encoding, backend), total_s
    by_time = sorted(slowest.items(), key=lambda item: (-item[1][0].seconds, item[0]))
    for instance, (point, name, total_s) in by_time[:_MOST_FILES]:
        share = units.percent(point.seconds / total_s) if total_s else "all"
        yield (
            f"The slowest query of {instance} is {point.number} (line {point.line}): with {name} "
            f"it takes {units.seconds(point.seconds)}, {share} of all queries together."
        )
