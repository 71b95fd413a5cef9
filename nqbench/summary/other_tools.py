"""Exports records for mkplot, which draws them, and for services that watch each commit.

The services:

- github-action-benchmark, with `tool: customSmallerIsBetter`:
  https://github.com/benchmark-action/github-action-benchmark#readme
- Bencher, with `--adapter json`: https://bencher.dev/docs/reference/bencher-metric-format/

Both get the same values. For each problem and combination of which all runs were solved: the median
over the runs of each counter that all runs report, and of the solve time if its 95 % interval is
known. For each combination: the number of unsolved runs, since a problem that is no longer solved
has no other value.
"""

import json
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from nqbench.common import files, metrics
from nqbench.common.vocabulary import Task, combination
from nqbench.summary import intervals
from nqbench.summary.evidence import of_repeats
from nqbench.summary.observed import NAMED, NOT_CAPPED, PAIR, SOLVED, TITLE, observed

_Problem = tuple[str, int | None, str]
"""Family, n and instance."""


def to_mkplot(records: pl.DataFrame) -> dict[str, bytes]:
    """JSON files for mkplot (A. Ignatiev), one for each encoding x backend, by file name. No two
    names are equal, also where names ignore case.

    The instances are the boards and repeats. If one was run under several conditions, the latest
    run counts. `rtime` is encode_s + load_s + solve_s + decode_s in seconds, or the time limit of
    an unsolved run; of an imported run, the time that its source states. Capped runs are left out.
    """
    runs = observed(records.filter(NOT_CAPPED), "total_s")
    problems = _problem_names(runs)
    combinations = runs.select(PAIR).unique().sort(PAIR).rows()
    stems = files.distinct_names(map(_stem, combinations), ".json")
    tables = runs.partition_by(PAIR, as_dict=True)
    return {
        stems[_stem(pair)]: _of_combination(pair, tables[pair], problems) for pair in combinations
    }


def _stem(pair: tuple[str, ...]) -> str:
    """The name of a combination's file, before it is made distinct: no record has a NUL."""
    return "\0\0".join(pair)


def _of_combination(
    pair: tuple[str, ...], table: pl.DataFrame, problems: Mapping[_Problem, str]
) -> bytes:
    """The file of one combination."""
    rows = table.sort("n", "instance", "repeat", "started_at").iter_rows(named=True)
    stats = {f"{problems[_problem(row)]} {row['repeat']}": _mkplot_facts(row) for row in rows}
    name = combination(*pair)
    preamble = {"benchmark": "nqbench", "program": name, "prog_alias": name}
    return json.dumps({"preamble": preamble, "stats": stats}, indent=1).encode()


def _problem_names(records: pl.DataFrame) -> dict[_Problem, str]:
    """A name for each problem, the same in all files."""
    names: dict[_Problem, str] = {}
    used_names = set()
    for row in records.select("family", "n", "instance").unique().sort(pl.all()).to_dicts():
        board = f"{row['family']} n{row['n']} {row['instance']}".strip()
        name = row["instance"] if row["n"] is None else board
        # A formula and a problem of another family may have the same name.
        while name in used_names:
            name = f"{row['family']}: {name}"
        used_names.add(name)
        names[_problem(row)] = name
    return names


def _problem(row: Mapping[str, Any]) -> _Problem:
    return row["family"], row["n"], row["instance"]


def _mkplot_facts(row: Mapping[str, Any]) -> dict[str, Any]:
    memory = f"{(row['peak_rss_bytes'] or 0) // 1024} KiB"
    # An imported run may have no phases to add up, and only one time.
    time_s = row["solve_s"] if row["time_s"] is None else row["time_s"]
    return {"status": row["solved"], "rtime": time_s, "mempeak": memory}


_COUNTERS: Final = ("conflicts", "decisions", "propagations")
_UNSOLVED: Final = "unsolved"


@dataclass(frozen=True, slots=True)
class _Value:
    """What was measured of a benchmark. `low` and `high` are the 95 % interval of a median; None
    with fewer runs than an interval needs.
    """

    benchmark: str
    measure: str
    value: float
    runs: int
    low: float | None = None
    high: float | None = None

    @property
    def unit(self) -> str:
        """The unit, in words."""
        if self.measure == _UNSOLVED:
            return "runs"
        return "s" if self.measure == metrics.USUAL else metrics.noun(self.measure)


def to_github_action_benchmark(records: pl.DataFrame) -> bytes:
    """A JSON array with an object for each value: name, unit, value, extra, and for a median with
    an interval range. Times are in seconds.
    """
    rows = []
    for value in _values(records):
        row: dict[str, Any] = {
            "name": f"{value.benchmark}: {value.measure}",
            "unit": value.unit,
            "value": value.value,
        }
        if value.low is not None:
            row["range"] = f"{value.low:g} to {value.high:g}"
        rows.append(row | {"extra": f"of {value.runs} runs"})
    return _json(rows)


def to_bencher(records: pl.DataFrame) -> bytes:
    """A JSON object with the measures of each benchmark: value, and for a median with an interval
    lower_value and upper_value. Times are in seconds.
    """
    benchmarks: dict[str, dict[str, dict[str, float]]] = {}
    for value in _values(records):
        metric = {"value": value.value}
        if value.low is not None and value.high is not None:
            metric |= {"lower_value": value.low, "upper_value": value.high}
        benchmarks.setdefault(value.benchmark, {})[value.measure] = metric
    return _json(benchmarks)


def _json(content: object) -> bytes:
    return json.dumps(content, indent=1, allow_nan=False).encode() + b"\n"


def _values(records: pl.DataFrame) -> Iterator[_Value]:
    """The values of each problem and combination, and then of each combination."""
    runs = records.filter(NOT_CAPPED).with_columns(SOLVED, NAMED, TITLE)
    for (title, pair, task), group in runs.group_by("title", "pair", "task", maintain_order=True):
        if group["solved"].all():
            which = "" if task == Task.FIRST else f" {task}"
            yield from _of_problem(f"{title}{which}: {pair}", group)
    for (pair,), group in runs.group_by("pair", maintain_order=True):
        unsolved = int((~group["solved"]).sum())
        yield _Value(str(pair), _UNSOLVED, unsolved, len(group))


def _of_problem(benchmark: str, runs: pl.DataFrame) -> Iterator[_Value]:
    """The medians of a problem's runs by one combination, all of them solved."""
    for measure in (*_COUNTERS, metrics.USUAL):
        values = runs[measure].to_list()
        if None in values:
            continue
        low, high = intervals.median(of_repeats(runs, [], measure)[measure].to_list())
        # Runs on several machines have no time in common.
        if measure in _COUNTERS or (low is not None and runs["machine"].n_unique() == 1):
            yield _Value(benchmark, measure, statistics.median(values), len(values), low, high)
