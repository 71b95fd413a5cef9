"""Where runs are executed, and how many at a time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from nqbench.campaign.grid import ANY_MACHINE
from nqbench.common.errors import InputError
from nqbench.common.limits import Checking, MemoryBy
from nqbench.common.machine import cpus
from nqbench.isolate.cgroup import MemoryGroup
from nqbench.plugins.declared import EXECUTORS, declared
from nqbench.records import settings
from nqbench.records.settings import LOCAL

if TYPE_CHECKING:
    from nqbench.campaign.executors.base import Executor, ExecutorKind, Listener
    from nqbench.records.record import Run


_WORTH_TWO_SERVERS: Final = 200
"""Runs of a campaign for which a second server saves more time than it takes to start."""


@dataclass(frozen=True, slots=True)
class Execution:
    """The choice of an executor, with the settings of these names."""

    jobs: int
    pin: bool
    ahead: bool
    cpus_per_run: int
    executor: str
    scheduler: str | None

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

    def check(self, runs: Iterable["Run"]) -> None:
        """Raise `InputError` if there are too few cores, or if what the executor needs is not
        installed, and `UnavailableError` if one of the runs needs a control group and there can be
        none.
        """
        if self.scheduler is None:
            self._assigned(self.jobs)
            for limits in {run.limits for run in runs}:
                if limits.memory_by is MemoryBy.CGROUP:
                    MemoryGroup.create(limits.memory_bytes).remove()
        if kind := self._kind:
            kind.check()

    def executor_of(
        self, runs: Sequence["Run"], checking: Checking, listener: "Listener"
    ) -> "Executor":
        """An executor for these runs, whose answers are checked in this way. There must be at least
        one run.
        """
        jobs = min(self.jobs, len(runs))
        if kind := self._kind:
            return kind.make(
                runs,
                self.scheduler,
                jobs=jobs,
                cpus_per_run=self.cores,
                checking=checking,
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
            checking=checking,
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
