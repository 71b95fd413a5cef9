"""`nqbench.shrink`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nqbench.addons.shrink.kept import COUNTERS
from nqbench.campaign import arguments
from nqbench.campaign.caller import CALLER, Names
from nqbench.campaign.options import Option, limit_options, options
from nqbench.common import parsing
from nqbench.common.errors import InputError
from nqbench.common.keywords import suggesting
from nqbench.common.printable import as_command
from nqbench.common.vocabulary import AS_IT_IS, Task
from nqbench.plugins import lists

if TYPE_CHECKING:
    from nqbench.addons.shrink.shrunk import Shrunk
    from nqbench.common.limits import Limits
    from nqbench.problems.families.cnf import Formula
    from nqbench.records.record import Record, Run

_STEPS: Final = parsing.whole(1)


def _counter(argument: str, value: object) -> str:
    if value not in COUNTERS:
        vary = "times vary from run to run, and show nothing; " if "time" in str(value) else ""
        raise InputError(f"{argument} is {value!r:.40}: {vary}choose from {', '.join(COUNTERS)}")
    return str(value)


def _ratio(argument: str, value: float) -> float:
    if not 0 < value < math.inf:
        raise InputError(f"{argument} is {value}: give a number above 0")
    return value


def _parsed_ratio(word: str) -> float:
    try:
        return _ratio("it", float(word))
    except ValueError:
        raise InputError(f"'{word}' is no number") from None


_COUNTER: Final = parsing.Kind("counter", _counter, lambda word: _counter("it", word))
_RATIO: Final = parsing.Kind("float", _ratio, _parsed_ratio)
_RUN_ID: Final = re.compile(r"[0-9a-f]{4,32}")


@suggesting
@options(
    backends=Option(
        lists.BACKENDS,
        "The solver of FILE; with --by, also a second one to compare with. Of a RUN only the path "
        "of its own one, such as ./mine.py.",
        names=("--backend",),
    ),
    encoding=Option(lists.ENCODING, "Of a FILE with rows: their encoding, which stays the same."),
    by=Option(
        _COUNTER,
        f"Make a slow formula small, which needs many {', '.join(COUNTERS[:-1])} or {COUNTERS[-1]}:"
        " they do not vary as times do.",
    ),
    factor=Option(
        _RATIO,
        "With two backends: the first needs so many times the steps of the second. [half as many "
        "times as at first]",
    ),
    at_least=Option(_STEPS, "With --by: so many steps remain. [half of those at first]"),
    file=Option(parsing.FILE, "The formula of RUN, if it is not where the run found it."),
    budget=Option(parsing.DURATION, "Stop after this time, with what is smallest so far."),
    most_runs=Option(_STEPS, "Stop after so many runs.", names=("--runs",)),
    **limit_options("each run"),
)
def shrink(
    start: str | PathLike[str],
    *,
    backends: Names | None = None,
    encoding: str | None = None,
    by: str | None = None,
    factor: float | None = None,
    at_least: int | None = None,
    file: str | PathLike[str] | None = None,
    budget: str | float = "5m",
    most_runs: int = 2000,
    time_limit: str | float = "30s",
    memory_limit: str | int = "4GiB",
    results: str | PathLike[str] = "results",
) -> Shrunk:
    """Make a formula small that shows a fault of a solver, or that a solver is slow, with a program
    that shows it without nqbench.

    `start` is a file of clauses, rows or queries; or the id of a run in the folder `results`, or
    the start of one, whose solver crashed, was wrong, or wrote a wrong proof. The kind of the
    failure stays: how the run ended, what was answered, and what the check said. With `by`, such as
    'conflicts', a file stays slow: the first backend needs `at_least` so many, and `factor` times
    as many as the second, if there is one. Rows stay rows, so that their encoding takes part.

    Each try is a run in a separate process, limited and judged as by `run`. The result prints its
    size; `text`, `program` and `readme` are the formula, the program and a text for a report, and
    `write(folder)` writes them. Ctrl-C ends it as the budget does, and `is_interrupted` says so.

    Raises `InputError` for wrong arguments, and if the start does not show it three times.
    """
    from nqbench.addons.shrink.shrinking import Budget
    from nqbench.addons.shrink.shrunk import Subject, shrink_subject

    if by is not None:
        _COUNTER.read("by", by)
    if factor is not None:
        _RATIO.read("factor", factor)
    seconds = parsing.DURATION.read("budget", budget)
    within = Budget(seconds, _STEPS.read("most_runs", most_runs))
    limits = arguments.limits(time_limit, memory_limit)
    path = parsing.path(start)
    named = lists.BACKENDS.read("backends", backends) if backends is not None else []
    if path.is_file():
        if file is not None:
            raise InputError(f"{path} is a file already: leave out `file`")
        subject = Subject(_problem(path), _plan(_problem(path), named, encoding, limits))
    elif _RUN_ID.fullmatch(str(start)):
        record = _record(str(start), parsing.path(results))
        own = _names(named, encoding) - {record.backend, record.encoding}
        if own or any(value is not None for value in (by, factor, at_least)):
            raise InputError("a run has its backend and encoding: leave these and `by` out")
        formula = _problem_of(record, None if file is None else parsing.path(file))
        subject = Subject(formula, _runs_of(record, formula, limits))
    else:
        raise InputError(f"there is no file {path}, and it is no id of a run")
    if by is None and (factor is not None or at_least is not None):
        raise InputError("`factor` and `at_least` need `by=conflicts` or another counter")
    if len(subject.runs) > (1 if by is None else 2):
        raise InputError("give one backend, or with `by` two")
    if by is not None and factor is not None and len(subject.runs) < 2:
        raise InputError("`factor` compares two backends: give a second one, or `at_least` alone")
    with CALLER.get().status(f"shrinking {subject.formula}") as tell:
        return shrink_subject(subject, within, tell, by=by, factor=factor, at_least=at_least)


def _names(backends: Sequence[str], encoding: str | None) -> set[str]:
    """The names that records have of these. A run knows where no file is: so it may be named."""
    from nqbench.backends.base import Backend
    from nqbench.encodings.base import Encoding

    names = {Backend.named(name).name for name in backends}
    return names | ({Encoding.named(encoding).name} if encoding else set())


def _problem(path: Path) -> Formula:
    from nqbench.problems.families.cnf import formulas

    (formula,) = formulas(path)
    return formula


def _plan(
    formula: Formula, backends: Sequence[str], encoding: str | None, limits: Limits
) -> list[Run]:
    """A run of each backend on the formula. Raises `InputError` if one does not take it."""
    from nqbench.backends.base import Backend
    from nqbench.campaign.execution import Execution
    from nqbench.campaign.grid import Campaign
    from nqbench.campaign.job import Campaigns

    if not backends:
        raise InputError("name the solver of the file, as in --backend cadical195")
    encodings = None if encoding in (None, AS_IT_IS) else [str(encoding)]
    campaign = Campaign(
        problems=[formula],
        encodings=encodings if formula.has_rows else None,
        amo=None if formula.has_rows else encodings,
        backends=list(backends),
        task=Task.FIRST,
        limits=limits,
        repeat=1,
    )
    planned = Campaigns([campaign], {}).job(Execution.usual()).runs
    order = [Backend.named(name).name for name in backends]
    # Clauses that are written anew are compared with the file as it is: that is no run of this.
    named = [run for run in planned if run.encoding == encoding] or planned
    runs = [run for name in order for run in named if run.backend == name]
    if len(runs) != len(backends):
        pairs = ", ".join(f"{run.encoding} with {run.backend}" for run in planned)
        raise InputError(f"name one encoding, not several: {pairs or 'no backend takes the file'}")
    return runs


def _record(prefix: str, results: Path) -> Record:
    """The record whose run id begins like this. Raises `InputError` unless there is one."""
    from nqbench.records import sources
    from nqbench.records.store import Store

    with Store(sources.store(results), read_only=True) as store:
        ids = [each for each in store.frame()["run_id"] if each.startswith(prefix)]
        if len(ids) != 1:
            what = "no run" if not ids else f"{len(ids)} runs"
            raise InputError(f"{what} in {results} begin{'s' if not ids else ''} with {prefix}")
        return store.records(ids)[0]


def _problem_of(record: Record, file: Path | None) -> Formula:
    """The formula of a record. Raises `InputError` if it has none, or the file is another one."""
    from nqbench.plugins.declared import FILES, declared
    from nqbench.problems.families.cnf import Formula

    if record.family not in {Formula.family, *(e.load().family for e in declared(FILES).values())}:
        raise InputError(
            f"the run is on {record.family}, and has no file: if its solver is at fault, write the "
            "clauses with nqbench encode, then name that file, with --backend "
            f"{as_command([record.backend])}; if its encoding is, nqbench certify shows where"
        )
    path = file or Path(record.instance)
    if not path.is_file():
        raise InputError(f"{path} is not here: name the formula of the run with --file")
    formula = _problem(path)
    if formula.digest != record.problem_digest:
        raise InputError(f"{path} is not the formula of the run: name another one with --file")
    return formula


def _runs_of(record: Record, formula: Formula, limits: Limits) -> list[Run]:
    """The run of a record on its formula, with its seeds."""
    limits = replace(
        limits,
        time_s=record.time_limit_s,
        memory_bytes=record.memory_limit_bytes or limits.memory_bytes,
        conflicts=record.conflict_limit,
        propagations=record.propagation_limit,
    )
    return [
        replace(
            run,
            seed=record.seed,
            repeat=record.repeat,
            shuffle=record.shuffle,
            solver_seed=record.solver_seed,
        )
        for run in _plan(formula, [record.backend], record.encoding, limits)
    ]
