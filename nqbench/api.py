"""For notebooks: run a campaign, get its records as a table, solve a board, count solutions. What
is done with records afterwards is in `results`; add-ons have further functions.

import nqbench

records = nqbench.run(range(4, 13), encodings=["pairwise", "product"], backends=["minisat22"])
nqbench.plot(records, "total-over-n")
nqbench.findings(records)
nqbench.solve(8)
nqbench.count(8)
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, cast

from nqbench.campaign import arguments
from nqbench.campaign.caller import (
    Names,
    OneProblem,
    Problems,
    from_settings,
    name_of,
    read_campaigns,
    teller,
    waiting,
)
from nqbench.campaign.execution import Execution
from nqbench.campaign.request import Reuse
from nqbench.campaign.schedule import Policy
from nqbench.campaign.sharding import Sharding
from nqbench.common import files, parsing
from nqbench.common.errors import InputError, SolverError
from nqbench.common.keywords import suggesting
from nqbench.common.limits import Checking, ProofLimits
from nqbench.common.vocabulary import Answer, KOrder, Task
from nqbench.plugins import lists
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.queens import Queens, placement_of
from nqbench.problems.stated_formula import StatedFormula
from nqbench.records import settings
from nqbench.results import Results
from nqbench.show.boards.board import Board, Model, NoSolution, Solutions, Solved, Used

if TYPE_CHECKING:
    import polars as pl

    from nqbench.campaign.optimum import Optimum
    from nqbench.clauses.cnf import CNF
    from nqbench.clauses.constraints import Constraints
    from nqbench.clauses.rewriting.rewrite import Reencoded
    from nqbench.common.limits import Limits
    from nqbench.encodings.base import Encoding
    from nqbench.measure.solutions import Conclusion
    from nqbench.problems.options import Solution

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
    fields of `nqbench.records.record.Record` as columns, and `total_s`, the time to encode, load,
    solve and decode: times in seconds, memory in bytes. Runs
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

    policy = from_settings(Policy, values)
    shown_progress = display(None if progress is None else parsing.yes_or_no("progress", progress))
    with shown_below_cell("planning the runs", shown_progress):
        campaigns = read_campaigns(values, problems, suite, campaign_file, allow_programs)
        planned = campaigns.job(
            from_settings(Execution, values), teller(shown_progress is not None)
        )
    folder = parsing.path(results) if results else None
    proofs = ProofLimits(values["proof_time"], values["proof_size"])
    has_budget = folder is not None and policy.budget_s is not None
    job = replace(
        planned,
        policy=policy,
        reuse=from_settings(Reuse, values),
        checking=Checking.within(has_budget, values["check"], proofs),
        checks_in_budget=values["check"] is None,
        folder=folder,
        command="nqbench.run",
    ).part(from_settings(Sharding, values))
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
    with waiting(f"solving {to_solve}"):
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
    A backend that optimises returns the best model that it finds of a file with an objective.

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
    task = Task.BEST if _optimises(backend, to_solve) else Task.FIRST
    coming, show = _solving(to_solve, backend, encoding, limits, task)
    solution: Any = None
    with waiting(f"solving {to_solve}"):
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
    with waiting(f"solving {to_solve}"):
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
        name_of(backend),
        name_of(encoding),
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
        "encoding": name_of(encoding),
        "backend": name_of(backend),
        "limits": limits,
        "order": order,
    }
    if isinstance(family, str | type):
        if n is None:
            raise InputError(f"optimum of {family}: give n, the sizes")
        with waiting(f"looking for the optimum of {name_of(family)}"):
            return list(optima(name_of(family), arguments.sizes(n), job, **how))
    if n is not None:
        raise InputError("n is for families: formulas have no size")
    to_optimise = arguments.problems(family)
    if not all(isinstance(problem, Formula) for problem in to_optimise):
        raise InputError("optimum takes a family, or formulas with an objective")
    with waiting(f"looking for the optimum of {', '.join(map(str, to_optimise))}"):
        return list(file_optima(cast("list[Formula]", to_optimise), job, **how))


@suggesting
def read(source: str | PathLike[str]) -> pl.DataFrame:
    """Return the records of a results folder, a store or an export, as `run` returns them.

    Raises `InputError` if there are none, `StoreError` for a bad store.
    """
    return Results(source).records


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

    names = name_of(encoding), name_of(backend)
    if isinstance(problem, Clausal):
        finding = FileModels.named(problem, *names, task, limits)
        return finding.models(counted_variables(problem)), partial(Model, problem)
    solving = Solving.named(problem, *names, task, limits)
    return solving.solutions(), partial(_picture, problem)


def _optimises(backend: str | type, problem: Problem) -> bool:
    """Whether the problem has an objective, and the backend searches for the best value."""
    from nqbench.backends.base import Backend

    has_objective = isinstance(problem, Clausal) and problem.facts.has_objective
    return has_objective and Backend.named(name_of(backend)).capabilities.optimises


def _limits(time_limit: str | float | None, memory_limit: str | int | None = None) -> Limits:
    """The limits that a caller names, or by default an hour and the memory of a run."""
    from nqbench.common.limits import Limits

    return Limits(
        _HOUR_S if time_limit is None else parsing.duration("time_limit", time_limit),
        Limits().memory_bytes
        if memory_limit is None
        else parsing.byte_count("memory_limit", memory_limit),
    )


def _picture(problem: Problem, solution: Solution) -> Board | Solved:
    if isinstance(problem, Queens):
        return Board(problem, placement_of(solution))
    return Solved(problem, solution)
