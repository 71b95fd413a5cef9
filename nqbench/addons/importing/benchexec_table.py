"""Reads the CSV of BenchExec's `table-generator`: a row for each task, and columns for each run
set.

Its first lines are the tool, the run set and the title of each column. A title ends with the unit
of its numbers, as in `cputime (s)`. A table states no limits.
"""

import itertools
import re
from collections.abc import Sequence
from typing import Final

import polars as pl

from nqbench.addons.importing.base import Format, ResultFile
from nqbench.addons.importing.benchexec import Run, statements
from nqbench.common.errors import InputError, Place
from nqbench.records.formats import rows_of_csv

_TAB: Final = "\t"
_HEADERS: Final = 3
_TITLE: Final = re.compile(r"(?P<title>.+?)(?: \((?P<unit>[A-Za-z]+)\))?")


class BenchExecTable(Format):
    """The table of several run sets."""

    meaning = "CSV of BenchExec's table-generator"
    reference = "https://github.com/sosy-lab/benchexec/blob/main/doc/table-generator.md"
    suffixes = (".csv",)

    def recognises(self, file: ResultFile) -> bool:
        """Whether the lines before the titles are there."""
        lines = file.beginning.decode(errors="replace").splitlines()
        begins = [line.partition(_TAB)[0] for line in lines[:_HEADERS]]
        return super().recognises(file) and begins[:2] == ["tool", "run set"]

    def read(self, file: ResultFile) -> pl.DataFrame:
        """What each run states: the tasks in the order of the rows, for one run set after another.
        Raises `InputError` for a table without a status.
        """
        rows = rows_of_csv(file.text, _TAB)
        headers = list(itertools.islice(rows, _HEADERS))
        begins, widths = [row[0] for row in headers[:2]], [len(row) for row in headers]
        if begins != ["tool", "run set"] or widths != [widths[0]] * _HEADERS:
            raise InputError("it is not a table of BenchExec: its lines begin with tool, run set")
        tools, sets, titles = headers
        tasks = list(rows)
        for number, row in enumerate(tasks, 1):
            if len(row) > len(titles):
                raise InputError(f"{len(row)} values, not {len(titles)}", place=Place(row=number))
            # BenchExec leaves out empty cells at the end of the file.
            row.extend([""] * (len(titles) - len(row)))
        first_tool = next((at for at, tool in enumerate(tools[1:], 1) if tool), len(tools))
        prefix = titles[0]
        tables = []
        for columns in _run_sets(tools, sets, titles, first_tool):
            plain = [_TITLE.fullmatch(titles[at]) for at in columns]
            runs = [_run(prefix, row, first_tool, columns, plain) for row in tasks]
            if "status" not in {match["title"] for match in plain if match}:
                raise InputError(f"run set {sets[columns[0]]!r:.60} has no column status")
            facts = {"backend": _solver(tools, sets, columns[0]), "harness": "BenchExec"}
            tables.append(statements(_existing_runs(runs), facts))
        if not tables:
            raise InputError("it has no run set")
        return pl.concat(tables, how="diagonal")


def _run_sets(
    tools: Sequence[str], sets: Sequence[str], titles: Sequence[str], first_tool: int
) -> list[list[int]]:
    """The columns of each run set. Two run sets of one tool begin with the same title."""
    run_sets: list[list[int]] = []
    for at in range(first_tool, len(titles)):
        before = run_sets[-1] if run_sets else []
        is_same = before and (tools[at], sets[at]) == (tools[at - 1], sets[at - 1])
        if is_same and titles[at] not in {titles[column] for column in before}:
            before.append(at)
        else:
            run_sets.append([at])
    return run_sets


def _solver(tools: Sequence[str], sets: Sequence[str], at: int) -> str:
    """The tool of a column; with the name of its run set if others have the same tool."""
    several = len({name for tool, name in zip(tools, sets, strict=True) if tool == tools[at]}) > 1
    return f"{tools[at]} {sets[at]}" if several else tools[at]


def _run(
    prefix: str,
    row: Sequence[str],
    first_tool: int,
    columns: Sequence[int],
    titles: Sequence[re.Match[str] | None],
) -> Run:
    run = Run(prefix + row[0], " ".join(filter(None, row[1:first_tool])))
    for at, title in zip(columns, titles, strict=True):
        if title and row[at]:
            run.values[title["title"]] = row[at] + (title["unit"] or "")
    return run


def _existing_runs(runs: Sequence[Run]) -> list[Run]:
    """The runs of a run set, which may not have all tasks."""
    return [run for run in runs if run.values]
