"""What a notebook needs: run a small campaign, have its records as a table, draw them.

import nqbench

records = nqbench.run(range(4, 13), encodings=["pairwise", "product"], backends=["minisat22"])
nqbench.plot(records, "total-over-n")
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import TYPE_CHECKING

from nqbench.errors import InputError
from nqbench.instances.formula import Formula
from nqbench.limits import Limits, parse_duration, parse_size
from nqbench.plan.campaign import Campaign
from nqbench.problems.base import Problem
from nqbench.vocabulary import Task

if TYPE_CHECKING:
    import polars as pl

    from nqbench.plots.layout import Figure


def run(
    problems: Iterable[int | Problem] | Iterable[Formula],
    *,
    encodings: Sequence[str] | None = None,
    backends: Sequence[str] | None = None,
    task: str = "first",
    repeat: int = 3,
    time_limit: str = "30s",
    memory_limit: str = "4GiB",
    jobs: int = 1,
    seed: int = 0,
) -> pl.DataFrame:
    """Measure every encoding x backend on every problem, and return the records.

    A number stands for the empty board of so many rows. Without names, the encodings and backends
    are those of `python -m nqbench`, as far as they are installed; a warning names the others. Each
    run is a process of its own under the limits ('500ms', '10s', '2m'; '512MiB', '2GiB'), and each
    answer is checked, as on the command line; but nothing is stored. The table has a row for each
    run and the fields of `nqbench.records.record.Record` as columns: times in seconds, memory in
    bytes.

    Raises `InputError` for what does not exist or does not fit, `ExecutorError` if no run can be
    started.
    """
    from nqbench import runner
    from nqbench.records import frame

    asked = [Problem(int(each)) if isinstance(each, Integral) else each for each in problems]
    boards = [each for each in asked if isinstance(each, Problem)]
    formulas = [each for each in asked if isinstance(each, Formula)]
    if not asked or len(boards) + len(formulas) < len(asked):
        raise InputError("no problems: give numbers of rows, problems or formulas")
    if boards and formulas:
        raise InputError("boards and formulas are two campaigns: run one after the other")
    if isinstance(encodings, str) or isinstance(backends, str):
        raise InputError("encodings and backends are lists of names")
    if task not in set(Task):
        raise InputError(f"unknown task '{task}': choose from {', '.join(Task)}")
    if jobs < 1:
        raise InputError(f"jobs is {jobs}: at least one run is under way at a time")
    campaign = Campaign(
        problems=boards or formulas,
        encodings=encodings,
        backends=backends,
        task=Task(task),
        repeat=repeat,
        limits=Limits(parse_duration(time_limit), parse_size(memory_limit)),
        seed=seed,
    )
    for note in campaign.notes:
        warnings.warn(f"left out: {note}", stacklevel=2)
    return frame.of(runner.measured(campaign.runs(), jobs))


def read(source: str) -> pl.DataFrame:
    """The records of a results folder, a store or an export.

    Raises `InputError` if there are none, `StoreError` for a bad store.
    """
    from nqbench.records import sources

    return sources.read(source)


def plot(records: pl.DataFrame, kind: str, time: str = "solve_s") -> Figure:
    """A Matplotlib figure of the records, of any kind that `nqbench plot` knows; `time` is the
    column that counts, where a figure can show any.

    Raises `InputError` if there is no such kind, or if the records cannot fill it.
    """
    from nqbench import plots

    return plots.draw(records, kind, time)
