"""For notebooks: run a campaign, get its records as a table, solve a board, certify an encoding.
What is done with records afterwards is in `results`.

import nqbench

records = nqbench.run(range(4, 13), encodings=["pairwise", "product"], backends=["minisat22"])
nqbench.plot(records, "total-over-n")
nqbench.findings(records)
nqbench.solve(8)
nqbench.certify("product", range(4, 13))
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nqbench.campaign import arguments
from nqbench.campaign.grid import Campaign
from nqbench.campaign.request import Request
from nqbench.drawing.board import Board, NoSolution, Solved
from nqbench.errors import InputError, SolverError
from nqbench.limits import Checking
from nqbench.machine import installation
from nqbench.problems.base import Problem
from nqbench.problems.queens import Queens, placement_of
from nqbench.results import Results
from nqbench.vocabulary import Answer, Task

if TYPE_CHECKING:
    import polars as pl

    from nqbench.drawing.steps import Moment
    from nqbench.encodings.base import Encoding
    from nqbench.equivalence.result import Certificate
    from nqbench.problems.options import Solution
    from nqbench.solutions import Solving

Problems = int | str | Problem | Iterable[int | Problem]
"""A number n is the empty n x n board. A text is a range of n, such as '4..30' or '8,16,32'."""

_SOLVER: Final = "cadical195"
_HOUR_S: Final = 3600.0


def run(
    problems: Problems,
    *,
    encodings: str | Sequence[str] | None = None,
    backends: str | Sequence[str] | None = None,
    task: str | None = None,
    repeat: int | None = None,
    seeds: int | None = None,
    time_limit: str | float | None = None,
    conflict_limit: str | float | None = None,
    propagation_limit: str | float | None = None,
    memory_limit: str | int | None = None,
    jobs: int = 1,
    pin: bool = True,
    seed: int | None = None,
    keep_output: bool = False,
    measure: str | Sequence[str] = (),
    check: str = "now",
    proof_time: str | float | None = None,
    proof_size: str | int | None = None,
    results: str | PathLike[str] | None = None,
    progress: bool | None = None,
) -> pl.DataFrame:
    """Measure every encoding x backend on every problem, and return the records.

    The defaults are those of the command line; see `python -m nqbench --help`. Encodings and
    backends are lists of names, or one text with names separated by commas, in any case; 'all' is
    every one that fits and works here. Problems are numbers n, a range such as '4..30', or what
    `problems_of`, `formulas` and `cnfgen` return. Each run
    is a separate process under the limits (seconds, or '500ms', '10s', '2m'; bytes, or '512MiB',
    '2GiB'), with `pin` on its own core, and each answer is checked. With `results`, a folder, runs
    are recorded there. `seeds` is a number of repeats with different seeds of the solver; the
    limits of conflicts and propagations are those of one run. `keep_output` and `measure`, such as
    'glue=glue: ([0-9.]+)', are those of the command line, as are `check`, which may be 'later' if
    there is a folder, and the limits of proofs. Runs that Python or the command line
    recorded there before are not measured again. If a campaign is interrupted, what is recorded
    stays, and the same call continues from there. Progress is shown in a notebook and on a
    terminal; True shows it elsewhere too, False nowhere.

    The table has a row for each run, sorted by problem, encoding, backend and repeat, and the
    fields of `nqbench.records.record.Record` as columns: times in seconds, memory in bytes. A
    warning says what was left out, and which of the encodings and backends could not run.

    Raises `InputError` for wrong arguments, `ExecutorError` if no run can be started, and
    `StoreError` for results that cannot be used.
    """
    from nqbench import summary

    request = Request(
        encodings=arguments.names("encodings", encodings),
        backends=arguments.names("backends", backends),
        task=None if task is None else arguments.task(task),
        repeat=arguments.whole("repeat", repeat),
        seeds=arguments.whole("seeds", seeds),
        time_s=arguments.duration(time_limit),
        conflicts=arguments.work("conflict_limit", conflict_limit),
        propagations=arguments.work("propagation_limit", propagation_limit),
        memory_bytes=arguments.size(memory_limit),
        seed=arguments.whole("seed", seed, least=0),
        keep_output=keep_output,
        measures=[measure] if isinstance(measure, str) else measure,
    )
    planned = Campaign(problems=arguments.problems(problems))
    request, left_out = request.without_all(planned)
    campaign = request.applied_to(planned)
    if shadowed := installation.why_shadowed():
        warnings.warn(shadowed, stacklevel=2)
    for note in campaign.notes:
        warnings.warn(f"left out: {note}", stacklevel=2)
    if left_out:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        warnings.warn(f"left out of 'all': {reasons}", stacklevel=2)
    checking = Checking(arguments.when(check), arguments.proofs(proof_time, proof_size))
    folder = arguments.path(results) if results else None
    shown = arguments.yes_or_no("progress", progress)
    jobs = arguments.count("jobs", jobs)
    measured = _measured(campaign, jobs, pin, folder, checking, shown=shown)
    every = (measured[kind].unique().to_list() for kind in ("encoding", "backend"))
    for name, reason in summary.never_ran(measured, *every).items():
        warnings.warn(f"{name} could not run: {reason}", stacklevel=2)
    return measured


def check(
    results: str | PathLike[str] = "results",
    *,
    jobs: int = 1,
    proof_time: str | float | None = None,
    proof_size: str | int | None = None,
    allow_programs: str | Sequence[str] = (),
) -> pl.DataFrame:
    """Check the unchecked answers of a results folder, and return their records with the verdicts,
    which are stored there. Nothing is measured. `message` says why an answer is still unchecked.

    The limits of proofs are those of `nqbench check`. An answer that is unchecked for lack of time
    or memory can be checked again with higher limits. A warning says if no answer is unchecked. A
    backend with a path that only the store names, such as `exe:/opt/solver --fast`, is started only
    if `allow_programs` has the same words.

    Raises `InputError` for wrong arguments, and `StoreError` for results that cannot be used.
    """
    return Results(results).check(
        jobs=jobs, proof_time=proof_time, proof_size=proof_size, allow_programs=allow_programs
    )


def solve(
    problem: int | str | Problem,
    *,
    backend: str = _SOLVER,
    encoding: str | None = None,
    time_limit: str | float | None = None,
) -> Board | Solved | NoSolution:
    """Return a solution, which prints itself and is displayed in a notebook: a `Board` of a board
    of queens, a `Solved` of any other problem. If there is none, return a `NoSolution`, which says
    so and is false: `if board := nqbench.solve(8): ...`. All answers are checked. The time limit of
    the solver is 1 hour by default.

    Raises `InputError` for wrong arguments, `UnavailableError` if the solver does not work here,
    and `SolverError` if it was stopped, gave up, or gave a wrong answer.
    """
    solving = _solving(problem, backend, encoding, time_limit, Task.FIRST)
    coming = solving.solutions()
    try:
        return _shown(solving.problem, next(coming))
    except StopIteration as end:
        if end.value.answer is Answer.UNSAT:
            return NoSolution(solving.problem, end.value.checked)
        raise SolverError(f"{backend} gave up on {solving.problem}") from None


def solve_all(
    problem: int | str | Problem,
    *,
    backend: str = _SOLVER,
    encoding: str | None = None,
    time_limit: str | float | None = None,
) -> list[Board | Solved]:
    """Return all solutions, as `solve` returns one, in the order of their squares. The time limit
    of the search for all of them is 1 hour by default.

    Raises as `solve` does, also if a solution was missed.
    """
    solving = _solving(problem, backend, encoding, time_limit, Task.ALL)
    return [_shown(solving.problem, solution) for solution in sorted(solving.solutions())]


def watch(
    problem: int | str | Problem, *, backend: str = "backtracking", encoding: str | None = None
) -> Iterator[Moment]:
    """Yield the steps of a search for all solutions. The backend must report its steps, as
    `backtracking` and `astar` do. `board(problem)` of a step is its picture.

    Raises `InputError` for wrong arguments and boards that are too large.
    """
    from nqbench.drawing.steps import Watched

    asked = arguments.problem(problem, "watch")
    return Watched.named(asked, encoding, backend).moments()


def problems_of(
    family: str,
    n: int | str | Iterable[int] = (),
    *,
    density: float | str | Iterable[float] = (),
    instances: int = 10,
    seed: int = 0,
    files: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
) -> list[Problem]:
    """Return problems of a family: those of size `n`, at random with this density if the family is
    random, or from files and folders. `n` and `density` may be ranges as text, such as '8..14' and
    '0.5..1.5..0.1'. `instances` is their number for each n and density; they depend on the seed.
    A warning says what was left out.

    Raises `InputError` for wrong arguments, and if there are no such problems.
    """
    from nqbench.campaign.workload import Workload

    workload = Workload(
        sizes=arguments.sizes(n),
        families=arguments.names("family", family) or (),
        densities=arguments.densities(density),
        instances=arguments.count("instances", instances),
        seed=arguments.count("seed", seed, least=0),
        files=arguments.paths(files),
    )
    problems, left_out = workload.problems()
    for note in left_out:
        warnings.warn(f"left out: {note}", stacklevel=2)
    return problems


def certify(
    encoding: str | Encoding,
    problems: Problems,
    *,
    time_limit: str | float | None = None,
    memory_limit: str | int | None = None,
) -> list[Certificate]:
    """Show that the formula of an encoding has the same solutions as the rules, for each problem:
    by counting, and by checked proofs that it is equivalent to `pairwise`.

    The limits are those of each step, 5 minutes and 4 GiB by default; finding and checking a proof
    together may take four times as long. `result` of a certificate is `certified`, `refuted`, or
    `open` if too few steps finished.

    Raises `InputError` for wrong arguments or an encoding without clauses, and `UnavailableError`
    if the encoding does not work here.
    """
    from nqbench.equivalence.certificates import TIME_S, certificates
    from nqbench.limits import Limits
    from nqbench.plugins import load_encoding

    seconds, room = arguments.duration(time_limit), arguments.size(memory_limit)
    limits = Limits(seconds or TIME_S, room or Limits().memory_bytes)
    asked = load_encoding(encoding) if isinstance(encoding, str) else encoding
    return list(certificates(asked, arguments.problems(problems), limits))


def read(source: str | PathLike[str]) -> pl.DataFrame:
    """Return the records of a results folder, a store or an export, as `run` returns them.

    Raises `InputError` if there are none, `StoreError` for a bad store.
    """
    return Results(source).records


def _solving(
    problem: int | str | Problem,
    backend: str,
    encoding: str | None,
    time_limit: str | float | None,
    task: Task,
) -> Solving:
    from nqbench.limits import Limits
    from nqbench.solutions import Solving

    asked = arguments.problem(problem, "solve")
    if not asked.has_rules:
        raise InputError("solve takes a problem with rules; measure formulas with run")
    limits = Limits(_HOUR_S if time_limit is None else arguments.duration(time_limit) or _HOUR_S)
    return Solving.named(asked, encoding, backend, task, limits)


def _shown(problem: Problem, solution: Solution) -> Board | Solved:
    if isinstance(problem, Queens):
        return Board(problem, placement_of(solution))
    return Solved(problem, solution)


def _measured(
    campaign: Campaign,
    jobs: int,
    pin: bool,
    results: Path | None,
    checking: Checking,
    *,
    shown: bool | None,
) -> pl.DataFrame:
    from nqbench.campaign import runner
    from nqbench.campaign.narrator import Narrator
    from nqbench.campaign.progress import display
    from nqbench.machine import cpus
    from nqbench.records import frame
    from nqbench.records.reading_order import ordered

    narrator = Narrator(display(shown), stored=results is not None, caller="call")
    places = cpus.assign(jobs, 1) if pin else None
    runs = campaign.runs(cores=1 if pin else 0)
    if results is None:
        found = frame.of(runner.measured(runs, jobs, places, checking, observer=narrator))
    else:
        found = runner.stored(runs, results, jobs, places, checking, observer=narrator)
    return ordered(found)
