"""Runs to measure, and the immutable records of runs."""

import hashlib
import math
import time
from dataclasses import dataclass, fields
from functools import cached_property
from operator import attrgetter
from typing import Annotated, Final, TypeVar, get_type_hints

import msgspec

from nqbench.common.column_types import (
    LARGEST_INTEGER,
    Count,
    CountedByWorker,
    DecidedHere,
    From,
    Limit,
    Moment,
    Name,
    Positive,
    Ratio,
    ReadBy,
    Seconds,
    Since,
    Text,
    Within,
)
from nqbench.common.errors import REFUSALS
from nqbench.common.limits import Limits, MemoryBy
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer, CheckedBy, Loading, Outcome, Phase, Task, Verdict
from nqbench.problems import foreign
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.queens import LARGEST_N
from nqbench.records.origin import MARK, Origin
from nqbench.records.settings import SETTINGS, Identity

_NO_PART_OF_THE_ID: Final = [
    *("cap_s", "cap_of", "besides_s"),
    *(setting.sets for setting in SETTINGS if setting.identity is Identity.NO),
]
_PART_IF_SET: Final = [
    # These facts came later, too.
    *("backend_build", "solver_seed"),
    *(setting.sets for setting in SETTINGS if setting.identity is Identity.IF_SET),
]

LARGEST_SEED: Final = 2**31 - 1
"""The largest seed that every solver takes."""

RunId = Annotated[str, Text(pattern=rf"[0-9a-f{MARK}][0-9a-f]{{31}}")]
Size = Annotated[int, Within(1, LARGEST_N)]
Number = Annotated[str, Text(pattern=r"-?\d+")]
Points = Annotated[str, Text(pattern=r"[\d.e+-]+:-?\d+( [\d.e+-]+:-?\d+)*")]

Queries = Annotated[str, Text(pattern=r"\d+@\d+:[\d.e+-]+( \d+@\d+:[\d.e+-]+)*")]


@dataclass(frozen=True, kw_only=True)
class Run:
    """One problem x encoding x backend x repeat, to be measured once and pinned to `cores` cores;
    with 0 it is not pinned.

    The identity covers everything that could change the result, so a result from other conditions
    is never used for this run. `nqbench.records.settings` says which settings are part of it:
    `keep_output` and `measures` (`NAME=REGEX`) say only what to do with the output. A race
    stops the run when the time `cap_of`, such as `solve_s`, has reached `cap_s` seconds, or when
    the worker has taken `besides_s` seconds for what is no part of that time. This leaves a record
    to be replaced by a whole run.
    """

    problem: Problem
    encoding: str
    encoding_version: str | None
    backend: str
    backend_version: str | None
    backend_build: str | None = None
    limits: Limits
    seed: int
    task: Task
    shuffle: int | None = None
    repeat: int
    machine: str
    harness: str
    cores: int = 0
    solver_seed: int | None = None
    keep_output: bool = False
    measures: tuple[str, ...] = ()
    cap_s: float | None = None
    cap_of: str = "wall_s"
    besides_s: float = math.inf

    @property
    def needs_output(self) -> bool:
        """Whether somebody wants to know what the run prints."""
        return self.keep_output or bool(self.measures)

    @property
    def keeps_log(self) -> bool:
        """Whether its log is kept: what it prints, and of several questions what was measured of
        each.
        """
        return self.keep_output or self.problem.needs_assumptions

    @property
    def components(self) -> tuple[str, str, str]:
        """The names of its family, encoding and backend."""
        return self.problem.family, self.encoding, self.backend

    @property
    def solver(self) -> str:
        """The backend with its seed: what a proof of this run's answer depends on."""
        return self.backend if self.solver_seed is None else f"{self.backend} {self.solver_seed}"

    @cached_property
    def id(self) -> str:
        """The identity of the run, 32 hexadecimal digits."""
        spelled = spell_problem(self.problem), spell_template(self)
        return id_of(*spelled, self.repeat, self.solver_seed)


def spell_problem(problem: Problem) -> bytes:
    """What the id of a run depends on of its problem."""
    return b'{"problem":%b,' % msgspec.json.encode(foreign.problem_identity(problem))


def spell_template(run: Run) -> tuple[bytes, bytes]:
    """What the id of a run depends on besides the problem, its repeat and the seed of the solver:
    what comes before these two, and between them.
    """
    facts = {field.name: getattr(run, field.name) for field in fields(run)}
    facts["limits"] = limits = msgspec.to_builtins(run.limits)
    for name in ("problem", "solver_seed", *_NO_PART_OF_THE_ID):
        facts.pop(name, None)
    for mapping in (facts, limits):
        for name in _PART_IF_SET:
            if name in mapping and mapping[name] is None:
                del mapping[name]
    names = list(facts)
    at = names.index("repeat")
    before, after = (
        msgspec.json.encode({name: facts[name] for name in some})[1:-1]
        for some in (names[:at], names[at + 1 :])
    )
    return before + b',"repeat":', b"," + after


def id_of(
    problem: bytes, template: tuple[bytes, bytes], repeat: int, solver_seed: int | None
) -> str:
    """The id of a run, whose parts are spelled."""
    before, after = template
    seed = b"}" if solver_seed is None else b',"solver_seed":%d}' % solver_seed
    text = b"".join((problem, before, b"%d" % repeat, after, seed))
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def later_seed(seed: int, repeats: int) -> int:
    """The seed of a solver so many repeats later."""
    return (seed + repeats) % (LARGEST_SEED + 1)


@dataclass(frozen=True, kw_only=True)
class _Facts:
    """The columns of a record that come before the solver's own counts. Without slots: a class can
    have only one base with slots.
    """

    run_id: Annotated[RunId, From("id"), ReadBy("summary"), DecidedHere()]
    """32 hexadecimal digits: a hash of the identity of the run. That of an imported run has `i` in
    place of the first, and is a hash of its id in the source and of the name of the source. A
    merged record of a run that another record is of has a hash of that id and of its start.
    """

    environment_id: Annotated[str, ReadBy("page"), DecidedHere()]
    """16 hexadecimal digits: where it was measured; `nqbench export --format conditions` has the
    details.
    """

    family: Annotated[Name, From("problem.family"), ReadBy("summary")]
    """The kind of problem, with its parameters, as in `nqbench list families`; `cnf` for a formula
    in a file.
    """

    n: Annotated[Size | None, From("problem.n"), ReadBy("summary")]
    """Rows of the board, or the size of another problem in the measure of its family; empty for a
    formula and for other problems without a size.
    """

    instance: Annotated[str, From("problem.instance"), Since(2, ""), ReadBy("summary")]
    """The name of a random problem or of a file; empty if family and n identify the problem."""

    density: Annotated[Ratio | None, From("problem.density"), Since(4), ReadBy("summary")] = None
    """How full a random problem is, in the measure of its family; empty if there is none."""

    problem_digest: Annotated[str | None, From("problem.digest"), ReadBy("summary")] = None
    """Identifies the problem independent of its name: a hash of what is asked, or of the bytes of
    the file.
    """

    encoding: Annotated[Name, From("encoding"), ReadBy("summary")]
    """Its name with parameters; `file` for a formula as it is."""

    encoding_version: Annotated[str | None, From("encoding_version"), ReadBy("summary")]
    """The distributions that it comes from, with their versions; empty for a formula as it is."""

    backend: Annotated[Name, From("backend"), ReadBy("summary")]
    """Its name with parameters."""

    backend_version: Annotated[str | None, From("backend_version"), ReadBy("summary")]
    """The distributions or the program that it comes from, with their versions; empty if missing.
    """

    backend_build: Annotated[str | None, From("backend_build"), Since(10), ReadBy("summary")] = None
    """The machine code that ran: its compiler and a digest; see [below](#builds). Empty for a
    backend in Python, and in records before 0.2.0.
    """

    time_limit_s: Annotated[Limit, From("limits.time_s"), ReadBy("summary")]
    """Seconds of wall-clock time."""

    cpu_limit_s: Annotated[Limit | None, From("limits.cpu_s"), Since(3)] = None
    """Seconds of CPU time, all processes of the run together; empty: no limit."""

    memory_limit_bytes: Annotated[Positive | None, From("limits.memory_bytes")]
    """Bytes of memory; empty if an imported run states none."""

    memory_limit_by: Annotated[
        MemoryBy, From("limits.memory_by"), Since(3, str(MemoryBy.ADDRESS_SPACE))
    ]
    """What counts as memory: see [below](#memory_limit_by)."""

    conflict_limit: Annotated[Positive | None, From("limits.conflicts"), Since(7)] = None
    """Conflicts of the solver; empty: no limit."""

    propagation_limit: Annotated[Positive | None, From("limits.propagations"), Since(7)] = None
    """Propagations of the solver; empty: no limit."""

    cpus: Annotated[str, Since(3, ""), ReadBy("summary")] = ""
    """Numbers of the processors that it was pinned to, separated by commas; after `left` if the
    worker did not stay there, as in `left 1`: see [pins](../explanation/timing.md#pins); empty with
    `--no-pin`.
    """

    seed: Annotated[int, From("seed")]
    """The seed for random problems and for the order of the runs."""

    task: Annotated[Task, From("task"), Since(2, str(Task.FIRST)), ReadBy("summary"), DecidedHere()]
    """The question asked: see [below](#task)."""

    shuffle: Annotated[int | None, From("shuffle"), Since(3), ReadBy("summary")] = None
    """The seed with which `--shuffle-clauses` or `--seeds` shuffled the formula; empty if it was
    not shuffled.
    """

    solver_seed: Annotated[Count | None, From("solver_seed"), Since(7), ReadBy("summary")] = None
    """The seed that `--seeds` gave the solver; empty if it did not give one."""

    repeat: Annotated[Count, From("repeat"), ReadBy("summary")]
    """Number of the repeat, counted from 0. The report and messages count from 1."""

    machine: Annotated[Name, ReadBy("summary")]
    """Processor model and number of CPUs of the machine."""

    harness: Annotated[Name, From("harness")]
    """Versions of nqbench and of Python."""

    started_at: Annotated[Moment, ReadBy("summary")]
    """Start time, seconds since 1970 (UTC); 0 if an imported run states none."""

    imported_from: Annotated[Name | None, Since(13), ReadBy("summary"), DecidedHere()] = None
    """The source of a run that was not measured here and whose answer was not checked here, by the
    name that it was imported under; empty for a run of this nqbench.
    """

    merged_from: Annotated[Name | None, Since(15), ReadBy("summary"), DecidedHere()] = None
    """The results folder or store that `nqbench merge` took the record from; empty if it was
    measured for this store, and in records that were merged before 0.3.0.
    """

    outcome: Annotated[Outcome, ReadBy("summary")] = Outcome.CRASHED
    """How the run ended: see [below](#outcome)."""

    answer: Annotated[Answer | None, ReadBy("summary")] = None
    """What the solver answered: see [below](#answer); empty unless the outcome is `finished` or
    `work-limit`.
    """

    verdict: Annotated[Verdict, ReadBy("summary"), DecidedHere()] = Verdict.UNCHECKED
    """Result of checking the answer: see [below](#verdict)."""

    checked_by: Annotated[CheckedBy, ReadBy("summary"), DecidedHere()] = CheckedBy.NONE
    """The basis of the verdict: see [below](#checked_by)."""

    message: Annotated[str, ReadBy("summary")] = ""
    """Why it was stopped, crashed or skipped, what is wrong with the answer, why it was not
    checked, what else is known about the check, or why a measure was not read; otherwise empty.
    """

    queens: Annotated[list[int] | None, DecidedHere()] = None
    """The options of the first solution as variables, on a board the squares r*n + c + 1 with row r
    and column c from 0; of a file with an objective, its variables that are true in the model, if
    they are at most 100,000. In CSV separated by spaces.
    """

    solutions: Annotated[Count | None, Since(2), ReadBy("summary"), DecidedHere()] = None
    """Number of solutions found, if all were asked for."""

    best_k: Annotated[Count | None, Since(14), ReadBy("summary"), DecidedHere()] = None
    """The best k with a solution, if it was asked for."""

    objective: Annotated[int | None, Since(18), ReadBy("summary"), DecidedHere()] = None
    """The value of the objective of the file in the best model that was found, as the judge adds it
    up from a second reading of the file; of soft clauses, the weight of those that are false. Of a
    run that was stopped, nobody says that none is better.
    """

    objective_text: Annotated[Number | None, Since(22), ReadBy("summary"), DecidedHere()] = None
    """The same in place of `objective`, if it is beyond 2^63 - 1."""

    objective_s: Annotated[Seconds | None, Since(20), ReadBy("summary"), DecidedHere()] = None
    """How long the solver had been solving when it found this model; if it does not report models
    before it ends, the same as `solve_s`.
    """

    first_objective_s: Annotated[Seconds | None, Since(20), ReadBy("summary"), DecidedHere()] = None
    """The same for the first model that it reported."""

    bound: Annotated[int | None, Since(20), DecidedHere()] = None
    """The value that no model is better than, as the solver says; it is not checked."""

    incumbents: Annotated[Points | None, Since(20), ReadBy("summary"), DecidedHere()] = None
    """The seconds at which each better model was found, and its value: `0.012:15 0.3:19`. At most
    64: the first one, the last one, and those that gained most. Only the last one is checked.
    """

    ideal: Annotated[int | None, Since(21), ReadBy("summary"), DecidedHere()] = None
    """The value of the objective of the file that none is better than, whatever its rows say; empty
    without an objective, and beyond 2^63 - 1.
    """

    queries: Annotated[Queries | None, Since(23), ReadBy("summary"), DecidedHere()] = None
    """Of a sequence, the queries that were answered: number, line in the file, and the part of
    `solve_s`, such as `1@12:0.03 2@15:0.4`. At most 64: the last one and those that took longest;
    `nqbench output` prints all.
    """

    encode_s: Annotated[Seconds | None, ReadBy("summary")] = None
    """Making the instance, once for all runs on it; for a formula, reading the file and writing its
    constraints in another scheme.
    """

    encode_cpu_s: Seconds | None = None
    """The same, CPU time."""

    load_s: Annotated[Seconds | None, ReadBy("summary")] = None
    """Giving the instance to the solver; with the task `best`, also making and giving the clauses
    for each better k.
    """

    load_cpu_s: Seconds | None = None
    """The same, CPU time."""

    solve_s: Annotated[Seconds | None, ReadBy("summary")] = None
    """The solver's own call; with the tasks `all` and `best`, all its calls."""

    solve_cpu_s: Seconds | None = None
    """The same, CPU time."""

    decode_s: Annotated[Seconds | None, ReadBy("summary")] = None
    """Getting the model from the solver and turning it into a board, and reading the solver's
    counters.
    """

    decode_cpu_s: Seconds | None = None
    """The same, CPU time."""

    verify_s: Seconds | None = None
    """Checking the answer, proof and count included; almost zero if these were already known."""

    verify_cpu_s: Seconds | None = None
    """The same, CPU time, including the separate processes of proofs and counts; empty after
    `nqbench check`.
    """

    cap_s: Annotated[Limit | None, Since(12), DecidedHere()] = None
    """Seconds at which a race was to stop it, of the time that decides the race, or of wall-clock
    time if `stopped_in` is empty. It is no bound: the next columns and `wall_s` are. Empty unless
    the outcome is `capped`.
    """

    stopped_in: Annotated[Phase | None, Since(15), DecidedHere()] = None
    """What it did when it was stopped: see [below](#stopped_in); empty unless the outcome is
    `timeout`, `memout` or `capped`, and if it was stopped during encoding.
    """

    load_at_least_s: Annotated[Seconds | None, Since(15), ReadBy("summary"), DecidedHere()] = None
    """A lower bound of `load_s`: what loading took before the run was stopped; empty if
    `stopped_in` is.
    """

    solve_at_least_s: Annotated[Seconds | None, Since(15), ReadBy("summary"), DecidedHere()] = None
    """The same for `solve_s`. It is 0 if the run did not begin to solve."""

    decode_at_least_s: Annotated[Seconds | None, Since(15), ReadBy("summary"), DecidedHere()] = None
    """The same for `decode_s`."""

    wall_s: Annotated[Seconds | None, ReadBy("page")] = None
    """The worker process from fork to end: load, solve and decode, but neither encode nor verify.
    A lower bound if it was stopped, as is `cpu_s`.
    """

    cpu_s: Seconds | None = None
    """User and system time of that process and of those that it waited for, or that still ran when
    it was stopped.
    """

    peak_rss_bytes: Annotated[Count | None, ReadBy("page")] = None
    """Largest resident set in bytes; with a control group, what the group was charged."""

    instructions: Annotated[Count | None, CountedByWorker(), Since(19), ReadBy("page")] = None
    """Instructions in user space while solving, also of the threads and processes that the solver
    starts; of a program, from its start to its end, with reading the formula. Empty unless the run
    finished, and where the machine does not count.
    """

    exit_status: int | None = None
    """Its exit status; empty if a signal ended it."""

    signal: int | None = None
    """The signal that ended it: 9 at a limit."""

    variables: Annotated[Count | None, ReadBy("summary")] = None
    """Variables of the formula or of the CSP."""

    clauses: Annotated[Count | None, ReadBy("summary")] = None
    """Clauses of the formula."""

    literals: Annotated[Count | None, ReadBy("summary")] = None
    """Literals of these clauses and of at-most-k constraints, counted with repeats."""

    constraints: Annotated[Count | None, Since(2), ReadBy("summary")] = None
    """Constraints of the CSP, or rows of the encodings `native` and `cover`, which have at most
    or at least k true literals.
    """

    row_length: Annotated[Count | None, Since(17), ReadBy("page")] = None
    """Literals n of the longest row of the problem, before it is encoded; empty if no row has a
    bound above one, unless the problem is a file of rows.
    """

    row_k: Annotated[Count | None, Since(17), ReadBy("page")] = None
    """How many of them may be true at most, or if that is fewer, may be false."""

    instance_digest: Annotated[str | None, ReadBy("summary")] = None
    """32 hexadecimal digits: a hash of formula, CSP or rows, the same for the same clauses in the
    same order.
    """

    clauses_digest: Annotated[str | None, Since(20), ReadBy("summary")] = None
    """16 hexadecimal digits: a hash of the clauses, the same for the same clauses in any order;
    empty for more than four million literals, and for what is not clauses only.
    """

    loading: Annotated[Loading | None, Since(8)] = None
    """How the clauses entered a solver that is a library: `direct` or `binding`; see [how clauses
    get into a solver](../explanation/loading.md).
    """

    rejected_models: Count | None = None
    """Models with fewer than n queens; the solver was asked again after each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Counters, _Facts):
    """The results of a run, raw and unrounded, with units in the names; times are in seconds.

    A field is a column, and declared nowhere else. Its type says what the column may hold,
    and the text below it is its description in `docs/reference/records.md`. Since earlier stores
    lack a new column, it is annotated with `Since` and the next version of the schema.

    Fields are None if the run did not get that far or the solver does not report them. Phases are
    measured inside the worker; `wall_s`, `cpu_s` and `peak_rss_bytes` cover its whole process.
    """

    measures: Annotated[dict[str, float | None] | None, Since(7)] = None
    """What `--measure` asked for, None for what the output does not contain."""

    @property
    def origin(self) -> Origin:
        """Who measured the run and checked its answer: only what was done here proves anything."""
        if self.imported_from is not None:
            return Origin.IMPORTED
        return Origin.HERE if self.merged_from is None else Origin.MERGED

    @property
    def value(self) -> int | None:
        """The value of the objective, however large; None if there is none."""
        return self.objective if self.objective_text is None else int(self.objective_text)

    @property
    def is_refused(self) -> bool:
        """Whether its encoding or its backend does not take the problem, which others may take."""
        return self.outcome is Outcome.INVALID and self.message.startswith(REFUSALS)

    @classmethod
    def of(cls, run: Run, environment_id: str, machine: str = "", cpus: str = "") -> "Record":
        """The record of a run that starts now, by default on the machine that was planned. Its
        outcome is crashed until more is known.
        """
        facts = {name: of(run) for name, of in _OF_RUN.items()}
        return cls(
            **facts | {"problem_digest": foreign.problem_digest(run.problem) or None},
            ideal=_ideal_of(run.problem),
            environment_id=environment_id,
            machine=machine or run.machine,
            cpus=cpus,
            started_at=time.time(),
        )


def _ideal_of(problem: Problem) -> int | None:
    """The value that none is better than, of a formula with an objective."""
    if foreign.is_foreign(problem) or not isinstance(problem, Clausal):
        return None
    if not problem.facts.has_objective:
        return None
    ideal = problem.facts.ideal
    return ideal if abs(ideal) <= LARGEST_INTEGER else None


A = TypeVar("A", CountedByWorker, DecidedHere, From, ReadBy, Since)


def _annotated(kind: type[A]) -> dict[str, A]:
    """The fields of a record that have an annotation of this kind."""
    return {
        name: note
        for name, hint in get_type_hints(Record, include_extras=True).items()
        for note in getattr(hint, "__metadata__", ())
        if isinstance(note, kind)
    }


SINCE: Final = _annotated(Since)
"""The fields that some earlier schema of stores lacks."""

EARLIER: Final = {name: since.earlier for name, since in SINCE.items() if since.earlier is not None}
"""What all runs had before nqbench recorded it."""

COLUMNS: Final = tuple(field.name for field in fields(Record) if field.name != "measures")
"""The fields that are columns of a table. There, each measure is a separate column."""

READ_BY: Final = {name: note.reader for name, note in _annotated(ReadBy).items()}
"""Who reads each of these columns where only some are read."""

COUNTED_BY_WORKER: Final = frozenset(_annotated(CountedByWorker))
"""The columns that the worker of a run may count."""

DECIDED_HERE: Final = frozenset(_annotated(DecidedHere))
"""The columns that no imported file can state."""

FROM_RUN: Final = {name: source.path for name, source in _annotated(From).items()}
"""The field of a run that each of these columns repeats, such as `limits.time_s`."""

_OF_RUN: Final = {name: attrgetter(path) for name, path in FROM_RUN.items()}

IDENTITY: Final = tuple(name for name in COLUMNS if name in _OF_RUN)
"""The fields of a record that identify its run, except the machine, which may not be known yet."""
