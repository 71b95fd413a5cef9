"""Runs to measure, and the immutable records of runs."""

import hashlib
import time
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Annotated, Final, get_args, get_type_hints

import msgspec

from nqbench.limits import Limits, MemoryBy
from nqbench.problems.base import Problem
from nqbench.problems.queens import LARGEST_N
from nqbench.settings import SETTINGS, Identity
from nqbench.values import Count, Limit, Moment, Name, Positive, Ratio, Seconds, Text, Within
from nqbench.vocabulary import Answer, CheckedBy, Loading, Outcome, Task, Verdict

_NO_PART_OF_THE_ID: Final = [each.sets for each in SETTINGS if each.identity is Identity.NO]
_PART_IF_SET: Final = [
    # These facts came later, too.
    *("backend_build", "solver_seed"),
    *(each.sets for each in SETTINGS if each.identity is Identity.IF_SET),
]

RunId = Annotated[str, Text(pattern="[0-9a-f]{32}")]
Size = Annotated[int, Within(1, LARGEST_N)]


@dataclass(frozen=True, kw_only=True)
class Run:
    """One problem x encoding x backend x repeat, to be measured once and pinned to `cores` cores;
    with 0 it is not pinned.

    The identity covers everything that could change the result, so a result from other conditions
    is never used for this run. `nqbench.settings` says which settings are part of it:
    `keep_output` and `measures` (`NAME=REGEX`) say only what to do with the output.
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

    @property
    def needs_output(self) -> bool:
        """Whether somebody wants to know what the run prints."""
        return self.keep_output or bool(self.measures)

    @cached_property
    def id(self) -> str:
        """The identity of the run, 32 hexadecimal digits."""
        facts = {field.name: getattr(self, field.name) for field in fields(self)}
        facts["problem"] = self.problem.identity
        facts["limits"] = limits = msgspec.to_builtins(self.limits)
        for name in _NO_PART_OF_THE_ID:
            facts.pop(name, None)
        for stated in (facts, limits):
            for name in _PART_IF_SET:
                if name in stated and stated[name] is None:
                    del stated[name]
        return hashlib.blake2b(msgspec.json.encode(facts), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The results of a run, raw and unrounded, with units in the names; times are in seconds.

    `n` is None for a problem without a size. For a formula from a file, `encode_s` is the time to
    read it.

    `backend_build` describes the machine code of the backend: its compiler, whether it was compiled
    without optimisation, and a digest. It is None if the backend itself has no machine code.

    `problem_digest` identifies the problem whatever its name: it is a hash of what is asked, or of
    the bytes of the file.

    Fields are None if the run did not get that far or the solver does not report them. Phases are
    measured inside the worker; `wall_s`, `cpu_s` and `peak_rss_bytes` cover its whole process.
    Under a control group, `peak_rss_bytes` is the memory charged to the group. `cpus` are the CPUs
    it was pinned to, after `left` if it did not stay there, `shuffle` the seed of shuffling its
    formula, `solver_seed` the seed that the solver was given as one of several. `encode_s` is the
    time of the one encoding that all runs of an instance share. `loading` says how the clauses
    entered a solver that is a library. `queens` holds the options of the first solution as
    variables, on a board the squares r*n + c + 1 of its queens. `solutions` is the number of
    solutions, if the task is `all`. `measures` holds what `--measure` asked for, None for what the
    output does not contain.
    """

    run_id: RunId
    environment_id: str
    family: Name
    n: Size | None
    instance: str
    density: Ratio | None = None
    problem_digest: str | None = None
    encoding: Name
    encoding_version: str | None
    backend: Name
    backend_version: str | None
    backend_build: str | None = None
    time_limit_s: Limit
    cpu_limit_s: Limit | None = None
    memory_limit_bytes: Positive
    memory_limit_by: MemoryBy
    conflict_limit: Positive | None = None
    propagation_limit: Positive | None = None
    cpus: str = ""
    seed: int
    task: Task
    shuffle: int | None = None
    solver_seed: Count | None = None
    repeat: Count
    machine: Name
    harness: Name
    started_at: Moment

    outcome: Outcome = Outcome.CRASHED
    answer: Answer | None = None
    verdict: Verdict = Verdict.UNCHECKED
    checked_by: CheckedBy = CheckedBy.NONE
    message: str = ""
    queens: list[int] | None = None
    solutions: Count | None = None

    encode_s: Seconds | None = None
    encode_cpu_s: Seconds | None = None
    load_s: Seconds | None = None
    load_cpu_s: Seconds | None = None
    solve_s: Seconds | None = None
    solve_cpu_s: Seconds | None = None
    decode_s: Seconds | None = None
    decode_cpu_s: Seconds | None = None
    verify_s: Seconds | None = None
    verify_cpu_s: Seconds | None = None
    wall_s: Seconds | None = None
    cpu_s: Seconds | None = None
    peak_rss_bytes: Count | None = None
    exit_status: int | None = None
    signal: int | None = None

    variables: Count | None = None
    clauses: Count | None = None
    literals: Count | None = None
    constraints: Count | None = None
    instance_digest: str | None = None
    loading: Loading | None = None
    rejected_models: Count | None = None
    conflicts: Count | None = None
    decisions: Count | None = None
    propagations: Count | None = None
    restarts: Count | None = None
    nodes: Count | None = None
    generated: Count | None = None
    checks: Count | None = None
    backtracks: Count | None = None
    measures: dict[str, float | None] | None = None

    @classmethod
    def of(cls, run: Run, environment_id: str, machine: str = "", cpus: str = "") -> "Record":
        """The record of a run that starts now, by default on the machine that was planned. Its
        outcome is crashed until more is known.
        """
        facts = {name: getattr(run, name) for name in _FROM_RUN}
        facts |= {name: getattr(run.problem, name) for name in _FROM_PROBLEM}
        return cls(
            run_id=run.id,
            environment_id=environment_id,
            problem_digest=run.problem.digest or None,
            time_limit_s=run.limits.time_s,
            cpu_limit_s=run.limits.cpu_s,
            memory_limit_bytes=run.limits.memory_bytes,
            memory_limit_by=run.limits.memory_by,
            conflict_limit=run.limits.conflicts,
            propagation_limit=run.limits.propagations,
            machine=machine or run.machine,
            cpus=cpus,
            started_at=time.time(),
            **facts,
        )


_FROM_PROBLEM: Final = ("family", "n", "instance", "density")
_FROM_RUN: Final = (
    "encoding", "encoding_version", "backend", "backend_version", "backend_build", "seed", "task",
    "shuffle", "solver_seed", "repeat", "harness",
)  # fmt: skip
"""The fields of a record that have the same names and values in a problem, and in a run."""

COLUMNS: Final = tuple(field.name for field in fields(Record) if field.name != "measures")
"""The fields that are columns of a table. There, each measure is a separate column."""

IDENTITY: Final = (
    "run_id", *_FROM_PROBLEM, "problem_digest", *_FROM_RUN,
    "time_limit_s", "cpu_limit_s", "memory_limit_bytes", "memory_limit_by",
    "conflict_limit", "propagation_limit",
)  # fmt: skip
"""The fields of a record that identify its run, except the machine, which may not be known yet."""

_HINTS: Final = get_type_hints(Record)


def plain_type(field: str) -> type:
    """The type of a field of `Record`: int, float, or str for everything else."""
    hint = _HINTS[field]
    candidates = [hint, *get_args(hint)]
    return next((kind for kind in (int, float) if kind in candidates), str)
