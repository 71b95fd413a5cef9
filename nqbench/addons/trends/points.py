"""The x-axis of a trend: which value of a record is a point, and the order of the points."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import polars as pl

from nqbench.common.errors import InputError
from nqbench.common.spelling import suggestion

REVISION: Final = "revision"
VERSION: Final = "version"
DAY: Final = "day"
SOURCE: Final = "source"
SPECIAL: Final = (REVISION, VERSION, DAY, SOURCE)
"""The x-axes that are no column."""

COMMITS: Final = (REVISION, "commit")
"""The x-axes whose points are commits: of a solver, or of what pytest-benchmark measured."""

POINT: Final = "point"
ORDER: Final = "order"

_GIT: Final = r"^(git:.+?)@([0-9a-f]{7,64})(\s.*)?$"
"""The name of a backend that was built from a commit."""

_DATED: Final = r"[0-9a-f]{7,64} of (\d{4}-\d\d-\d\dT[\d:]+Z)"
"""The commit and its date in the version of such a backend."""

_PLACED: Final = rf"{_DATED}, commit (\d+) '(.*)', "
"""The same with its place in the history, and its subject."""

Order = tuple[Any, ...]


def usual_axis(records: pl.DataFrame, sources: int) -> str:
    """The axis if the user names none: revisions, if commits were built; else the sources, if there
    are several; else versions of backends, if one has several; else days.
    """
    if records["backend"].str.contains(_GIT).any():
        return REVISION
    if sources > 1:
        return SOURCE
    versions = records.group_by("backend").agg(pl.col("backend_version").n_unique())
    return VERSION if (versions["backend_version"] > 1).any() else DAY


def with_points(records: pl.DataFrame, axis: str) -> pl.DataFrame:
    """The records with their points as text, in the column `POINT`, and without the revision in the
    names of backends if revisions are the points. Records without a point are left out. Raises
    `InputError` for an unknown axis, and if no record has a point.
    """
    backend = pl.col("backend")
    if axis == REVISION:
        name = pl.concat_str(
            backend.str.extract(_GIT, 1), backend.str.extract(_GIT, 3).fill_null("")
        )
        table = records.with_columns(backend.str.extract(_GIT, 2).alias(POINT), backend=name)
    elif axis == VERSION:
        table = records.with_columns(pl.col("backend_version").alias(POINT))
    elif axis == DAY:
        day = pl.from_epoch("started_at", time_unit="s").dt.strftime("%Y-%m-%d")
        table = records.with_columns(pl.when(pl.col("started_at") > 0).then(day).alias(POINT))
    elif axis in records.columns:
        table = records.with_columns(pl.col(axis).cast(pl.String, strict=False).alias(POINT))
    else:
        raise InputError(f"unknown axis '{axis}': {suggestion(axis, [*SPECIAL, *records.columns])}")
    table = table.drop_nulls(POINT)
    if table.is_empty():
        needs = "no backend is a commit (git:...)" if axis == REVISION else "no record has a value"
        raise InputError(f"nothing to draw over {axis}: {needs}; choose another axis")
    return table


def ordered_points(
    records: pl.DataFrame, axis: str, sources: Sequence[str] = ()
) -> tuple[list[str], set[str]]:
    """The points in their order: revisions by their place in the history, versions as numbers
    count, sources as they were named, and others by the first run. And those of which the order is
    not known: commits of different branches with one place, or of one date without a place.
    """
    first = dict(records.group_by(POINT).agg(pl.col("started_at").min().alias("first")).iter_rows())
    order = _order(records, axis, sources, first)
    if axis != REVISION:
        return sorted(first, key=order), set()
    shared = Counter(map(order, first))
    unordered = {point for point in first if shared[order(point)] > 1}
    return sorted(first, key=lambda point: (order(point), first[point], point)), unordered


def subjects(records: pl.DataFrame) -> dict[str, str]:
    """The first line of the message of each commit, as far as it was recorded."""
    subject = pl.col("backend_version").str.extract(_PLACED, 3)
    return dict(records.select(POINT, subject.alias("subject")).drop_nulls().unique().iter_rows())


def dates(records: pl.DataFrame, axis: str) -> dict[str, str]:
    """The date of each point, as far as there is one: of the commit, or else of the first run."""
    named = _commit_dates(records) if axis == REVISION else {}
    starts = (
        records.filter(pl.col("started_at") > 0).group_by(POINT).agg(pl.col("started_at").min())
    )
    run = {
        point: datetime.fromtimestamp(start, UTC).strftime("%Y-%m-%d") for point, start in
        starts.iter_rows()
    }  # fmt: skip
    return run | {point: date[:10] for point, date in named.items()}


def _order(
    records: pl.DataFrame, axis: str, sources: Sequence[str], first: dict[str, float]
) -> Callable[[str], Order]:
    if axis == REVISION:
        of_commit, places = _commit_dates(records), _places(records)
        # A date says little after a rebase. It counts where a record has no place, or none is known
        # in a shallow clone.
        if places.keys() == first.keys():
            return lambda point: (places[point],)
        return lambda point: (of_commit.get(point, ""),)
    if axis == VERSION:
        return _as_version
    if axis == DAY:
        return lambda point: (point,)
    if axis == SOURCE and sources:
        places = {source: place for place, source in enumerate(sources)}
        return lambda point: (places[point],)
    return lambda point: (first[point], point)


def _commit_dates(records: pl.DataFrame) -> dict[str, str]:
    date = pl.col("backend_version").str.extract(_DATED, 1)
    return dict(records.select(POINT, date.alias("date")).drop_nulls().unique().iter_rows())


def _places(records: pl.DataFrame) -> dict[str, int]:
    """The place of each commit in the history, as far as it was recorded."""
    place = pl.col("backend_version").str.extract(_PLACED, 2).cast(pl.Int64)
    return dict(records.select(POINT, place.alias("place")).drop_nulls().unique().iter_rows())


def _as_version(text: str) -> Order:
    """Numbers in a version count as numbers, and a development version comes before its release.

    >>> sorted(["cadical 1.9.10", "cadical 1.9.9", "cadical 1.9.10.dev1"], key=_as_version)
    ['cadical 1.9.9', 'cadical 1.9.10.dev1', 'cadical 1.9.10']
    """
    early = re.compile(r"dev|a|alpha|b|beta|rc|pre")
    words = re.findall(r"\d+|[^\W\d_]+", text.lower())
    return (
        *(
            (3, int(word), "") if word.isdigit() else (0 if early.fullmatch(word) else 2, 0, word)
            for word in words
        ),
        (1, 0, ""),
    )
