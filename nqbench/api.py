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

import io
import warnings
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast, overload

import click

from nqbench.campaign import arguments
from nqbench.campaign.execution import Execution
from nqbench.campaign.request import Request, Reuse
from nqbench.campaign.schedule import Policy
from nqbench.campaign.sharding import Sharding
from nqbench.campaign.suites import SUITES
from nqbench.common import files, parsing
from nqbench.common.errors import InputError, SolverError
from nqbench.common.keywords import suggesting
from nqbench.common.limits import Checking, ProofLimits
from nqbench.common.spelling import match_name
from nqbench.common.vocabulary import Answer, KOrder, Task
from nqbench.drawing.board import Board, Model, NoSolution, Solutions, Solved, Used
from nqbench.machine import installation
from nqbench.plugins import from_file, lists
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.queens import Queens, placement_of
from nqbench.problems.stated_formula import StatedFormula
from nqbench.records import settings
from nqbench.records.sources import RESULTS
from nqbench.results import Results

if TYPE_CHECKING:
    import polars as pl

    from nqbench.bisection.result import Bisection
    from nqbench.campaign.job import Campaigns
    from nqbench.campaign.optimum import Optimum
    from nqbench.campaign.racing.standing import Standing
    from nqbench.certificates.certificate import Certificate
    from nqbench.certificates.formula_verdict import FormulaVerdict
    from nqbench.clauses.cnf import CNF
    from nqbench.clauses.constraints import Constraints
    from nqbench.clauses.rewriting.rewrite import Reencoded
    from nqbench.common.limits import Limits
    from nqbench.drawing.watching import Watching
    from nqbench.encodings.base import Encoding
    from nqbench.grading.scoreboard import Scoreboard
    from nqbench.measure.solutions import Conclusion
    from nqbench.problems.families.described import DescribedFormula
    from nqbench.problems.options import Solution

OneProblem = int | str | Problem | PathLike[str]
"""A number n is the empty n x n board. A text is a number, or the path of a formula."""

Problems = OneProblem | Iterable[int | str | Problem | PathLike[str]]
"""A text is a range of n, such as '4..30' or '8,16,32', or the path of a formula or a folder."""

T = TypeVar("T")

Names = str | type | Sequence[str | type]
"""Names of encodings or backends, or their classes if these are in a file."""

_SOLVER: Final = "cadical195"
_HOUR_S: Final = 3600.0


@suggesting
def run(
    problems: Problems | None = None,
    *,
    suite: str | None = None,
    campaign_file: str | PathLike[str] | None = None,
    encodings: Names | None = None,
    backends: Names | None = None,
    amo: str | Sequence[str] | None = None,
    lenient: bool | None = None,
    task: str | None = None,
    repeat: int | None = None,
    seeds: int | None = None,
    shuffle_clauses: int | None = None,
    time_limit: str | float | None = None,
    cpu_limit: str | float | None = None,
    conflict_limit: str | float | None = None,
    propagation_limit: str | float | None = None,
    memory_limit: str | int | None = None,
    memory_limit_by: str | None = None,
    seed: int | None = None,
    give_up_after: int | None = None,
    budget: str | float | None = None,
    check: str | None = None,
    proof_time: str | float | None = None,
    proof_size: str | int | None = None,
    keep_output: bool = False,
    measure: str | Sequence[str] = (),
    fresh: bool = False,
    retry_failed: bool = False,
    reuse_imported: bool = False,
    jobs: int = 1,
    pin: bool = True,
    ahead: bool = True,
    cpus_per_run: int = 1,
    executor: str = "local",
    scheduler: str | None = None,
    shard: str | tuple[int, int] | None = None,
    times: str | PathLike[str] | None = None,
    allow_programs: str | Sequence[str] = (),
    results: str | PathLike[str] | None = None,
    progress: bool | None = None,
) -> pl.DataFrame:
    """Measure every encoding x backend on every problem, and return the records.

    Problems are numbers n, a range such as '4..30', paths of formulas and of folders with them, or
    what `problems_of`, `formulas` and `cnfgen` return; instead of them, a `suite` or a
    `campaign_file` in TOML has problems, encodings, backends and limits. A program that only a file
    names, such as `exe:/opt/solver --fast`, or a solver with options, such as
    `cadical:opt.elim=0`, is started only if `allow_programs` has the same words, or a pattern such
    as `cadical:opt.*`. Each run is a separate process, and each answer is checked.

    The other arguments are the options of the command line, with the same defaults: see
    `python -m nqbench run --help`. None is the default, or what the suite or file says. Encodings
    and backends are lists of names or of classes that are in a file, or one text with names
    separated by commas, in any case; './mine.py:MyScheme' is a class in a file, and 'all'
    is every one that fits and works here, beside those that are named. A comma in a name stays if
    no other name follows; otherwise write `\\,`. `amo` names the at-most-one schemes that formulas
    are written in; 'keep' is the one that they have. Times are seconds, or text such as '500ms',
    '10s', '2m'; sizes are bytes, or text such as '512MiB', '2GiB'.

    With `results`, a folder, runs are recorded there. Runs that Python or the command line recorded
    there before are not measured again, unless `fresh` or `retry_failed` says so. Runs that were
    imported are measured here, unless `reuse_imported`. If a campaign is
    interrupted, what is recorded stays, and the same call continues from there. To check answers
    later and to keep output needs such a folder. `shard=(3, 20)` measures part 3 of 20, balanced by
    the recorded `times` of other results; `Results.merge` joins the parts. Progress is shown in a
    notebook and on a terminal; True shows it elsewhere too, False nowhere.

    The table has a row for each run, sorted by problem, encoding, backend and repeat, and the
    fields of `nqbench.records.record.Record` as columns: times in seconds, memory in bytes. Runs
    for which the budget was too short have no row. A warning says what was left out, which of the
    encodings and backends could not run, and how many of the runs were merged or imported.

    Raises `InputError` for wrong arguments, `UnavailableError` if there is no control group for
    `memory_limit_by='cgroup'`, `ExecutorError` if no run can be started, and `StoreError` for
    results that cannot be used.
    """
    values = settings.read(locals())  # the arguments that are settings, by their names
    from nqbench import summary
    from nqbench.campaign.narrator import Narrator
    from nqbench.campaign.progress import display
    from nqbench.campaign.waiting import shown_below_cell
    from nqbench.records.reading_order import ordered
    from nqbench.summary.findings.cautions import Output, cautions

    policy = _from_settings(Policy, values)
    shown_progress = display(None if progress is None else parsing.yes_or_no("progress", progress))
    with shown_below_cell("planning the runs", shown_progress):
        campaigns = _read_campaigns(values, problems, suite, campaign_file, allow_programs)
        planned = campaigns.job(
            _from_settings(Execution, values), _teller(shown_progress is not None)
        )
    folder = parsing.path(results) if results else None
    proofs = ProofLimits(values["proof_time"], values["proof_size"])
    has_budget = folder is not None and policy.budget_s is not None
    job = replace(
        planned,
        policy=policy,
        reuse=_from_settings(Reuse, values),
        checking=Checking.within(has_budget, values["check"], proofs),
        checks_in_budget=values["check"] is None,
        folder=folder,
        command="nqbench.run",
    ).part(_from_settings(Sharding, values))
    job.check()
    narrator = Narrator(
        shown_progress, fresh=job.reuse.fresh, stored=folder is not None, caller="call"
    )
    with job.measure(narrator) as records:
        table = ordered(records)
    every = (table[kind].unique().to_list() for kind in ("encoding", "backend"))
    for name, reason in summary.never_ran(table, *every).items():
        warnings.warn(f"{name} could not run: {reason}", stacklevel=3)
    for line in cautions(table, Output.MESSAGES):
        warnings.warn(line, stacklevel=3)
    return table


@suggesting
def race(
    problems: Problems | None = None,
    *,
    suite: str | None = None,
    campaign_file: str | PathLike[str] | None = None,
    encodings: Names | None = None,
    backends: Names | None = None,
    amo: str | Sequence[str] | None = None,
    lenient: bool | None = None,
    budget: str | float | None = None,
    metric: str = "solve_s",
    average: str = "mean",
    confidence: float = 0.95,
    margin: float = 0.05,
    unit: str | None = None,
    task: str | None = None,
    repeat: int = 1,
    time_limit: str | float | None = None,
    cpu_limit: str | float | None = None,
    memory_limit: str | int | None = None,
    memory_limit_by: str | None = None,
    seed: int | None = None,
    check: str | None = None,
    reuse_imported: bool = False,
    jobs: int = 1,
    pin: bool = True,
    ahead: bool = True,
    cpus_per_run: int = 1,
    executor: str = "local",
    scheduler: str | None = None,
    allow_programs: str | Sequence[str] = (),
    results: str | PathLike[str] | None = None,
    progress: bool | None = None,
) -> Standing:
    """Find the best combination of encoding and backend on these problems, without measuring the
    whole grid: runs are stopped when they are slower than the best, and combinations leave when
    they are worse with `confidence`. It ends when one is left, when all that are left are within
    `margin` of the best, after all problems, or when the `budget` is used up.

    `metric` is solve_s, total_s, wall_s or cpu_s; `average` is 'mean' (PAR-2) or 'typical',
    the geometric mean. With `unit`, such as 'formula_family', all problems with one value of this
    column are one piece of evidence. The other arguments are those of `run`. With `results`, a
    folder, runs are recorded there: the same call goes on, and `run` measures only what is missing.

    Progress is shown in a notebook and on a terminal; True shows it elsewhere too, False nowhere.
    The result prints the answer in words; `winner`, `leader`, `left`, `table()` and `records` have
    it as data. See docs/explanation/race.md for the method. Raises as `run` does.
    """
    passed = locals()
    values = settings.read(
        {setting.argument: passed.get(setting.argument) for setting in settings.SETTINGS}
    )
    from nqbench.campaign.progress import Lines, display
    from nqbench.campaign.racing.live import Race
    from nqbench.campaign.racing.race_progress import RaceProgress, interrupted
    from nqbench.campaign.racing.rules import Average, Rules
    from nqbench.campaign.waiting import shown_below_cell

    rules = Rules(
        metric,
        Average(match_name("average", average, list(Average))),
        confidence,
        margin,
        values["budget_s"],
        unit,
    )
    shown_on = display(None if progress is None else parsing.yes_or_no("progress", progress))
    with shown_below_cell("planning the race", shown_on):
        campaigns = _read_campaigns(values, problems, suite, campaign_file, allow_programs)
        planned = campaigns.job(_from_settings(Execution, values), _teller(shown_on is not None))
    job = replace(
        planned,
        reuse=_from_settings(Reuse, values),
        checking=Checking.within(rules.budget_s is not None, values["check"], ProofLimits()),
        folder=parsing.path(results) if results else None,
        command="nqbench.race",
    )
    job.check()
    with job.open_store() as store:
        racing = Race(job, store, rules)
        try:
            racing.run(RaceProgress(shown_on) if shown_on else None)
        except KeyboardInterrupt:
            for line in interrupted(racing.standing(), is_stored=job.folder is not None):
                (shown_on or Lines()).say(line)
            raise
    return racing.standing()


@suggesting
def bisect(
    good: str,
    bad: str,
    problems: Problems,
    *,
    backend: str,
    by: str = "conflicts",
    encoding: str | type | None = None,
    above: str | float | None = None,
    metric: str = "solve_cpu_s",
    time_limit: str | float | None = None,
    memory_limit: str | int | None = None,
    results: str | PathLike[str] | None = None,
    progress: bool | None = None,
) -> Bisection:
    """Find the commit that made a solver worse, between the revisions `good` and `bad` of the
    repository of `backend`, such as 'git:../cadical'. `nqbench-build.toml`, here or in the
    repository, says how a commit is built.

    `by` is 'conflicts': more of them on all problems together; 'answer': a wrong one; 'crash'; or
    'time': the `metric`, which is solve_cpu_s, solve_s, cpu_s or wall_s. With `above`, such as
    '10%' or 0.1, only more than this share is bad; without, any more conflicts, and half of the
    way to the time of `bad`. Times are compared in pairs, as often as their noise needs. A commit
    that cannot be built, or of which it cannot be said, is skipped.

    With `results`, a folder, runs are recorded there, and the same call goes on after an
    interruption. The result prints the answer in words; `commit`, `evidence`, `candidates`, `steps`
    and `table()` have it as data. Progress is shown in a notebook and on a terminal; True shows it
    elsewhere too, False nowhere.

    Raises `InputError` for wrong arguments, and if `good` and `bad` are not what they are said to
    be; and `UnavailableError` without a repository.
    """
    from nqbench.bisection.bisect import Bisecting, campaign_of
    from nqbench.bisection.judgement import Kind
    from nqbench.bisection.timed import METRICS
    from nqbench.campaign.job import Job
    from nqbench.campaign.progress import display
    from nqbench.common.limits import Limits

    usual = Limits()
    limits = Limits(
        usual.time_s if time_limit is None else parsing.duration("time_limit", time_limit),
        usual.memory_bytes
        if memory_limit is None
        else parsing.byte_count("memory_limit", memory_limit),
    )
    shown = display(None if progress is None else parsing.yes_or_no("progress", progress))
    tell = _teller(shown is not None)
    bisecting = Bisecting(
        good=good,
        bad=bad,
        backend=backend,
        by=Kind(match_name("kind", by, list(Kind))),
        campaign=campaign_of(arguments.problems(problems), _name(encoding), limits),
        job=Job(
            runs=(),
            execution=Execution.usual(),
            folder=parsing.path(results) if results else None,
            command="nqbench.bisect",
            tell=tell,
        ),
        metric=match_name("metric", metric, METRICS),
        above=parsing.parse_share(above) if isinstance(above, str) else above,
        again=lambda earlier, later: f"nqbench.bisect('{earlier}', '{later}', ...)",
    )
    return bisecting.run(lambda step, left: tell(step.described(left)))


@suggesting
def reencode(
    formula: str | PathLike[str],
    amo: str | None = None,
    *,
    least: int = 6,
    lenient: bool = False,
    output: str | PathLike[str] | None = None,
) -> Reencoded:
    """Write the at-most-one constraints of a formula in a file in another scheme: `amo` is the name
    of an encoding with its parameters. It may be left out if `output` is called .knf, .cnf+ or
    .opb: then the constraints are written as rows. Constraints of fewer than `least` literals stay.

    They are found as cliques of the clauses of two literals, and by their auxiliary variables. The
    result has the new `formula`, what was `found` and `replaced`, how many clauses were `dropped`
    and `added`, and maps a model of the new formula back: `original(model)`. With `output`, the
    formula is written to that file, packed as its suffix says, with the lines that model counters
    read, such as `c p show`; a warning says if they mean something else there. With `lenient`, the
    header of the file may be wrong or missing.

    Raises `InputError` for wrong arguments, and for a file that is no formula.
    """
    from nqbench.clauses import constraint_files
    from nqbench.clauses.description import read_description
    from nqbench.clauses.rewriting import rewrite
    from nqbench.encodings.rewriting import scheme
    from nqbench.measure.formula import scheme_for
    from nqbench.problems.families.cnf import Formula

    path = parsing.path(formula)
    place = None if output is None else parsing.path(output)
    if place is not None:
        constraint_files.check_name(str(place))
    named = amo or scheme_for(place)
    if named is None:
        raise InputError("give `amo`, the name of an encoding, or an `output` such as rows.knf")
    file = Formula.at(path, path.name)
    content = file.content()
    encoding = scheme(named)
    reencoded = rewrite.reencode(
        constraint_files.read_clauses(
            content, file.source, lenient=parsing.yes_or_no("lenient", lenient)
        ),
        encoding,
        parsing.whole_number("least", least),
    )
    if place is not None:
        annotations, packed = constraint_files.annotations_of(content), io.BytesIO()
        described = read_description(content, file.source).encoded_by(
            encoding.name, encoding.version
        )
        comments = annotations.followed_by(described.lines())
        constraint_files.write(reencoded.formula, str(place), packed, comments)
        files.write(place, packed.getvalue())
        for doubt in annotations.doubts(reencoded.dropped_variables, reencoded.fresh_variables):
            warnings.warn(doubt, stacklevel=3)
    return reencoded


@suggesting
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
    program that only the store names, such as `exe:/opt/solver --fast`, or a solver with options,
    such as `cadical:opt.elim=0`, is started only if `allow_programs` has the same words, or a
    pattern such as `cadical:opt.*`.

    Raises `InputError` for wrong arguments, and `StoreError` for results that cannot be used.
    """
    return Results(results)._check(jobs, proof_time, proof_size, allow_programs)


@suggesting
def solve(
    problem: OneProblem,
    *,
    backend: str | type = _SOLVER,
    encoding: str | type | None = None,
    time_limit: str | float | None = None,
    memory_limit: str | int | None = None,
) -> Board | Solved | Model | NoSolution:
    """Return a solution, which prints itself and is displayed in a notebook: a `Board` of a board
    of queens, a `Model` of a formula, a `Solved` of any other problem. If there is none, return a
    `NoSolution`, which says so and is false: `if board := nqbench.solve(8): ...`. All answers are
    checked.

    `problem` is a number of rows, a problem, or the path of a formula. The encoding is `pairwise`
    by default, or one of fewer clauses for 10,000 options and more (n = 100). The solver takes at
    most 1 hour and 4 GiB by default.

    Raises `InputError` for wrong arguments, `UnavailableError` if the solver does not work here,
    and `SolverError` if it was stopped, gave up, or gave a wrong answer.
    """
    to_solve = arguments.problem(problem, "solve")
    limits = _limits(time_limit, memory_limit)
    coming, show = _solving(to_solve, backend, encoding, limits, Task.FIRST)
    with _waiting(f"solving {to_solve}"):
        try:
            solution = next(coming)
        except StopIteration as end:
            if end.value.answer is Answer.UNSAT:
                return NoSolution(to_solve, end.value.checked)
            raise SolverError(f"{backend} gave up on {to_solve}") from None
    if isinstance(to_solve, StatedFormula):
        to_solve.assign(solution)
    return show(solution)


@suggesting
def use(
    problem: OneProblem,
    *,
    backend: str | type,
    encoding: str | type | None = None,
    time_limit: str | float | None = None,
) -> Used:
    """Solve a problem as it was measured, with the encoding and backend that a race or a summary
    names: encode, solve, map the model back, and check the answer. Nothing is measured or stored.

    `problem` is a number of rows, a problem, or the path of a formula. The encoding of a formula as
    it is, is `file`. Without `encoding`, it is the default of the backend or of the problem.
    `solution` of the result is what `solve` returns, and `answer` is `sat` or `unsat`. `counters`
    has the solver's counts, such as `counters.conflicts`: those of the records of `run`, if the
    solver's search is the same each time. Auxiliary variables of a formula that the encoding does
    without get values. The time limit of the solver is 1 hour by default. `nqbench use` prints a
    program that does the same without nqbench.

    Raises as `solve` does, and `InputError` for a file that is no formula.
    """
    to_solve = arguments.problem(problem, "use")
    limits = _limits(time_limit)
    coming, show = _solving(to_solve, backend, encoding, limits, Task.FIRST)
    solution: Any = None
    with _waiting(f"solving {to_solve}"):
        while True:
            try:
                solution = next(coming)
            except StopIteration as end:
                conclusion = end.value
                break
    if conclusion.answer is Answer.UNSAT:
        return Used(NoSolution(to_solve, conclusion.checked), conclusion.counters)
    if conclusion.answer is not Answer.SAT:
        raise SolverError(f"{backend} gave up on {to_solve}")
    if isinstance(to_solve, StatedFormula):
        to_solve.assign(solution)
    return Used(show(solution), conclusion.counters)


@suggesting
def solve_all(
    problem: OneProblem,
    *,
    backend: str | type = _SOLVER,
    encoding: str | type | None = None,
    time_limit: str | float | None = None,
    memory_limit: str | int | None = None,
) -> list[Board | Solved | Model]:
    """Return all solutions, as `solve` returns one, in the order of their squares or literals. A
    notebook shows the first 24 as pictures.
    Models of a formula that differ only on variables that do not count are one. The search for all
    of them takes at most 1 hour and 4 GiB by default.

    Raises as `solve` does, also if a solution was missed.
    """
    to_solve = arguments.problem(problem, "solve_all")
    limits = _limits(time_limit, memory_limit)
    coming, show = _solving(to_solve, backend, encoding, limits, Task.ALL)
    with _waiting(f"solving {to_solve}"):
        return Solutions(map(show, sorted(coming)))


@suggesting
def count(
    problem: OneProblem,
    *,
    backend: str | type | None = None,
    encoding: str | type | None = None,
    ganak: bool = False,
    models: bool = False,
    fundamental: bool = False,
    time_limit: str | float | None = None,
    memory_limit: str | int | None = None,
) -> int:
    """Return the number of solutions.

    By default nqbench counts by its own search, which needs no solver. Of an empty board from
    n = 17, which would take minutes to years, it returns the number that OEIS has, and warns of
    that; with a `time_limit` it counts. With
    `backend`, that solver finds all solutions, each of which is checked. With `ganak`, the model
    counter Ganak counts the models of the clauses, and with `models` they are found one by one,
    with all values of auxiliary variables. `fundamental` counts one solution of each class under
    symmetry. A solver takes at most 1 hour and 4 GiB by default. Progress is shown in a notebook
    and on a terminal.

    Raises `InputError` for wrong arguments, `UnavailableError` if the solver does not work here,
    and `SolverError` if it reached a limit, gave up, or counted wrongly.
    """
    from nqbench.campaign.counting import Counting
    from nqbench.campaign.progress import display

    for_solvers = {"encoding": encoding, "memory_limit": memory_limit}
    time_s = None if time_limit is None else parsing.duration("time_limit", time_limit)
    counting = Counting(
        _name(backend),
        _name(encoding),
        parsing.yes_or_no("ganak", ganak),
        parsing.yes_or_no("models", models),
        parsing.yes_or_no("fundamental", fundamental),
        _limits(time_limit, memory_limit),
        [name for name, value in for_solvers.items() if value is not None],
        time_s,
    )
    result = counting.count(arguments.problem(problem, "count"), display())
    if result.source is not None:
        warnings.warn(f"{result.source}, not counted here: `time_limit` counts", stacklevel=3)
    return result.number


@suggesting
def encode(
    problem: OneProblem,
    encoding: str | type[Encoding] | Encoding | None = None,
    *,
    output: str | PathLike[str] | None = None,
) -> CNF | Constraints:
    """Return the formula that an encoding makes of a problem, by default `pairwise`. With `output`,
    it is written to that file as well, as its suffix says: as DIMACS, KNF, CNF+, OPB or WCNF,
    perhaps packed. An objective is written to OPB and WCNF. Encoding native makes `Constraints`,
    which have at-most-k rows and are written in the format CNF+ instead of DIMACS.

    A formula that `formulas` has read from a file with rows is encoded with `sequential` by
    default, or with native if the output has rows as well. Its variables keep their numbers. The
    output has the lines of the file that model counters read, such as `c p show`; a warning says if
    they mean something else there.

    Raises `InputError` for wrong arguments and an encoding that makes no formula of this problem,
    and `SolverError` if the encoding fails.
    """
    from nqbench.clauses import constraint_files
    from nqbench.encodings.base import Encoding
    from nqbench.measure.formula import make_file, make_formula, usual_encoding

    place = None if output is None else parsing.path(output)
    to_encode = arguments.problem(problem, "encode")
    named = usual_encoding(to_encode, place) if encoding is None else encoding
    encoder = named if isinstance(named, Encoding) else Encoding.named(named)
    if place is None:
        return make_formula(encoder, to_encode)
    constraint_files.check_name(str(place))
    made = make_file(encoder, to_encode, place)
    constraint_files.write_file(made.formula, place, made.comments)
    for doubt in made.doubts:
        warnings.warn(doubt, stacklevel=3)
    return made.formula


@suggesting
def watch(
    problem: OneProblem,
    *,
    backend: str | type = "backtracking",
    encoding: str | type | None = None,
) -> Watching:
    """Yield the steps of a search for all solutions. The backend must report its steps, as
    `backtracking` and `astar` do. `board(problem)` of a step is its picture. A notebook plays the
    steps up to the first solution, with controls.

    Raises `InputError` for wrong arguments and boards that are too large.
    """
    from nqbench.drawing.steps import Watched
    from nqbench.drawing.watching import Watching

    watched_problem = arguments.problem(problem, "watch")
    return Watching(Watched.named(watched_problem, _name(encoding), _name(backend)))


@suggesting
def problems_of(
    family: str | type,
    n: int | str | Iterable[int] = (),
    *,
    density: float | str | Iterable[float] = (),
    instances: int = 10,
    seed: int = 0,
    files: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    diagonals: int | None = None,
) -> list[Problem]:
    """Return problems of a family: those of size `n`, at random with this density if the family is
    random, or from files and folders. `n` and `density` may be ranges as text, such as '8..14' and
    '0.5..1.5..0.1'. `instances` is their number for each n and density; they depend on the seed.
    `diagonals` excludes so many of those that a CSPLib file lists. A warning says what was left
    out.

    Raises `InputError` for wrong arguments, and if there are no such problems.
    """
    from nqbench.campaign.workload import Workload

    workload = Workload(
        sizes=arguments.sizes(n),
        families=lists.FAMILIES.read("family", family),
        densities=arguments.densities(density),
        instances=parsing.whole_number("instances", instances),
        seed=parsing.seed("seed", seed),
        files=arguments.paths(files),
        diagonals=None
        if diagonals is None
        else [parsing.whole_number("diagonals", diagonals, least=0)],
    )
    problems, left_out = workload.problems()
    for note in left_out:
        warnings.warn(f"left out: {note}", stacklevel=3)
    return problems


@suggesting
def certify(
    encoding: str | type[Encoding] | Encoding,
    problems: Problems,
    *,
    time_limit: str | float | None = None,
    memory_limit: str | int | None = None,
) -> list[Certificate]:
    """Show that the formula of an encoding has the same solutions as the rules, for each problem:
    by counting, and by checked proofs that it is equivalent to the rules, written as clauses.

    The limits are those of each step, 5 minutes and 4 GiB by default; finding and checking a proof
    together may take four times as long. `result` of a certificate is `certified`, `refuted`, or
    `open` if too few steps finished.

    Raises `InputError` for wrong arguments or an encoding without clauses, and `UnavailableError`
    if the encoding does not work here.
    """
    from nqbench.certificates.examiner import TIME_S, certificates
    from nqbench.common.limits import Limits
    from nqbench.encodings.base import Encoding

    limits = Limits(
        TIME_S if time_limit is None else parsing.duration("time_limit", time_limit),
        Limits().memory_bytes
        if memory_limit is None
        else parsing.byte_count("memory_limit", memory_limit),
    )
    encoder = encoding if isinstance(encoding, Encoding) else Encoding.named(encoding)
    with _waiting(f"certifying {encoder.name}"):
        return list(certificates(encoder, arguments.problems(problems), limits))


@suggesting
def certify_formula(
    formula: str | PathLike[str] | bytes | CNF | Constraints | DescribedFormula,
    problem: OneProblem | None = None,
    *,
    keep: str | None = None,
    time_limit: str | float | None = None,
    memory_limit: str | int | None = None,
) -> FormulaVerdict:
    """Show that one formula has the same solutions as the rules of a problem, whoever wrote it; or
    that it has not, by a solution that it allows and should not, or forbids and should not.

    `formula` is a file, the content of one as bytes, or a formula. The problem may be left out if
    comment lines say which it is. They also say which variable is which option; without, the first
    variables are the options in their order. A wrong header is accepted, and is in the `notes`.

    `keep` says which solutions have to remain: 'all', by default; 'symmetric', one of each class
    of symmetric ones; or 'one'. The limits are those of each step, as in `certify`. `result` is
    `certified`, `refuted` or `open`, `drawing` shows what refutes it, and `hint` says if it is
    right for another order of its variables.

    Raises `InputError` for wrong arguments, and for what is no formula.
    """
    from nqbench.certificates.examiner import TIME_S
    from nqbench.certificates.formula_examiner import judge
    from nqbench.certificates.formula_verdict import Keep
    from nqbench.clauses.description import NO_DESCRIPTION
    from nqbench.common.limits import Limits
    from nqbench.problems.families.cnf import Formula
    from nqbench.problems.families.described import DescribedFormula

    name = "formula"
    if isinstance(formula, bytes):
        described = DescribedFormula.read(formula, name)
    elif isinstance(formula, str | PathLike):
        path = parsing.path(formula)
        name = path.name
        file = Formula.at(path, name)
        described = DescribedFormula.read(file.content(), file.source)
    elif isinstance(formula, DescribedFormula):
        described, name = formula, formula.source
    else:
        formula.check()
        described = DescribedFormula(formula, NO_DESCRIPTION, name)
    limits = Limits(
        TIME_S if time_limit is None else parsing.duration("time_limit", time_limit),
        Limits().memory_bytes
        if memory_limit is None
        else parsing.byte_count("memory_limit", memory_limit),
    )
    to_keep = None if keep is None else parsing.choice(Keep).read("keep", keep)
    to_certify = None if problem is None else arguments.problem(problem, "certify_formula")
    with _waiting(f"certifying {name}"):
        return judge(described, to_certify, to_keep, limits, name=name)


@suggesting
def grade(
    submissions: str | PathLike[str],
    n: int | str | Iterable[int],
    *,
    keep: str = "all",
    backends: str | Sequence[str] | None = None,
    shuffles: int = 5,
    time_limit: str | float | None = None,
    memory_limit: str | int | None = None,
    fresh: bool = False,
    unconfined: bool = False,
    results: str | PathLike[str] = RESULTS,
    progress: bool | None = None,
) -> Scoreboard:
    """Judge and compare the submissions in a folder: each turned into formulas of n queens in a
    sandbox, for each size `n`; certified, or refuted with a board; and those that are certified
    measured with several solvers, `shuffles` times each with the clauses in another order.

    `keep` says which solutions have to remain, as in `certify_formula`. The limits are those of a
    program, of each step of a verdict, and of a run, 4 seconds and 1 GiB by default. What the
    folder `results` has of the same submissions is not graded again, unless `fresh`. The scoreboard
    is also written there, as HTML and CSV. See `nqbench grade --help` for what a submission is.

    The result prints how many submissions have which verdict. Its `table()` has a row for each
    submission and n, `entries` an object for each submission, and `protection` how far programs
    were confined. Raises `InputError` for wrong arguments, and where nothing confines programs
    unless `unconfined`, but not for anything that a submission does.
    """
    from nqbench.campaign.progress import display
    from nqbench.certificates.formula_verdict import Keep
    from nqbench.common.limits import Limits
    from nqbench.grading import defaults
    from nqbench.grading.grading import Grading

    grading = Grading(
        submissions=parsing.path(submissions),
        sizes=arguments.sizes(n),
        folder=parsing.path(results),
        keep=parsing.choice(Keep).read("keep", keep),
        backends=defaults.SOLVERS if backends is None else parsing.name_list("backends", backends),
        shuffles=parsing.whole_number("shuffles", shuffles, least=0),
        limits=Limits(
            defaults.TIME_S if time_limit is None else parsing.duration("time_limit", time_limit),
            defaults.MEMORY_BYTES
            if memory_limit is None
            else parsing.byte_count("memory_limit", memory_limit),
        ),
        fresh=parsing.yes_or_no("fresh", fresh),
        unconfined=parsing.yes_or_no("unconfined", unconfined),
        command="nqbench.grade",
        announce=lambda protection: click.echo(protection.sentence, err=True),
    )
    shown = display(None if progress is None else parsing.yes_or_no("progress", progress))
    return grading.finish(grading.judge(), shown)


@suggesting
def optimum(
    family: str | type | Problem | Iterable[Problem],
    n: int | str | Iterable[int] | None = None,
    *,
    encoding: str | type | None = None,
    backend: str | type = _SOLVER,
    search: str | None = None,
    time_limit: str | float | None = None,
    memory_limit: str | int | None = None,
    reuse_imported: bool = False,
    results: str | PathLike[str] | None = None,
) -> list[Optimum]:
    """Find the least or the greatest k for which the problem of each size `n` has a solution, for a
    family with such a k, as queen-domination; or without `n`, the best value of the objective of
    formulas from `constraints` or `formulas`. `solve(formula.with_worst(best))` is a best solution.

    One k after another is asked for, or with `search="binary"` the middle of those that are still
    possible, each as a run whose answer is checked. With `search="incremental"`, one run asks one
    solver for one k after another. With `search="solver"`, one run asks for the best value of a
    formula; that is the default of backends that optimise, such as `rc2`.

    `best` of an optimum has a verified solution, and `is_proven` says whether the rules of the
    problem show that the next better k has none: see `state`, `best_shown_by` and
    `excluded_shown_by`. By default the encoding is that of the family, or `totalizer` for an
    incremental search, and each run may take 1 hour and 4 GiB. With `results`, a folder, runs are
    recorded there, and not measured again; those that were imported are, unless `reuse_imported`.
    Merged and imported runs prove nothing here.

    Raises `InputError` for wrong arguments, and `StoreError` for results that cannot be used.
    """
    from nqbench.campaign.job import Job
    from nqbench.campaign.optimum import file_optima, optima
    from nqbench.problems.families.cnf import Formula

    order = None if search is None else parsing.choice(KOrder).read("search", search)
    limits = _limits(time_limit, memory_limit)
    job = Job(
        runs=(),
        execution=Execution.usual(pin=False),
        reuse=Reuse(reuse_imported=parsing.yes_or_no("reuse_imported", reuse_imported)),
        folder=parsing.path(results) if results else None,
        command="nqbench.optimum",
    )
    how: Any = {
        "encoding": _name(encoding),
        "backend": _name(backend),
        "limits": limits,
        "order": order,
    }
    if isinstance(family, str | type):
        if n is None:
            raise InputError(f"optimum of {family}: give n, the sizes")
        with _waiting(f"looking for the optimum of {_name(family)}"):
            return list(optima(_name(family), arguments.sizes(n), job, **how))
    if n is not None:
        raise InputError("n is for families: formulas have no size")
    to_optimise = arguments.problems(family)
    if not all(isinstance(problem, Formula) for problem in to_optimise):
        raise InputError("optimum takes a family, or formulas with an objective")
    with _waiting(f"looking for the optimum of {', '.join(map(str, to_optimise))}"):
        return list(file_optima(cast("list[Formula]", to_optimise), job, **how))


@suggesting
def read(source: str | PathLike[str]) -> pl.DataFrame:
    """Return the records of a results folder, a store or an export, as `run` returns them.

    Raises `InputError` if there are none, `StoreError` for a bad store.
    """
    return Results(source).records


@overload
def _name(component: str | type) -> str: ...


@overload
def _name(component: str | type | None) -> str | None: ...


def _name(component: str | type | None) -> str | None:
    """The name of a component, for which its class may be given."""
    return from_file.name_of(component) if isinstance(component, type) else component


def _solving(
    problem: Problem,
    backend: str | type,
    encoding: str | type | None,
    limits: Limits,
    task: Task,
) -> tuple[Generator[Any, None, Conclusion], Callable[[Any], Board | Solved | Model]]:
    """The first solution or all as they are found, and what shows one."""
    from nqbench.measure.file_models import FileModels, counted_variables
    from nqbench.measure.solutions import Solving

    names = _name(encoding), _name(backend)
    if isinstance(problem, Clausal):
        finding = FileModels.named(problem, *names, task, limits)
        return finding.models(counted_variables(problem)), partial(Model, problem)
    solving = Solving.named(problem, *names, task, limits)
    return solving.solutions(), partial(_picture, problem)


def _limits(time_limit: str | float | None, memory_limit: str | int | None = None) -> Limits:
    """The limits that a caller names, or by default an hour and the memory of a run."""
    from nqbench.common.limits import Limits

    return Limits(
        _HOUR_S if time_limit is None else parsing.duration("time_limit", time_limit),
        Limits().memory_bytes
        if memory_limit is None
        else parsing.byte_count("memory_limit", memory_limit),
    )


def _waiting(doing: str) -> AbstractContextManager[None]:
    """What shows below the cell of a notebook what is being done."""
    from nqbench.campaign.progress import display
    from nqbench.campaign.waiting import shown_below_cell

    return shown_below_cell(doing, display())


def _teller(is_shown: bool) -> Callable[[str], None]:
    """What prints lines about what takes long, beside the output; nothing unless they are shown."""
    if is_shown:
        return lambda line: click.echo(f"nqbench: {line}", err=True)
    return lambda _: None


def _picture(problem: Problem, solution: Solution) -> Board | Solved:
    if isinstance(problem, Queens):
        return Board(problem, placement_of(solution))
    return Solved(problem, solution)


def _from_settings(kind: type[T], values: Mapping[str, Any]) -> T:
    """The object that these settings make."""
    return kind(**{setting.sets: values[setting.sets] for setting in settings.of(kind)})


def _read_campaigns(
    values: Mapping[str, Any],
    problems: Problems | None,
    suite: str | None,
    file: str | PathLike[str] | None,
    allow_programs: str | Sequence[str],
) -> Campaigns:
    """What a caller of this module asks for; `values` are those of the settings. Warns of what is
    left out. Raises `InputError`.
    """
    campaigns = _resolve_campaigns(values, problems, suite, file, allow_programs)
    left_out = campaigns.left_out_of_all
    if shadowed := installation.why_shadowed():
        warnings.warn(shadowed, stacklevel=4)
    for note in campaigns.notes:
        warnings.warn(note, stacklevel=4)
    if left_out:
        warnings.warn(f"left out of 'all': {'; '.join(left_out)}", stacklevel=4)
    return campaigns


def _resolve_campaigns(
    values: Mapping[str, Any],
    problems: Problems | None,
    suite: str | None,
    file: str | PathLike[str] | None,
    allow_programs: str | Sequence[str],
) -> Campaigns:
    from nqbench.campaign.job import Campaigns

    request = Request.of(
        **{setting.sets: values[setting.sets] for setting in settings.OF_CAMPAIGNS}
    )
    if suite is None and file is None:
        return Campaigns.of_problems(arguments.problems(problems), request)
    if problems is not None or None not in {suite, file}:
        raise InputError("give only one of problems, suite and campaign_file")
    allowed = parsing.texts("allow_programs", allow_programs)
    if suite:
        return Campaigns.in_suite(match_name("suite", suite, SUITES), request, allowed)
    return Campaigns.in_file(parsing.path(file), request, allowed)
