"""Reads the CSV of BenchExec's `table-generator`: a row for each task, and columns for each run
set.

Its first lines are the tool, the run set and the title of each column. A title ends with the unit
of its numbers, as in `cputime (s)`. Behind the name of a task may be its property, the expected
verdict and others, without titles. A table states no limits.
"""

import itertools
import re
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Final

import polars as pl

from nqbench.addons.importing.base import Format, ResultFile
from nqbench.addons.importing.benchexec import Run, answer_of, statements
from nqbench.common.errors import InputError, Place
from nqbench.common.units import counted
from nqbench.common.vocabulary import Answer
from nqbench.records.formats import rows_of_csv

_TAB: Final = "\t"
_HEADERS: Final = 3
_TITLE: Final = re.compile(r"(?P<title>.+?)(?: \((?P<unit>[A-Za-z]+)\))?")

_VERDICT: Final = re.compile(r"(?:true|false|unknown)(?:\(.*\))?")
"""What is expected of a task."""

_OWN: Final = ("status", "category", "cputime", "walltime", "memory")
"""The titles of columns that BenchExec fills itself, which a table may show as `CPU Time`."""


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
        of_task = _of_tasks(titles[0], tasks, first_tool)
        sets_of_columns = _run_sets(tools, sets, titles, first_tool)
        names = _numbered([_solver(tools, sets, columns[0]) for columns in sets_of_columns])
        tables, without_time = [], 0
        for name, columns in zip(names, sets_of_columns, strict=True):
            plain = [_TITLE.fullmatch(titles[at]) for at in columns]
            shown = [_own_title(match["title"]) if match else "" for match in plain]
            if "status" not in shown:
                raise InputError(f"run set {sets[columns[0]]!r:.60} has no column status")
            units = [(match["unit"] or "") if match else "" for match in plain]
            runs = []
            for task, row in zip(of_task, tasks, strict=True):
                run = Run(*task)
                for at, title, unit in zip(columns, shown, units, strict=True):
                    if title and row[at]:
                        run.values[title] = row[at] + unit
                without_time += _without_time(run)
                runs.append(run)
            facts = {"backend": name, "harness": "BenchExec"}
            tables.append(statements(_existing_runs(runs), facts))
        if without_time:
            warnings.warn(
                f"{counted(without_time, 'answer')} without a time: not counted as solved",
                stacklevel=2,
            )
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
    return f"{tools[at].strip()} {sets[at]}" if several else tools[at].strip()


def _numbered(names: Sequence[str]) -> list[str]:
    """The names of run sets, of which the second of one name gets a number, as `NAME (2)`: nothing
    says that it is a repeat.
    """
    times: Counter[str] = Counter()
    numbered = []
    for name in names:
        times[name] += 1
        numbered.append(f"{name} ({times[name]})" if times[name] > 1 else name)
    for name, count in times.items():
        if count > 1:
            warnings.warn(
                f"{count} run sets are named {name!r:.60}: the second one is the solver "
                f"{f'{name} (2)'!r:.64}",
                stacklevel=2,
            )
    return numbered


def _of_tasks(
    prefix: str, tasks: Sequence[Sequence[str]], first_tool: int
) -> list[tuple[str, str, str, str]]:
    """Name, properties, options and expected verdict of each row."""
    others = range(1, first_tool)
    verdicts = [
        at
        for at in others
        if any(row[at] for row in tasks)
        and all(_VERDICT.fullmatch(row[at]) for row in tasks if row[at])
    ]
    expected = verdicts[0] if verdicts else None
    return [
        (
            prefix + row[0],
            " ".join(row[at] for at in others if row[at] and at != expected),
            "",
            "" if expected is None else row[expected],
        )
        for row in tasks
    ]


def _own_title(title: str) -> str:
    """The title that BenchExec gives a column itself, if a table shows it in other words."""
    plain = title.replace(" ", "").lower()
    return plain if plain in _OWN else title


def _without_time(run: Run) -> bool:
    """Whether a run has solved its task, but has no time, as where a table shows the numbers of
    correct answers only. Then, and if it gave up, its answer becomes a part of its message.
    """
    status = run.values.get("status", "")
    answer = answer_of(status)
    if answer is None or {"cputime", "walltime"} & {*run.values}:
        return False
    run.values["status"] = f"no time of {status}"
    return answer != Answer.UNKNOWN


def _existing_runs(runs: Sequence[Run]) -> list[Run]:
    """The runs of a run set, which may not have all tasks."""
    return [run for run in runs if run.values]
