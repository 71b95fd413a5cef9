"""The x-axis of a trend: which value of a record is a point, and the order of the points."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import polars as pl

from nqbench.common.errors import InputError
from nqbench.common.spelling import suggestion
from nqbench.plugins.name_rules import Revision, unversioned
from nqbench.summary.history import History, revisions

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

_AS_RECORDED: Final = "as_recorded"
"""The column with the names of backends, if those in `backend` are without their revisions."""

Order = tuple[Any, ...]


def usual_axis(records: pl.DataFrame, sources: int) -> str:
    """The axis if the user names none: revisions, if commits were built; else the sources, if there
    are several; else versions of backends, if one has several; else days.
    """
    if revisions(records):
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
    if axis == REVISION:
        found = revisions(records)
        names = {name: revision.name for name, revision in found.items()}
        table = records.with_columns(
            pl.col("backend").alias(_AS_RECORDED),
            pl.col("backend").replace_strict(names, default=None).alias(POINT),
            backend=pl.col("backend").replace({name: unversioned(name) for name in found}),
        )
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
    """The points in their order: revisions by `History`, versions as numbers count, sources as they
    were named, and others by the first run. And those of which the order is not known.
    """
    if axis == REVISION:
        history = History.of(_commits(records))
        return sorted(history.places, key=lambda point: history.places[point]), {*history.unordered}
    first = dict(records.group_by(POINT).agg(pl.col("started_at").min().alias("first")).iter_rows())
    return sorted(first, key=_order(axis, sources, first)), set()


def subjects(records: pl.DataFrame, axis: str) -> dict[str, str]:
    """The first line of the message of each commit, as far as it was recorded."""
    commits = _commits(records) if axis == REVISION else {}
    return {point: commit.subject for point, commit in commits.items() if commit.subject}


def dates(records: pl.DataFrame, axis: str) -> dict[str, str]:
    """The date of each point, as far as there is one: of the commit, or else of the first run."""
    commits = _commits(records) if axis == REVISION else {}
    starts = (
        records.filter(pl.col("started_at") > 0).group_by(POINT).agg(pl.col("started_at").min())
    )
    run = {
        point: datetime.fromtimestamp(start, UTC).strftime("%Y-%m-%d") for point, start in
        starts.iter_rows()
    }  # fmt: skip
    return run | {point: commit.date[:10] for point, commit in commits.items() if commit.date}


def _commits(records: pl.DataFrame) -> dict[str, Revision]:
    """The commit of each point. One that two copies of a repository have belongs to the first."""
    recorded = records.select("backend_version", backend=_AS_RECORDED)
    found = sorted(revisions(recorded).values(), key=lambda commit: commit.source, reverse=True)
    return {commit.name: commit for commit in found}


def _order(axis: str, sources: Sequence[str], first: dict[str, float]) -> Callable[[str], Order]:
    if axis == VERSION:
        return _as_version
    if axis == DAY:
        return lambda point: (point,)
    if axis == SOURCE and sources:
        places = {source: place for place, source in enumerate(sources)}
        return lambda point: (places[point],)
    return lambda point: (first[point], point)


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
