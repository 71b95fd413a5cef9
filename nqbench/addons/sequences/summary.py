"""What the records of sequences show, in sentences, and the points of their plot."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import polars as pl

from nqbench.common import units
from nqbench.common.vocabulary import combination
from nqbench.summary.findings.wording import listed

REPLAY: Final = (
    "A replay asks every solver what the recorded one was asked: an application with another "
    "solver would have asked something else."
)

_MOST_FILES: Final = 3
_QUERY: Final = r"(query \d+ \(line \d+\))"
_WRONG: Final = re.compile(rf"(?:^|; ){_QUERY}: ([^;]*)")
_CLAIM: Final = re.compile(rf"^the file is wrong about {_QUERY}: (.*)")
_OPEN: Final = re.compile(rf"no answer to {_QUERY} of \d")


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
    """Which query was answered wrongly, by a run or in the file, which one was not answered, which
    one took longest, and what a replay is. Nothing without records of sequences.
    """
    if "queries" not in records.columns:
        return []
    asked = records.filter(
        pl.col("queries").is_not_null() | pl.col("message").str.contains(_OPEN.pattern)
    )
    if asked.is_empty():
        return []
    found = [*_wrong(asked), *_claimed(asked), *_open(asked), *_slowest(asked)]
    return [*found, REPLAY]


def _messages(
    records: pl.DataFrame, pattern: re.Pattern[str]
) -> Iterator[tuple[str, str, re.Match[str]]]:
    """The combination and the file of each record with such a message, and what was found."""
    columns = records.select("encoding", "backend", "instance", "message")
    for encoding, backend, instance, message in columns.sort("instance", "backend").iter_rows():
        if found := pattern.search(message):
            yield combination(encoding, backend), instance, found


def _first(said: Iterable[str], more: str) -> Iterator[str]:
    """The first of these sentences, each once, and how many more there are."""
    each = list(dict.fromkeys(said))
    yield from each[:_MOST_FILES]
    if len(each) > _MOST_FILES:
        yield f"{len(each) - _MOST_FILES} more {more}: see the messages of the records."


def _wrong(records: pl.DataFrame) -> Iterator[str]:
    """For each combination and file, the wrong query and what is wrong with it."""
    yield from _first(
        (
            f"{name} answers {found[1]} of {instance} wrongly: {found[2]}."
            for name, instance, found in _messages(records, _WRONG)
        ),
        "are wrong",
    )


def _claimed(records: pl.DataFrame) -> Iterator[str]:
    """For each file, the query that it states wrongly."""
    yield from _first(
        (
            f"The answer to {found[1]} that {instance} states is wrong: {found[2]}."
            for _, instance, found in _messages(records, _CLAIM)
        ),
        "are stated wrongly",
    )


def _open(records: pl.DataFrame) -> Iterator[str]:
    """For each query at which runs ended, by which combinations; not those of a race."""
    by: dict[str, dict[str, None]] = {}
    for name, instance, found in _messages(records.filter(pl.col("outcome") != "capped"), _OPEN):
        by.setdefault(f"{found[1]} of {instance}", {})[name] = None
    yield from _first(
        (f"No answer to {query} by {listed([*names], 2)}." for query, names in by.items()),
        "were not answered",
    )


def _slowest(records: pl.DataFrame) -> Iterator[str]:
    """For the files of which a query took longest: that query, and its share, by runs that answered
    several, and all.
    """
    slowest: dict[str, tuple[Point, str, float]] = {}
    answered = records.filter(~pl.col("message").str.contains(_OPEN.pattern))
    columns = answered.select("encoding", "backend", "instance", "queries", "solve_s")
    for encoding, backend, instance, text, solve_s in columns.iter_rows():
        asked = points(text)
        if len(asked) < 2:
            continue
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
