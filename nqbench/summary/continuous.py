"""Exports records for services that draw results over commits and warn when they become worse.

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
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from nqbench.common import metrics
from nqbench.common.vocabulary import Task
from nqbench.summary import intervals
from nqbench.summary.evidence import of_repeats
from nqbench.summary.observed import NAMED, NOT_CAPPED, SOLVED, TITLE

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
