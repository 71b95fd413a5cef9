"""Reads the JSON of pytest-benchmark (`--benchmark-json`): the times of each function.

A function is taken as the solver, and its parameters as the problem. All times are there only with
`--benchmark-save-data`. A file states no limits.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import polars as pl

from nqbench.addons.importing.base import Format, ResultFile
from nqbench.addons.importing.repeated_times import (
    PARAMETERS,
    chosen_times,
    parameter_columns,
    table_of,
)
from nqbench.common.vocabulary import Answer
from nqbench.plugins.parameters import Parameter


class _Stats(msgspec.Struct):
    mean: Any = None
    median: Any = None
    min: Any = None
    data: list[Any] | None = None


class _Benchmark(msgspec.Struct):
    name: str
    fullname: str
    stats: _Stats
    group: str | None = None
    params: dict[str, Any] | None = None
    param: Any = None


class _File(msgspec.Struct):
    benchmarks: list[_Benchmark]
    machine_info: dict[str, Any] = {}
    version: str = ""


class PytestBenchmark(Format):
    """The results of each function that was measured."""

    meaning = "JSON of pytest-benchmark"
    reference = "https://pytest-benchmark.readthedocs.io"
    suffixes = (".json",)
    parameters: Mapping[str, Parameter] = PARAMETERS

    def recognises(self, file: ResultFile) -> bool:
        """Whether it has benchmarks and facts of the machine."""
        return super().recognises(file) and {"benchmarks", "machine_info"} <= file.keys

    def read(self, file: ResultFile) -> pl.DataFrame:
        """What each run of a function states. The columns `name`, `fullname`, `group` and one for
        each parameter can be mapped. Raises `InputError` if this is no file of pytest-benchmark.
        """
        document = file.json(_File, "a file of pytest-benchmark")
        common = {
            "harness": f"pytest-benchmark {document.version}".strip(),
            "machine": _machine(document.machine_info),
            "answer": str(Answer.UNSTATED),
        }
        which = str(self.values["times"])
        return table_of(
            common | row for benchmark in document.benchmarks for row in _rows(benchmark, which)
        )


def _rows(benchmark: _Benchmark, which: str) -> Iterator[dict[str, Any]]:
    """What each run of a function states, by column."""
    function = benchmark.name.partition("[")[0]
    folder = benchmark.fullname.partition("::")[0]
    common = {
        "name": benchmark.name,
        "fullname": benchmark.fullname,
        "group": benchmark.group,
        "backend": function,
        "instance": benchmark.param or benchmark.group or folder,
        **parameter_columns(benchmark.params or {}),
    }
    stats = benchmark.stats
    figures = {"mean": stats.mean, "median": stats.median, "min": stats.min}
    for time in chosen_times(stats.data, figures, which):
        yield common | {"solve_s": time}


def _machine(facts: Mapping[str, Any]) -> str | None:
    """The name of the processor, and the number of CPUs; None if they are not known."""
    cpu = facts.get("cpu")
    if not isinstance(cpu, dict) or not cpu.get("brand_raw"):
        return None
    return f"{cpu['brand_raw']}, {cpu.get('count', '?')} CPUs"
