"""Checks one unchecked answer of a store, which several runs may share."""

import threading
import time
from collections.abc import Collection, Hashable
from dataclasses import dataclass, field, replace

from nqbench.backends import permission
from nqbench.backends.base import Backend
from nqbench.backends.fit import loaded
from nqbench.checking.verify import UNCHECKED, Check
from nqbench.common.errors import NqbenchError, UnavailableError
from nqbench.common.limits import ProofLimits
from nqbench.common.machine import builds
from nqbench.common.spelling import ComponentName
from nqbench.common.units import so_far
from nqbench.common.vocabulary import CheckedBy, Verdict, combination
from nqbench.isolate import Isolation
from nqbench.isolate.supervise import Abandoned
from nqbench.measure.cache import InstanceCache, share_of_memory
from nqbench.measure.loaded_run import LoadedRun
from nqbench.measure.run_judge import RunJudge, certifier, is_list_of_solutions
from nqbench.plugins.availability import why_unavailable
from nqbench.problems import foreign
from nqbench.problems.base import title
from nqbench.records.record import Record, Run


@dataclass(slots=True)
class Case:
    """The records that one check decides, and their run; of several, one with the longest time
    limit, since that of a proof follows from it. `log` is that of a run with several questions.
    """

    run: LoadedRun
    records: list[Record] = field(default_factory=list)
    log: bytes = b""

    def add(self, run: Run, record: Record) -> None:
        """Add a record with the same `key`."""
        if run.limits.time_s > self.run.limits.time_s:
            self.run = replace(self.run, limits=run.limits)
        self.records.append(record)

    @property
    def proof(self) -> Hashable:
        """The same for cases that need the same proof, which are not checked at the same time."""
        instance = self.records[0].instance_digest or foreign.problem_key(self.run.problem)
        return instance, self.run.backend.name


def case_key(run: Run, record: Record) -> Hashable:
    """The same for records that one check decides."""
    answer = (
        record.answer,
        record.solutions,
        record.best_k,
        record.value,
        is_list_of_solutions(record),
        run.id if run.problem.needs_assumptions else None,
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


def unchecked_because(error: Exception) -> Check:
    """The check that an error kept from being made. Others than those of nqbench are from the code
    of a plugin.
    """
    kind = "" if isinstance(error, NqbenchError) else f"{type(error).__name__}: "
    return replace(UNCHECKED, message=f"not checked: {kind}{error}")


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
        self._caller = Isolation(stop_fd, self._tell)
        self._evidence = certifier(self._caller, proofs)
        self._cache_bytes = share_of_memory(threads)
        self._unavailable: dict[str, str | None] = {}
        self._here = threading.local()
        self._doing: dict[int, _Doing] = {}

    def case(self, run: Run) -> Case:
        """A case for this run, without records. Call it in one thread only, since it imports.

        Raises `InputError` or `UnavailableError` if its encoding or backend cannot be used here, or
        if one of them needs permission.
        """
        from_files = [name for name in run.components if ComponentName.parse(name).files]
        permission.require(from_files, self._allowed, "the store")  # before one is imported
        encoding, backend = loaded(run.problem, run.encoding, run.backend, run.task)
        permission.require([run.problem.family, run.encoding], self._allowed, "the store")
        # Any other backend is not called.
        if backend.capabilities.proof:
            permission.require([run.backend], self._allowed, "the store")
            if reason := self._why_unavailable(run.backend):
                raise UnavailableError(f"{run.backend} is unavailable: {reason}")
        return Case(LoadedRun.of(run, encoding, backend))

    def check(self, case: Case) -> tuple[Check, float]:
        """Check a case. Returns the check and its seconds. Raises `supervise.Abandoned`."""
        started = time.monotonic()
        self._here.case = case
        try:
            record = case.records[0]
            check = (
                self._judge.check_log(case.run, case.log, record)
                if case.run.problem.needs_assumptions
                else self._judge.check(case.run, record)
            )
            check = _of_another_version(case, check) or check
        except Abandoned:
            raise
        except Exception as error:
            check = unchecked_because(error)
        finally:
            self._doing.pop(threading.get_ident(), None)
        return check, time.monotonic() - started

    @property
    def doing(self) -> list[str]:
        """What each thread does, for how long, and how long it may take."""
        return [str(doing) for doing in list(self._doing.values())]

    @property
    def _judge(self) -> RunJudge:
        """The judge of this thread, with its instances."""
        if not hasattr(self._here, "judge"):
            cache = InstanceCache(self._cache_bytes, self._caller)
            self._here.judge = RunJudge(self._caller, self._evidence, cache)
        judge: RunJudge = self._here.judge
        return judge

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


def _of_another_version(case: Case, check: Check) -> Check | None:
    """The check if a wrong proof says nothing about the version that answered, else None."""
    if check.verdict is not Verdict.REFUTED or check.checked_by is not CheckedBy.PROOF:
        return None
    backend, record = case.run.backend, case.records[0]
    build_here = builds.described(backend.builds)
    recorded_build = record.backend_build or build_here  # earlier stores do not say
    if backend.version == record.backend_version and builds.are_same(build_here, recorded_build):
        return None
    gave, answered = str(backend.version), str(record.backend_version)
    if build_here != recorded_build:
        gave, answered = f"{gave} ({build_here})", f"{answered} ({recorded_build})"
    versions = f"{gave} gave it, {answered} answered"
    return replace(UNCHECKED, message=f"{check.message} ({versions})")


@dataclass(frozen=True, slots=True)
class _Doing:
    """What is being done, and the seconds that it may take."""

    what: str
    limit_s: float
    started: float = field(default_factory=time.monotonic)

    def __str__(self) -> str:
        return f"{self.what}, {so_far(time.monotonic() - self.started, self.limit_s)}"
