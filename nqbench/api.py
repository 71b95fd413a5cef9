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

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from nqbench.campaign import arguments
from nqbench.campaign.caller import (
    CALLER,
    Names,
    OneProblem,
    Problems,
    name_of,
    plan,
    waiting,
)
from nqbench.campaign.execution import Execution
from nqbench.campaign.options import Option, limit_options, options
from nqbench.common import parsing
from nqbench.common.errors import GaveUpError, InputError
from nqbench.common.keywords import suggesting
from nqbench.common.printable import listed
from nqbench.common.vocabulary import (
    LARGE_ENCODING,
    LARGE_OPTIONS,
    USUAL_ENCODING,
    Answer,
    KOrder,
    Task,
    When,
)
from nqbench.plugins import lists
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.from_python import StatedFormula
from nqbench.problems.queens import Queens, placement_of
from nqbench.records import settings
from nqbench.results import Results
from nqbench.show.boards.board import Board, Model, NoSolution, Solutions, Solved, Used

if TYPE_CHECKING:
    import polars as pl

    from nqbench.campaign.optimum import Optimum
    from nqbench.clauses.cnf import CNF
    from nqbench.clauses.comment_lines import Annotations
    from nqbench.clauses.constraints import Constraints
    from nqbench.clauses.rewriting.rewrite import Reencoded
    from nqbench.common.limits import Limits
    from nqbench.encodings.base import Encoding

Output = str | PathLike[str] | BinaryIO
"""A file to write, by its path or open."""

SOLVER: Final = "cadical195"
"""The backend of `solve` unless one is named."""
_LEAST: Final = parsing.whole(3)
_TIME: Final = "1h"
_MEMORY: Final = "4GiB"
_ENCODING: Final = Option(
    lists.ENCODING,
    f"The encoding to use. [{USUAL_ENCODING}, or {LARGE_ENCODING} from {LARGE_OPTIONS:,} options "
    "(n = 100), or one that the backend takes]",
)


@suggesting
@options(**{setting.argument: setting for setting in settings.SETTINGS})
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
    proof_size: str | int = "4GiB",
    keep_output: bool | None = None,
    measure: str | Sequence[str] | None = None,
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
    are written in; 'file' is the one that they have. Times are seconds, or text such as '500ms',
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
    if check is None and not results:
        check = When.NOW  # nothing is kept that could be checked later
    job, caller = plan("run", locals()), CALLER.get()
    from nqbench.campaign.narrator import Narrator

    narrator = caller.observer or Narrator(
        caller.display(progress),
        fresh=job.execution.fresh,
        stored=job.folder is not None,
        caller="call",
    )
    with job.measure(narrator, caller.checks) as records:
        caller.note(records)
    from nqbench.records.reading_order import ordered

    table = ordered(records)
    caller.warn_each(_doubts(table))
    return table


def _doubts(records: pl.DataFrame) -> Iterator[str]:
    """What is to know of records, in sentences: what could not run, and cautions."""
    from nqbench import summary
    from nqbench.summary.findings.cautions import Output, cautions

    every = (records[kind].unique().to_list() for kind in ("encoding", "backend"))
    for name, reason in summary.never_ran(records, *every).items():
        yield f"{name} could not run: {reason}"
    yield from cautions(records, Output.MESSAGES)


@suggesting
@options(
    lenient=settings.BY_NAME["lenient"],
    amo=Option(
        parsing.TEXT,
        "The encoding whose scheme is used. [native if the output is called .knf, .cnf+ or .opb]",
        ("--amo", "--encoding"),
        "ENCODING",
    ),
    least=Option(_LEAST, "Replace constraints of at least this many literals."),
)
def reencode(
    formula: str | PathLike[str],
    amo: str | None = None,
    *,
    least: int = 6,
    lenient: bool = False,
    output: Output | None = None,
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
    from nqbench.clauses.comment_lines import read_description
    from nqbench.clauses.rewriting import rewrite
    from nqbench.encodings.rewriting import scheme
    from nqbench.measure.formula import scheme_for
    from nqbench.problems.families.cnf import Formula

    caller, path = CALLER.get(), parsing.path(formula)
    place = _path_of(output)
    named = amo or scheme_for(place)
    if named is None:
        raise InputError("give `amo`, the name of an encoding, or an `output` such as rows.knf")
    file = Formula.at(path, path.name)
    content = file.content()
    encoding = scheme(named)
    with caller.doing(f"rewriting {path.name}"):
        reencoded = rewrite.reencode(
            constraint_files.read_clauses(
                content, file.source, lenient=parsing.yes_or_no("lenient", lenient)
            ),
            encoding,
            _LEAST.read("least", least),
        )
    if output is not None:
        annotations = constraint_files.annotations_of(content)
        described = read_description(content, file.source).encoded_by(
            encoding.name, encoding.version
        )
        comments = annotations.preceded_by(described.lines())
        _write(reencoded.formula, output, comments)
        for doubt in annotations.doubts(reencoded.dropped_variables, reencoded.fresh_variables):
            caller.tell(doubt)
        caller.note(annotations)
    return reencoded


@suggesting
def check(
    results: str | PathLike[str] = "results",
    *,
    jobs: int = 1,
    proof_time: str | float | None = None,
    proof_size: str | int = "4GiB",
    allow_programs: str | Sequence[str] = (),
) -> pl.DataFrame:
    """Check the unchecked answers of a results folder, and return their records with the verdicts:
    short for `Results(results).check()`.
    """
    return Results(results).check(
        jobs=jobs, proof_time=proof_time, proof_size=proof_size, allow_programs=allow_programs
    )


@suggesting
@options(
    backend=Option(
        lists.BACKEND,
        f"The backend to use. [{SOLVER}; for a file with an objective the first that is installed "
        "of cp-sat, exact, highs, rc2 and clasp, and takes its weights]",
    ),
    encoding=_ENCODING,
    task=Option(
        parsing.choice([Task.BEST, Task.FIRST]),
        "Of a file with an objective, find the model of the best value, or any. [best]",
    ),
    **limit_options("the solver"),
)
def solve(
    problem: OneProblem,
    *,
    backend: str | type | None = None,
    encoding: str | type | None = None,
    task: str | None = None,
    time_limit: str | float = "1h",
    memory_limit: str | int = "4GiB",
) -> Board | Solved | Model | NoSolution:
    """Return a solution, which prints itself and is displayed in a notebook: a `Board` of a board
    of queens, a `Model` of a formula, a `Solved` of any other problem. If there is none, return a
    `NoSolution`, which says so and is false: `if board := nqbench.solve(8): ...`. All answers are
    checked.

    `problem` is a number of rows, a problem, or the path of a formula. The encoding is `pairwise`
    by default, or one of fewer clauses for 10,000 options and more (n = 100), and the backend is
    `cadical195`. The solver takes at most 1 hour and 4 GiB by default.

    Of a file with an objective, the model is the best that the solver finds, by default the first
    one that is installed of cp-sat, exact, highs, rc2 and clasp. `optimum` also shows that none is
    better. With `task="first"`, it is any model.

    Raises `InputError` for wrong arguments, `UnavailableError` if the solver does not work here,
    and `SolverError` if it was stopped, gave up, or gave a wrong answer.
    """
    from nqbench.backends.base import Backend
    from nqbench.backends.fit import encoding_to_optimise, task_of
    from nqbench.campaign.optimum import usual_backend

    to_solve = arguments.problem(problem, "solve")
    limits = arguments.limits(time_limit, memory_limit)
    asked = task_of(to_solve, None if task is None else parsing.choice(Task).read("task", task))
    if asked is Task.ALL:
        raise InputError("task is 'all': call solve_all")
    if asked is Task.BEST and isinstance(to_solve, Clausal):
        backend = backend or usual_backend(to_solve, name_of(encoding))
        encoding = encoding or encoding_to_optimise(to_solve, Backend.named(name_of(backend)))
    return _first(to_solve, backend or SOLVER, encoding, limits, asked).solution


@suggesting
def use(
    problem: OneProblem,
    *,
    backend: str | type,
    encoding: str | type | None = None,
    task: str | None = None,
    time_limit: str | float = "1h",
) -> Used:
    """Solve a problem as it was measured, with the encoding and backend that a race or a summary
    names: encode, solve, map the model back, and check the answer. Nothing is measured or stored.
    Of a file with an objective it finds the best model, or any with `task="first"`.

    `problem` is a number of rows, a problem, or the path of a formula. The encoding of a formula as
    it is, is `file`. Without `encoding`, it is the default of the backend or of the problem.
    `solution` of the result is what `solve` returns, and `answer` is `sat` or `unsat`. `counters`
    has the solver's counts, such as `counters.conflicts`: those of the records of `run`, if the
    solver's search is the same each time. Auxiliary variables of a formula that the encoding does
    without get values. The solver takes at most 1 hour and 4 GiB by default. `nqbench use` prints a
    program that does the same without nqbench.

    Raises as `solve` does, and `InputError` for a file that is no formula, and for the best model
    of a file with an objective and a backend that does not optimise.
    """
    from nqbench.backends.fit import task_of

    to_solve = arguments.problem(problem, "use")
    limits = arguments.limits(time_limit, "4GiB")
    asked = task_of(to_solve, None if task is None else parsing.choice(Task).read("task", task))
    return _first(to_solve, backend, encoding, limits, asked)


@suggesting
def solve_all(
    problem: OneProblem,
    *,
    backend: str | type = SOLVER,
    encoding: str | type | None = None,
    time_limit: str | float = "1h",
    memory_limit: str | int = "4GiB",
) -> list[Board | Solved | Model]:
    """Return all solutions, as `solve` returns one, in the order of their squares or literals. A
    notebook shows the first 24 as pictures.
    Models of a formula that differ only on variables that do not count are one. The search for all
    of them takes at most 1 hour and 4 GiB by default.

    Raises as `solve` does, also if a solution was missed.
    """
    from nqbench.campaign.found import Found

    to_solve = arguments.problem(problem, "solve_all")
    limits = arguments.limits(time_limit, memory_limit)
    with waiting(f"solving {to_solve}"):
        found = Found.named(to_solve, name_of(encoding), name_of(backend), Task.ALL, limits)
        return Solutions(_picture(to_solve, solution) for solution in sorted(found))


@suggesting
def solutions(
    problem: OneProblem,
    *,
    backend: str | type | None = None,
    encoding: str | type | None = None,
    fundamental: bool = False,
    time_limit: str | float = "1h",
    memory_limit: str | int = "4GiB",
) -> Iterator[Board | Solved | Model]:
    """Yield the solutions that `solve_all` returns as they are found, and keep none. With
    `fundamental`, yield one of each class under symmetry.

    Raises as `solve_all` does: for a solution that was missed, after the last one.
    """
    from nqbench.campaign.found import Found

    to_solve = arguments.problem(problem, "solutions")
    found = Found.named(
        to_solve,
        name_of(encoding),
        name_of(backend) or SOLVER,
        Task.ALL,
        arguments.limits(time_limit, memory_limit),
        fundamental=parsing.yes_or_no("fundamental", fundamental),
    )
    CALLER.get().note(found)
    return (_picture(to_solve, solution) for solution in found)


@suggesting
@options(
    backend=Option(lists.BACKEND, "Enumerate with this backend instead."),
    ganak=Option(parsing.FLAG, "Count the models of the clauses with Ganak."),
    models=Option(
        parsing.FLAG,
        "Count the models of the clauses instead, with all values of auxiliary variables.",
    ),
    encoding=_ENCODING,
    **limit_options(
        "a solver, or of the count",
        " No limit by default for nqbench's own search.",
        time=_TIME,
        memory=_MEMORY,
    ),
    fundamental=Option(parsing.FLAG, "Count one solution of each class under symmetry."),
)
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

    caller, to_count = CALLER.get(), arguments.problem(problem, "count")
    if isinstance(to_count, StatedFormula) and to_count.doubt:
        caller.warn(to_count.doubt)
    for_solvers = {"encoding": encoding, "memory_limit": memory_limit}
    counting = Counting(
        name_of(backend),
        name_of(encoding),
        parsing.yes_or_no("ganak", ganak),
        parsing.yes_or_no("models", models),
        parsing.yes_or_no("fundamental", fundamental),
        arguments.limits(
            _TIME if time_limit is None else time_limit,
            _MEMORY if memory_limit is None else memory_limit,
        ),
        [name for name, value in for_solvers.items() if value is not None],
        None if time_limit is None else parsing.duration("time_limit", time_limit),
    )
    with caller.doing(f"counting the models of {to_count}") if ganak or models else nullcontext():
        result = counting.count(to_count, caller.display())
    caller.note(result)
    if result.source is not None:
        caller.warn(f"{result.source}, not counted here: `time_limit` counts")
    return result.number


@suggesting
@options(
    encoding=Option(
        lists.ENCODING,
        f"The encoding to use. [{USUAL_ENCODING}; for a file with rows sequential, or "
        "native if the output has rows as well]",
    ),
)
def encode(
    problem: OneProblem,
    encoding: str | type[Encoding] | Encoding | None = None,
    *,
    output: Output | None = None,
) -> CNF | Constraints:
    """Return the formula that an encoding makes of a problem, by default `pairwise`. With `output`,
    it is written to that file as well, as its suffix says: as DIMACS, KNF, CNF+, OPB or WCNF,
    perhaps packed; to an open file as DIMACS or CNF+. An objective is written to OPB and WCNF.
    Encoding native makes `Constraints`, which have at-most-k rows and are written in the format
    CNF+ instead of DIMACS.

    A formula that `formulas` has read from a file with rows is encoded with `sequential` by
    default, or with native if the output has rows as well. Its variables keep their numbers. The
    output has the lines of the file that model counters read, such as `c p show`; a warning says if
    they mean something else there.

    Raises `InputError` for wrong arguments and an encoding that makes no formula of this problem,
    and `SolverError` if the encoding fails.
    """
    from nqbench.encodings.base import Encoding
    from nqbench.measure.formula import make_file, make_formula, usual_encoding

    caller = CALLER.get()
    place = _path_of(output)
    to_encode = arguments.problem(problem, "encode")
    with caller.doing(f"encoding {to_encode}"):
        named = usual_encoding(to_encode, place) if encoding is None else encoding
        encoder = named if isinstance(named, Encoding) else Encoding.named(named)
        if output is None:
            return make_formula(encoder, to_encode)
        made = make_file(encoder, to_encode, place)
    _write(made.formula, output, made.comments)
    for doubt in made.doubts:
        caller.tell(doubt)
    caller.note(made)
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
@options(
    family=Option(
        lists.FAMILY, "A family with a k, such as queen-domination; the search begins at its k."
    ),
    n=Option(arguments.SIZES, "Sizes of the family.", ("-n", "--n"), "RANGE"),
    backend=Option(
        lists.BACKEND,
        "The backend to use. [cadical195; for files the first that is installed of "
        "cp-sat, exact, highs, rc2 and clasp, and takes their weights]",
    ),
    encoding=Option(
        lists.ENCODING,
        "The encoding to use. [sequential; totalizer for an incremental search; adder for files "
        "with weights]",
    ),
    search=Option(
        parsing.choice(KOrder),
        "One k or objective after another, or in the middle of those that are still possible; of "
        "a family, one after another by one solver, which keeps what it has learned; of a file, by "
        "the solver's own search. [linear; solver for files and a backend that optimises, such as "
        "rc2]",
    ),
    **limit_options("each run"),
    proof_time=Option(
        parsing.DURATION,
        "Time to show that none is better, for each answer. [4 x the time limit]",
    ),
    reuse_imported=settings.BY_NAME["reuse-imported"],
)
def optimum(
    family: str | PathLike[str] | type | Problem | Iterable[Problem | str | PathLike[str]],
    n: int | str | Iterable[int] | None = None,
    *,
    backend: str | type | None = None,
    encoding: str | type | None = None,
    search: str | None = None,
    time_limit: str | float = "1h",
    memory_limit: str | int = "4GiB",
    proof_time: str | float | None = None,
    reuse_imported: bool = False,
    results: str | PathLike[str] | None = None,
) -> list[Optimum]:
    """Find the least or the greatest k for which the problem of each size `n` has a solution, for a
    family with such a k, as queen-domination; or without `n`, the best value of the objective of
    files and folders, such as "model.opb", or of formulas from `constraints` or `formulas`. The
    model is `literals`, or `model_text` in the names of the file.

    One k after another is asked for, or with `search="binary"` the middle of those that are still
    possible, each as a run whose answer is checked. With `search="incremental"`, one run asks one
    solver for one k after another. With `search="solver"`, one run asks for the best value of a
    formula; that is the default of backends that optimise, such as `rc2`.

    `best` of an optimum has a verified solution, and `is_proven` says whether the rules of the
    problem show that the next better k has none: see `state`, `best_shown_by`,
    `excluded_shown_by` and `claim`.

    By default the encoding is that of the family, or `totalizer` for an incremental search, and
    each run may take 1 hour and 4 GiB. To show that none is better than an answer may take
    `proof_time`, by default four times as long. With `results`, a folder, runs are recorded there,
    and not measured again; those that were imported are, unless `reuse_imported`. Merged and
    imported runs prove nothing here.

    Raises `InputError` for wrong arguments, and `StoreError` for results that cannot be used.
    """
    from nqbench.campaign.job import Job
    from nqbench.campaign.optimum import file_optima, optima
    from nqbench.problems.families.cnf import Formula

    caller = CALLER.get()
    job = Job(
        runs=(),
        execution=Execution.usual(
            pin=False,
            proof_time=arguments.proofs(proof_time, None).time_s,
            reuse_imported=parsing.yes_or_no("reuse_imported", reuse_imported),
        ),
        folder=parsing.path(results) if results else None,
        command=caller.command("optimum"),
        tell=caller.tell,
    )
    how: Any = {
        "encoding": name_of(encoding),
        "backend": name_of(backend),
        "limits": arguments.limits(time_limit, memory_limit),
        "order": None if search is None else parsing.choice(KOrder).read("search", search),
        "note": caller.note,
        "watch": caller.watch,
    }
    if isinstance(family, type) or (isinstance(family, str) and not arguments.is_file(family)):
        if n is None:
            raise InputError(f"optimum of {name_of(family)}: give n, the sizes, or paths of files")
        with caller.doing(f"looking for the optimum of {name_of(family)}"):
            return caller.collect(optima(name_of(family), arguments.sizes(n), job, **how))
    if n is not None:
        raise InputError("n is for families: formulas have no size")
    to_optimise = arguments.problems(family)
    if not all(isinstance(problem, Formula) for problem in to_optimise):
        raise InputError("optimum takes a family, or formulas with an objective")
    with caller.doing(f"looking for the optimum of {listed(list(map(str, to_optimise)))}"):
        return caller.collect(file_optima(cast("list[Formula]", to_optimise), job, **how))


@suggesting
def read(source: str | PathLike[str]) -> pl.DataFrame:
    """Return the records of a results folder, a store or an export, as `run` returns them.

    Raises `InputError` if there are none, `StoreError` for a bad store.
    """
    return Results(source).records


def _first(
    problem: Problem,
    backend: str | type,
    encoding: str | type | None,
    limits: Limits,
    task: Task,
) -> Used:
    """The first solution, or the best one. Raises `GaveUpError` if the solver gave up."""
    from nqbench.campaign.found import Found

    with waiting(f"solving {problem}"):
        found = Found.named(problem, name_of(encoding), name_of(backend), task, limits)
        solution = next(found, None)
        next(found, None)
    if solution is None:
        if found.end.answer is not Answer.UNSAT:
            raise GaveUpError(f"{name_of(backend)} gave up on {problem}")
        return Used(NoSolution(problem, found.end.checked), found.end.counters)
    if isinstance(problem, StatedFormula):
        problem.assign(solution)
    return Used(_picture(problem, solution), found.end.counters)


def _path_of(output: Output | None) -> Path | None:
    """The path of a formula to write; None for an open file. Raises `InputError`."""
    from nqbench.clauses import constraint_files

    if not isinstance(output, str | PathLike):
        return None
    path = parsing.path(output)
    constraint_files.check_name(str(path))
    return path


def _write(formula: CNF | Constraints, output: Output, comments: Annotations) -> None:
    from nqbench.clauses import constraint_files

    if isinstance(output, str | PathLike):
        constraint_files.write_file(formula, parsing.path(output), comments)
    else:
        constraint_files.write_text(formula, output, comments)


def _picture(problem: Problem, solution: Any) -> Board | Solved | Model:
    if isinstance(problem, Clausal):
        return Model(problem, solution)
    if isinstance(problem, Queens):
        return Board(problem, placement_of(solution))
    return Solved(problem, solution)
