"""Reads the JSON of hyperfine (`--export-json`): the times of each command.

`shell_commands` finds the solver and the problem in a command. A file states no limits.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
import polars as pl

from nqbench.addons.importing.base import Format, ResultFile
from nqbench.addons.importing.repeated_times import (
    PARAMETERS,
    chosen_times,
    parameter_columns,
    table_of,
)
from nqbench.addons.importing.shell_commands import solver_and_problem
from nqbench.common.vocabulary import Answer, Outcome
from nqbench.plugins.parameters import Parameter

_ANSWERS: Final = {10: Answer.SAT, 20: Answer.UNSAT, 0: Answer.UNSTATED}
"""What the exit status of a SAT solver says; 0 says that the command succeeded."""


class _Result(msgspec.Struct):
    command: str
    mean: Any = None
    median: Any = None
    min: Any = None
    times: list[Any] | None = None
    exit_codes: list[int | None] | None = None
    memory_usage_byte: list[Any] | None = None
    parameters: dict[str, Any] = {}


class _File(msgspec.Struct):
    results: list[_Result]


class Hyperfine(Format):
    """The results of each command."""

    meaning = "JSON of hyperfine"
    reference = "https://github.com/sharkdp/hyperfine"
    suffixes = (".json",)
    parameters: Mapping[str, Parameter] = PARAMETERS

    def recognises(self, file: ResultFile) -> bool:
        """Whether it has results, and nothing else."""
        return super().recognises(file) and file.keys == {"results"}

    def read(self, file: ResultFile) -> pl.DataFrame:
        """What each run of a command states. The column `command`, and one for each parameter of
        the commands, can be mapped. Raises `InputError` if this is no file of hyperfine.
        """
        results = file.json(_File, "a file of hyperfine").results
        which = str(self.values["times"])
        return table_of(row for result in results for row in _rows(result, which))


def _rows(result: _Result, which: str) -> Iterator[dict[str, Any]]:
    """What each run of a command states, by column."""
    solver, problem = solver_and_problem(result.command)
    common = {
        "command": result.command,
        "backend": solver,
        "instance": problem,
        "harness": "hyperfine",
        **parameter_columns(result.parameters),
    }
    figures = {"mean": result.mean, "median": result.median, "min": result.min}
    times = chosen_times(result.times, figures, which)
    codes = result.exit_codes or []
    memory = result.memory_usage_byte or []
    if len(times) == 1 < len(codes):
        # The figure of several runs, which ended in the same way or else failed.
        codes = codes[:1] if len(set(codes)) == 1 else [None]
        memory = []
    for number, time in enumerate(times):
        # A file without exit statuses is of commands that all succeeded.
        code = codes[number] if number < len(codes) else None if codes else 0
        answer = None if code is None else _ANSWERS.get(code)
        yield common | {
            "solve_s": time,
            "answer": answer and str(answer),
            "outcome": str(Outcome.CRASHED if answer is None else Outcome.FINISHED),
            "exit_status": code,
            "peak_rss_bytes": memory[number] if number < len(memory) else None,
        }
