"""Reads files of pytest-benchmark as points of a trend: a file is a commit, a function a line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import polars as pl

from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.records.sources import shown

_DIGITS: Final = 10
_LARGEST: Final = 2**30


class _Benchmark(msgspec.Struct):
    fullname: str
    stats: dict[str, Any]


class _Commit(msgspec.Struct):
    id: str | None = None
    time: str | None = None
    dirty: bool | None = None


class _File(msgspec.Struct):
    benchmarks: list[_Benchmark]
    commit_info: _Commit = msgspec.field(default_factory=_Commit)
    datetime: str = ""


def is_benchmark_file(path: Path) -> bool:
    """Whether a path is that of a JSON file, as pytest-benchmark writes it."""
    return path.suffix == ".json" and path.is_file()


def read(paths: Sequence[Path]) -> tuple[pl.DataFrame, list[str], dict[str, str]]:
    """The median of each function in each file, with the columns line, point and value; the points
    in the order of their commits, or of the files' dates; and these dates. A file without a commit
    is a point with the name of the file. Raises `InputError`.
    """
    rows, date_of = [], dict[str, str]()
    for path in paths:
        document = _decoded(path)
        commit = document.commit_info
        # Without a repository, pytest-benchmark writes "unversioned" or "unknown" as the commit.
        is_commit = commit.id and commit.time
        point = str(commit.id)[:_DIGITS] if is_commit else path.stem
        if is_commit and commit.dirty:
            point += "+"
        date_of[point] = commit.time or document.datetime or ""
        rows += [
            {"line": benchmark.fullname, "point": point, "value": float(median)}
            for benchmark in document.benchmarks
            if isinstance(median := benchmark.stats.get("median"), int | float) and median > 0
        ]
    if not rows:
        raise InputError("the files of pytest-benchmark have no benchmarks")
    table = pl.DataFrame(rows).group_by("line", "point").agg(pl.col("value").median())
    points = sorted(date_of, key=lambda point: (date_of[point], point))
    return table, points, {point: date[:10] for point, date in date_of.items() if date}


def _decoded(path: Path) -> _File:
    try:
        return msgspec.json.decode(files.content(path, _LARGEST), type=_File)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{shown(path)} is not a file of pytest-benchmark: {error}") from error
