"""Checks one unchecked answer, which several runs may share, with its instance made again."""

import threading
import time
from collections.abc import Collection, Hashable
from dataclasses import dataclass, field, replace

from nqbench.backends import permission
from nqbench.backends.base import Backend
from nqbench.backends.fit import loaded
from nqbench.checking.verify import UNCHECKED, Check
from nqbench.common.errors import ExecutorError, UnavailableError
from nqbench.common.limits import ProofLimits
from nqbench.common.spelling import files_in
from nqbench.common.units import so_far
from nqbench.common.vocabulary import (
    NO_MODEL_SHOWN_BEST,
    NOT_COUNTED,
    NOT_SHOWN_BEST,
    WHILE_ENCODING,
    Answer,
    CheckedBy,
    Outcome,
    Task,
    Verdict,
    combination,
)
from nqbench.encodings.base import Encoding
from nqbench.isolate import Caller
from nqbench.machine import builds
from nqbench.measure.best_k import better, better_model, with_k
from nqbench.measure.cache import Encoded, InstanceCache, share_of_memory
from nqbench.measure.run_judge import RunJudge
from nqbench.plugins.availability import why_unavailable
from nqbench.problems import foreign
from nqbench.problems.base import Problem, title
from nqbench.problems.bounded import ProblemOfK
from nqbench.problems.clausal import Clausal
from nqbench.records.record import Record, Run


@dataclass(slots=True)
class Case:
    """The records that one check decides, and their run; of several, one with the longest time
    limit, since that of a proof follows from it. `next_problem` asks for the next better k or
    objective, of records whose best one is to be checked.
    """

    run: Run
    encoding: Encoding
    backend: Backend
    next_problem: Problem | None = None
    records: list[Record] = field(default_factory=list)

    def add(self, run: Run, record: Record) -> None:
        """Add a record with the same `key`."""
        self.run = max(self.run, run, key=lambda r: r.limits.time_s)
        self.records.append(record)

    @property
    def proof(self) -> Hashable:
        """The same for cases that need the same proof, which are not checked at the same time."""
        instance = self.records[0].instance_digest or foreign.problem_key(self.run.problem)
        return instance, self.backend.name


def case_key(run: Run, record: Record) -> Hashable:
    """The same for records that one check decides."""
    answer = (
        record.answer,
        record.solutions,
        record.best_k,
        record.objective,
        is_list_of_solutions(record),
    )
    solver = (run.backend, run.backend_version, run.backend_build, run.solver_seed)
    return (
        foreign.problem_key(run.problem),
        run.task,
        run.encoding,
        record.instance_digest,
        *solver,
        *answer,
    )


def is_list_of_solutions(record: Record) -> bool:
    """Whether the answer has all solutions, of which only the number is unchecked."""
    solutions = record.task is Task.ALL and record.answer is Answer.SAT
    return solutions and record.message.startswith(NOT_COUNTED)


def is_solution_for_best_k(record: Record) -> bool:
    """Whether the answer has a verified solution, and it is unchecked whether its k, or its
    objective, is the best.
    """
    return record.task is Task.BEST and record.message.startswith(
        (NOT_SHOWN_BEST, NO_MODEL_SHOWN_BEST)
    )


def _next_problem(run: Run, record: Record) -> Problem | None:
    """The problem with the next better k or objective than that of the record; None if none is
    asked for, or if none is better. Raises `InputError` for a k that there is not.
    """
    if not is_solution_for_best_k(record):
        return None
    if isinstance(run.problem, Clausal) and record.objective is not None:
        return better_model(run.problem, record.objective)
    if not isinstance(run.problem, ProblemOfK):
        return None
    return better(with_k(run.problem, record.best_k or 0))


class CaseChecker:
    """Checks cases, each in one thread. The threads share the evidence."""

    def __init__(
        self,
        threads: int,
        proofs: ProofLimits | None,
        stop_fd: int,
        allowed: Collection[str] = (),
    ) -> None:
        """`allowed` are the programs and the options of solvers that a store may name."""
        self._allowed = allowed
        self._caller = Caller(stop_fd, self._tell)
        self._judge = RunJudge(self._caller, proofs)
        self._cache_bytes = share_of_memory(threads)
        self._unavailable: dict[str, str | None] = {}
        self._here = threading.local()
        self._doing: dict[int, _Doing] = {}

    def case(self, run: Run, record: Record) -> Case:
        """A case for this record of the run, without records. Call it in one thread only, since it
        imports.

        Raises `InputError` or `UnavailableError` if its encoding or backend cannot be used here, or
        if one of them needs permission.
        """
        from_files = [name for name in run.components if files_in(name)]
        permission.require(from_files, self._allowed, "the store")  # before one is imported
        encoding, backend = loaded(run.problem, run.encoding, run.backend, run.task)
        permission.require([run.problem.family, run.encoding], self._allowed, "the store")
        # Any other backend is not called.
        if backend.capabilities.proof:
            permission.require([run.backend], self._allowed, "the store")
            if reason := self._why_unavailable(run.backend):
                raise UnavailableError(f"{run.backend} is unavailable: {reason}")
        if run.solver_seed is not None:
            backend = backend.with_seed(run.solver_seed)
        return Case(run, encoding, backend, _next_problem(run, record))

    def check(self, case: Case) -> tuple[Check, float]:
        """Check a case. Returns the check and its seconds. Raises `supervise.Abandoned`."""
        started = time.monotonic()
        self._here.case = case
        try:
            check = self._check(case)
        except ExecutorError as error:
            check = replace(UNCHECKED, message=f"not checked: {error}")
        finally:
            self._doing.pop(threading.get_ident(), None)
        return check, time.monotonic() - started

    @property
    def doing(self) -> list[str]:
        """What each thread does, for how long, and how long it may take."""
        return [str(doing) for doing in list(self._doing.values())]

    def _check(self, case: Case) -> Check:
        run, record = case.run, case.records[0]
        if is_list_of_solutions(record):
            return self._judge.check_count(run.problem, record.solutions or 0)
        if is_solution_for_best_k(record):
            return self._check_best(case)
        if record.answer is Answer.SAT:
            return replace(UNCHECKED, message="its model was not kept: measure it again")
        encoded = self._cache.get(run.problem, case.encoding, run.limits)
        if not isinstance(encoded, Encoded):
            during = "" if encoded.outcome is Outcome.INVALID else WHILE_ENCODING
            return replace(UNCHECKED, message=f"{during}{encoded.message}")
        if encoded.digest != record.instance_digest:
            return replace(UNCHECKED, message="the formula is not the one that was solved")
        check = self._judge.check_unsat(
            run.problem,
            case.encoding,
            case.backend,
            encoded,
            owner=run.solver,
            limits=run.limits,
            cache=self._cache,
        )
        return self._of_another_version(case, check) or check

    def _check_best(self, case: Case) -> Check:
        """Check that there is no better solution than the one that was verified."""
        if case.next_problem is None:
            return replace(UNCHECKED, message="not checked: none is better")
        check = self._judge.check_none(
            case.next_problem,
            case.encoding,
            case.backend,
            owner=case.run.solver,
            limits=case.run.limits,
            cache=self._cache,
        )
        return self._of_another_version(case, check) or check

    def _of_another_version(self, case: Case, check: Check) -> Check | None:
        """The check if a wrong proof says nothing about the version that answered, else None."""
        is_wrong = check.verdict is Verdict.REFUTED and check.checked_by is CheckedBy.PROOF
        run, build_here = case.run, builds.described(case.backend.builds)
        recorded_build = run.backend_build or build_here  # earlier stores do not say
        same = case.backend.version == run.backend_version and builds.are_same(
            build_here, recorded_build
        )
        if not is_wrong or same:
            return None
        gave, answered = str(case.backend.version), str(run.backend_version)
        if build_here != recorded_build:
            gave, answered = f"{gave} ({build_here})", f"{answered} ({recorded_build})"
        versions = f"{gave} gave it, {answered} answered"
        return replace(UNCHECKED, message=f"{check.message} ({versions})")

    @property
    def _cache(self) -> InstanceCache:
        """The instances of this thread."""
        if not hasattr(self._here, "cache"):
            self._here.cache = InstanceCache(self._cache_bytes, self._caller)
        cache: InstanceCache = self._here.cache
        return cache

    def _why_unavailable(self, backend: str) -> str | None:
        if backend not in self._unavailable:
            self._unavailable[backend] = why_unavailable(Backend.named, backend, self._caller)
        return self._unavailable[backend]

    def _tell(self, doing: str, limit_s: float) -> None:
        case: Case | None = getattr(self._here, "case", None)
        if case:
            record = case.records[0]
            problem = title(record.family, record.n, record.instance)
            subject = f"{problem} {combination(record.encoding, record.backend)}"
            self._doing[threading.get_ident()] = _Doing(f"{subject}: {doing}", limit_s)


@dataclass(frozen=True, slots=True)
class _Doing:
    """What is being done, and the seconds that it may take."""

    what: str
    limit_s: float
    started: float = field(default_factory=time.monotonic)

    def __str__(self) -> str:
        return f"{self.what}, {so_far(time.monotonic() - self.started, self.limit_s)}"
