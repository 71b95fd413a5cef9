"""The boundary between a campaign and what executes its runs: submit a run, get its record."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, Self

from nqbench.machine.environment import Environment
from nqbench.records.record import Record, Run

Tell = Callable[[str], None]
"""Takes a line for the user: what is missing, who was lost."""


class Executor(Protocol):
    """Executes runs. A context manager: on leaving it, in whatever way, runs under way are killed.

    Raises `ExecutorError` if it cannot begin, or cannot go on.
    """

    @property
    def slots(self) -> int:
        """How many runs can be under way at the same time, as far as is known."""

    @property
    def free(self) -> int:
        """How many more runs it would take now."""

    @property
    def running(self) -> Sequence[Run]:
        """The runs that were submitted and have no record yet."""

    @property
    def environments(self) -> Mapping[str, Environment]:
        """Where runs were measured, by the id that their records have."""

    def submit(self, run: Run) -> None:
        """Take a run; `free` says whether there is room."""

    def wait(self) -> list[Record]:
        """The records of runs that have ended: at least one, if any is under way."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...
