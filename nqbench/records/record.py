"""Runs to measure, and the immutable records of runs."""

import hashlib
import time
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Final, get_args, get_type_hints

import msgspec

from nqbench.limits import Limits, MemoryBy
from nqbench.problems.base import Problem
from nqbench.vocabulary import Answer, CheckedBy, Outcome, Task, Verdict


@dataclass(frozen=True, kw_only=True)
class Run:
    """One problem x encoding x backend x repeat, to be measured once and pinned to `cores` cores;
    with 0 it is not pinned.

    The identity covers everything that could change the result, so a result from other conditions
    is never used for this run.
    """

    problem: Problem
    encoding: str
    encoding_version: str | None
    backend: str
    backend_version: str | None
    limits: Limits
    seed: int
    task: Task
    shuffle: int | None = None
    repeat: int
    machine: str
    harness: str
    cores: int = 0

    @cached_property
    def id(self) -> str:
        """The identity of the run, 32 hexadecimal digits."""
        facts = {field.name: getattr(self, field.name) for field in fields(self)}
        facts["problem"] = self.problem.identity
        return hashlib.blake2b(msgspec.json.encode(facts), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The results of a run, raw and unrounded, with units in the names; times are in seconds.

    `n` is None for a problem without a size. For a formula from a file, `encode_s` is the time to
    read it.

    `problem_digest` identifies the problem whatever its name: it is a hash of what is asked, or of
    the bytes of the file.

    Fields are None if the run did not get that far or the solver does not report them. Phases are
    measured inside the worker; `wall_s`, `cpu_s` and `peak_rss_bytes` cover its whole process.
    Under a control group, `peak_rss_bytes` is the memory charged to the group. `cpus` are the CPUs
    it was pinned to, `shuffle` the seed of shuffling its formula. `encode_s` is the time of the one
    encoding that all runs of an instance share. `queens` holds the options of the first solution as
    variables, on a board the squares r*n + c + 1 of its queens. `solutions` is the number of
    solutions, if the task is `all`.
    """

    run_id: str
    environment_id: str
    family: str
    n: int | None
    instance: str
    density: float | None = None
    problem_digest: str | None = None
    encoding: str
    encoding_version: str | None
    backend: str
    backend_version: str | None
    time_limit_s: float
    cpu_limit_s: float | None = None
    memory_limit_bytes: int
    memory_limit_by: MemoryBy
    cpus: str = ""
    seed: int
    task: Task
    shuffle: int | None = None
    repeat: int
    machine: str
    harness: str
    started_at: float

    outcome: Outcome = Outcome.CRASHED
    answer: Answer | None = None
    verdict: Verdict = Verdict.UNCHECKED
    checked_by: CheckedBy = CheckedBy.NONE
    message: str = ""
    queens: list[int] | None = None
    solutions: int | None = None

    encode_s: float | None = None
    encode_cpu_s: float | None = None
    load_s: float | None = None
    load_cpu_s: float | None = None
    solve_s: float | None = None
    solve_cpu_s: float | None = None
    decode_s: float | None = None
    decode_cpu_s: float | None = None
    verify_s: float | None = None
    verify_cpu_s: float | None = None
    wall_s: float | None = None
    cpu_s: float | None = None
    peak_rss_bytes: int | None = None
    exit_status: int | None = None
    signal: int | None = None

    variables: int | None = None
    clauses: int | None = None
    literals: int | None = None
    constraints: int | None = None
    instance_digest: str | None = None
    rejected_models: int | None = None
    conflicts: int | None = None
    decisions: int | None = None
    propagations: int | None = None
    restarts: int | None = None
    nodes: int | None = None
    generated: int | None = None
    checks: int | None = None
    backtracks: int | None = None

    @classmethod
    def of(cls, run: Run, environment_id: str, machine: str = "", cpus: str = "") -> "Record":
        """The record of a run that starts now, by default on the machine that was planned. Its
        outcome is crashed until more is known.
        """
        return cls(
            run_id=run.id,
            environment_id=environment_id,
            family=run.problem.family,
            n=run.problem.n,
            instance=run.problem.instance,
            density=run.problem.density,
            problem_digest=run.problem.digest or None,
            encoding=run.encoding,
            encoding_version=run.encoding_version,
            backend=run.backend,
            backend_version=run.backend_version,
            time_limit_s=run.limits.time_s,
            cpu_limit_s=run.limits.cpu_s,
            memory_limit_bytes=run.limits.memory_bytes,
            memory_limit_by=run.limits.memory_by,
            seed=run.seed,
            task=run.task,
            shuffle=run.shuffle,
            repeat=run.repeat,
            machine=machine or run.machine,
            cpus=cpus,
            harness=run.harness,
            started_at=time.time(),
        )


IDENTITY: Final = (
    "run_id",
    "family",
    "n",
    "instance",
    "density",
    "problem_digest",
    "encoding",
    "encoding_version",
    "backend",
    "backend_version",
    "time_limit_s",
    "cpu_limit_s",
    "memory_limit_bytes",
    "memory_limit_by",
    "seed",
    "task",
    "shuffle",
    "repeat",
    "harness",
)
"""The fields of a record that identify its run, except the machine, which may not be known yet."""

SIGNED: Final = ("seed", "shuffle", "exit_status", "signal")
"""The only numbers that may be negative."""

_HINTS: Final = get_type_hints(Record)


def plain_type(field: str) -> type:
    """The type of a field of `Record`: int, float, or str for everything else."""
    hint = _HINTS[field]
    candidates = [hint, *get_args(hint)]
    return next((kind for kind in (int, float) if kind in candidates), str)
