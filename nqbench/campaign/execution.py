"""How runs are measured: which of them, where, how many at a time, and how they are checked."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from nqbench.campaign.grid import ANY_MACHINE
from nqbench.common.errors import InputError
from nqbench.common.limits import Checking, MemoryBy, ProofLimits
from nqbench.common.machine import cpus
from nqbench.common.parsing import Shard
from nqbench.common.vocabulary import When
from nqbench.isolate.cgroup import MemoryGroup
from nqbench.plugins.declared import EXECUTORS, declared
from nqbench.records import settings
from nqbench.records.settings import LOCAL

if TYPE_CHECKING:
    from nqbench.campaign.executors.base import Executor, ExecutorKind, Listener
    from nqbench.records.record import Run


_WORTH_TWO_SERVERS: Final = 200
"""Runs of a campaign for which a second server saves more time than it takes to start."""


def _now() -> float:
    return time.monotonic()


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """How a campaign is done, whatever it measures: the settings of these names.

    After `give_up_after` runs in a row of one encoding and backend have reached a limit, larger
    problems of the same family are skipped for that combination. No new runs are started
    `budget_s` seconds after `started` (`time.monotonic`). With either, small problems come first.

    Recorded runs count, but none if `fresh`; not those that failed if `retry_failed`; those that
    were only imported if `reuse_imported`. Only the runs of `shard` are measured, if it is given;
    the recorded `times` balance the parts.
    """

    give_up_after: int | None
    budget_s: float | None
    check: When | None
    proof_time: float | None
    proof_size: int
    fresh: bool
    retry_failed: bool
    reuse_imported: bool
    jobs: int
    pin: bool
    ahead: bool
    cpus_per_run: int
    executor: str
    scheduler: str | None
    shard: Shard | None
    times: Path | None
    started: float = field(default_factory=_now, compare=False)

    @classmethod
    def usual(cls, **values: Any) -> Self:
        """The defaults of these settings, or what is given."""
        return cls(**{setting.sets: setting.default for setting in settings.of(cls)} | values)

    @property
    def machine(self) -> str | None:
        """The machine in a run's identity; None for this machine."""
        return ANY_MACHINE if self.scheduler else None

    @property
    def cores(self) -> int:
        """Number of cores reserved for a run; 0 if it is not pinned."""
        return self.cpus_per_run if self.pin else 0

    @property
    def checking(self) -> Checking:
        """When and how answers are checked: by default after all runs if there is a budget, since
        proofs would take the time of runs.
        """
        usual = When.NOW if self.budget_s is None else When.LATER
        return Checking(self.check or usual, ProofLimits(self.proof_time, self.proof_size))

    @property
    def orders(self) -> bool:
        """Whether runs have to be done in a certain order."""
        return self.budget_s is not None or self.give_up_after is not None

    @property
    def left_s(self) -> float | None:
        """Seconds of the budget that are left; None without a budget."""
        return self.budget_s and max(0.0, self.started + self.budget_s - _now())

    def later(self, seconds: float) -> Self:
        """The same with a budget that begins so many seconds later."""
        return replace(self, started=self.started + seconds)

    def require(self, runs: Iterable["Run"]) -> None:
        """Raise `InputError` if runs cannot be given up by n, if there are too few cores, or if
        what the executor needs is not installed, and `UnavailableError` if one of the runs needs a
        control group and there can be none.
        """
        from nqbench.records.runs import Runs  # NumPy

        planned = Runs.of(runs)
        if self.give_up_after and any(problem.n is None for problem in planned.problems):
            raise InputError("`give_up_after` needs an n: leave it out for problems without a size")
        if self.scheduler is None:
            self._assigned(self.jobs)
            for limits in {run.limits for run in planned.kinds}:
                if limits.memory_by is MemoryBy.CGROUP:
                    MemoryGroup.create(limits.memory_bytes).remove()
        if kind := self._kind:
            kind.check()

    def executor_of(self, runs: Sequence["Run"], listener: "Listener") -> "Executor":
        """An executor for these runs, of which there must be at least one."""
        jobs = min(self.jobs, len(runs))
        if kind := self._kind:
            return kind.make(
                runs,
                self.scheduler,
                jobs=jobs,
                cpus_per_run=self.cores,
                checking=self.checking,
                listener=listener,
            )
        from nqbench.campaign.executors.local import LocalExecutor

        is_worth_it = self.ahead and len(runs) >= _WORTH_TWO_SERVERS
        ahead = is_worth_it and self._has_cores_for(2 * jobs)
        return LocalExecutor(
            runs,
            jobs,
            self._assigned(2 * jobs if ahead else self.jobs),
            ahead=ahead,
            tell=listener.tell,
            checking=self.checking,
            watch=listener.watch,
            meanwhile=listener.starting,
        )

    @property
    def is_local(self) -> bool:
        """Whether this process executes the runs."""
        return self.executor == LOCAL and self.scheduler is None

    @property
    def _kind(self) -> "ExecutorKind | None":
        """The executor of an add-on; None if runs are executed here. A scheduler alone means the
        only one that there is.
        """
        if self.is_local:
            return None
        name, others = self.executor, declared(EXECUTORS)
        if name == LOCAL:
            if len(others) != 1:
                names = " or ".join(others) or "none is installed"
                raise InputError(f"a scheduler is for the executor of a cluster: {names}")
            (name,) = others
        kind: ExecutorKind = others[name].load()
        return kind

    def _assigned(self, slots: int) -> list[list[int]] | None:
        """The processors of each slot."""
        return cpus.assign(slots, self.cores) if self.cores else None

    def _has_cores_for(self, slots: int) -> bool:
        allowed = cpus.quota()
        most = len(cpus.physical_cores())
        return 0 < slots * self.cores <= (most if allowed is None else min(most, allowed))
