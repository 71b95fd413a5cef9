"""The interface of executors: a campaign submits a run and gets its record."""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Protocol, Self

from nqbench.common.limits import Checking
from nqbench.common.machine.environment import Environment
from nqbench.records.record import Record, Run

Tell = Callable[[str], None]
"""Called with a line for the user, such as what is missing or which worker was lost."""


Watch = Callable[[Sequence[str]], None]
"""Called with what the slots do besides running, such as checking a proof, and for how long."""


class Listener:
    """Hears of an executor, and ignores what it does not override. An exception that it raises ends
    what the executor does.
    """

    def starting(self) -> None:
        """Called once while processes start: what is done during a run would disturb its times."""

    def tell(self, line: str) -> None:
        """Called with a line for the user, as `Tell`."""

    def watch(self, doing: Sequence[str]) -> None:
        """Called every few seconds while no run ends, with what is done besides running, as
        `Watch`.
        """


class Executor(Protocol):
    """Executes runs. It is a context manager that kills runs in progress on exit, however it exits.

    Raises `ExecutorError` if it cannot start or cannot continue.
    """

    @property
    def slots(self) -> int:
        """The number of runs that can be in progress at the same time, as far as known."""

    @property
    def free(self) -> int:
        """The number of further runs that it takes now."""

    @property
    def running(self) -> Sequence[Run]:
        """The runs that were submitted and have no record yet."""

    @property
    def environments(self) -> Mapping[str, Environment]:
        """Where runs were measured, by the environment id in their records."""

    @property
    def logs(self) -> MutableMapping[str, bytes]:
        """The logs of records that `wait` returned, by run id, if the runs asked for them. Whoever
        stores a log removes it from here.
        """

    def prefers(self, run: Run) -> bool:
        """Whether this run would be a good one to submit next, as far as known."""

    def submit(self, run: Run) -> None:
        """Take a run. Call it only if `free` is positive."""

    def wait(self) -> list[Record]:
        """Wait for runs to end and return their records: at least one if any run is in progress."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


class ExecutorKind(Protocol):
    """How runs may be executed elsewhere: what `--executor NAME` means, by an entry point of this
    name in the group `nqbench.executors`.
    """

    def check(self) -> None:
        """Raise `InputError` if what it needs is not installed."""

    def make(
        self,
        runs: Sequence[Run],
        scheduler: str | None,
        *,
        jobs: int,
        cpus_per_run: int,
        checking: Checking,
        listener: Listener,
    ) -> Executor:
        """An executor for these runs, of which there is at least one: on the workers of the
        scheduler at this address, or without one, on so many of this machine. Each run is pinned to
        `cpus_per_run` cores; with 0, it is not. `checking` is how answers are checked.
        """
