"""Reads the results of airspeed velocity (asv): the times of each benchmark on a commit.

A benchmark is taken as the solver, and its parameters as the problem. The commit is the version of
the solver, after its date, so that versions are in the order of commits. `benchmarks.json`, two
folders above a file, has the names of parameters. A file states no limits. Its format is described
in the section "Benchmark suite layout and file formats" of the documentation for developers; of its
versions, this is the second, which asv writes since 0.4.1.
"""

import itertools
import json
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec
import polars as pl

from nqbench.addons.importing.base import Format, ResultFile
from nqbench.addons.importing.repeated_times import chosen_times, parameter_columns, table_of
from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.common.units import counted
from nqbench.common.vocabulary import Answer, Outcome
from nqbench.plugins.parameters import Choice, Parameter

_VERSION: Final = 2
_MACHINE: Final = "machine.json"
_BENCHMARKS: Final = "benchmarks.json"
_TIMED: Final = "time"
"""How the last part of the name of a benchmark begins that measures times."""

_DIGITS: Final = 12
_LARGEST: Final = 2**26


class _File(msgspec.Struct):
    commit_hash: str
    result_columns: list[str]
    results: dict[str, list[Any]]
    version: int
    date: float = 0
    env_name: str = ""
    params: dict[str, Any] = {}


class _Result(msgspec.Struct):
    """A benchmark: of each combination of its parameters, as text, the median, null if it failed,
    NaN if it was skipped, and all times, if they were recorded.
    """

    result: list[float | None] | None = None
    params: list[list[str]] | None = None
    samples: list[list[float] | None] | None = None
    started_at: float | None = None


class ASV(Format):
    """The results of a commit on a machine, or of all commits in the folder of a machine."""

    meaning = "results of airspeed velocity (asv), one file for each commit, or their folder"
    reference = "https://asv.readthedocs.io"
    suffixes = (".json",)
    parameters: Mapping[str, Parameter] = {"times": Choice("median", ("median", "all"))}

    def recognises(self, file: ResultFile) -> bool:
        """Whether it has columns of results of a commit; or it is the folder of a machine."""
        if file.is_folder:
            return (file.path / _MACHINE).is_file()
        if not super().recognises(file):
            return False
        is_machine = file.name == _MACHINE and {"machine", "arch"} <= file.keys
        keys = (b'"commit_hash"', b'"result_columns"')
        return is_machine or all(key in file.beginning for key in keys)

    def parts(self, path: Path) -> Sequence[Path]:
        """The files of commits in the folder of a machine."""
        if not path.is_dir():
            return [path]
        return sorted(file for file in path.glob("*.json") if file.name != _MACHINE)

    def read(self, file: ResultFile) -> pl.DataFrame:
        """What each run of a benchmark states. The columns `name`, `commit` and one for each
        parameter can be mapped. Raises `InputError` if this is no result of asv.
        """
        if file.name == _MACHINE:
            raise InputError("it describes a machine, and has no results: name its folder")
        names = _names_of_parameters(file)
        which, untimed = str(self.values["times"]), set[str]()
        rows: list[dict[str, Any]] = []
        for path in self.parts(file.path):
            document = _decoded(ResultFile(path) if file.is_folder else file)
            untimed |= {name for name in document.results if not _is_timed(name)}
            rows += _rows(document, names, which)
        if untimed:
            are = "is" if len(untimed) == 1 else "are"
            warnings.warn(
                f"{counted(len(untimed), 'benchmark')} without times {are} left out", stacklevel=2
            )
        return table_of(rows)


def _decoded(file: ResultFile) -> _File:
    try:
        # asv writes NaN and Infinity, which are no JSON.
        document = msgspec.convert(json.loads(file.text), _File)
    except (msgspec.ValidationError, ValueError, RecursionError) as error:
        raise InputError(f"{file.name} is no result of asv: {error}") from error
    if document.version != _VERSION:
        raise InputError(
            f"{file.name} is of version {document.version} of asv's format: `asv update` makes it "
            f"one of version {_VERSION}"
        )
    return document


def _names_of_parameters(file: ResultFile) -> dict[str, list[str]]:
    """The names of the parameters of each benchmark, as far as they are known."""
    folder = file.path if file.is_folder else file.path.parent
    path = folder.parent / _BENCHMARKS
    if not path.is_file():
        return {}
    try:
        documents: dict[str, Any] = msgspec.json.decode(files.content(path, _LARGEST), type=dict)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise InputError(f"{path} is no file of asv: {error}") from error
    found = {}
    for name, document in documents.items():
        names = document.get("param_names") if isinstance(document, dict) else None
        if isinstance(names, list) and all(isinstance(each, str) for each in names):
            found[name] = names
    return found


def _is_timed(name: str) -> bool:
    return name.rpartition(".")[2].startswith(_TIMED)


def _rows(
    document: _File, names: Mapping[str, Sequence[str]], which: str
) -> Iterator[dict[str, Any]]:
    """What each run states, by column."""
    commit = document.commit_hash[:_DIGITS]
    when = _date(document.date)
    cpu, count = document.params.get("cpu"), document.params.get("num_cpu")
    common = {
        "harness": "asv",
        "commit": document.commit_hash,
        "backend_version": f"{when} {commit}, {document.env_name}".strip(" ,"),
        "machine": f"{cpu}, {count or '?'} CPUs" if cpu else document.params.get("machine"),
    }
    for name, values in document.results.items():
        if _is_timed(name):
            for row in _of_benchmark(name, _result(document, name, values), names, which):
                yield common | row


def _date(milliseconds: float) -> str:
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError) as error:
        raise InputError(f"its date is {milliseconds:g}, which is none") from error


def _result(document: _File, name: str, values: Sequence[Any]) -> _Result:
    """A row of results, whose last columns may be missing."""
    columns = dict(zip(document.result_columns, values, strict=False))
    try:
        return msgspec.convert(columns, _Result)
    except msgspec.ValidationError as error:
        raise InputError(f"benchmark {name!r:.60}: {error}") from error


def _of_benchmark(
    name: str, result: _Result, names: Mapping[str, Sequence[str]], which: str
) -> Iterator[dict[str, Any]]:
    combinations = list(itertools.product(*(result.params or [])))
    medians = [None] * len(combinations) if result.result is None else result.result
    samples = result.samples or [None] * len(combinations)
    if not len(combinations) == len(medians) == len(samples):
        raise InputError(f"benchmark {name!r:.60}: {len(medians)} results of {len(combinations)}")
    for texts, median, times in zip(combinations, medians, samples, strict=True):
        if median is not None and math.isnan(median):
            continue
        parameters = _named(texts, names.get(name, ()))
        common = {
            "name": name,
            "backend": name,
            "instance": ", ".join(f"{key}={value}" for key, value in parameters.items())
            or name.partition(".")[0],
            **parameter_columns(parameters),
            "started_at": None if result.started_at is None else result.started_at / 1000,
        }
        if median is None:
            yield common | {"outcome": str(Outcome.CRASHED), "solve_s": None, "answer": None}
            continue
        for time in chosen_times(times, {"median": median}, which):
            yield common | {
                "outcome": str(Outcome.FINISHED), "solve_s": time, "answer": str(Answer.UNSTATED)
            }  # fmt: skip


def _named(texts: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Parameters by their names, or numbers; texts without their quotes."""
    if len(names) != len(texts):
        names = [f"param{number}" for number in range(1, len(texts) + 1)]
    return {name: text.strip("'\"") for name, text in zip(names, texts, strict=True)}
