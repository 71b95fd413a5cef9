"""The options that choose an executor: where runs are executed, and how many at a time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from nqbench.campaign.grid import ANY_MACHINE
from nqbench.cli.grouped import grouped
from nqbench.cli.options import COUNT, OneOf, Parsed
from nqbench.cli.sections import Section, option_in
from nqbench.errors import InputError
from nqbench.limits import Checking
from nqbench.machine import cpus
from nqbench.plugins import install

if TYPE_CHECKING:
    from nqbench.executors.base import Executor, Watch
    from nqbench.records.record import Run


@dataclass(frozen=True, slots=True)
class Execution:
    """The values of `execution_options`."""

    jobs: int
    pin: bool
    cpus_per_run: int
    executor: str
    scheduler: str | None

    @property
    def machine(self) -> str | None:
        """The machine in a run's identity; None for this machine."""
        return ANY_MACHINE if self.scheduler else None

    @property
    def cores(self) -> int:
        """Number of cores reserved for a run; 0 if it is not pinned."""
        return self.cpus_per_run if self.pin else 0

    def check(self) -> None:
        """Raise `InputError` if there are too few cores, or if Dask is needed and not installed."""
        if self.scheduler is None:
            self._assigned()
        if self.by_dask:
            try:
                import distributed  # noqa: F401
            except ModuleNotFoundError as error:
                raise InputError(
                    f"Dask needs {error.name}, which is not installed; "
                    f"try: {install.command('nqbench[dask]')}"
                ) from error

    def executor_of(self, runs: Sequence["Run"], checking: Checking, watch: "Watch") -> "Executor":
        """An executor for these runs, whose answers are checked in this way. There must be at least
        one run. See `executors.base.Watch`.
        """
        jobs = min(self.jobs, len(runs))
        if self.by_dask:
            from nqbench.executors.dask.client import DaskExecutor

            return DaskExecutor(
                runs,
                self.scheduler,
                jobs=jobs,
                cpus_per_run=self.cores,
                tell=_tell,
                checking=checking,
                watch=watch,
            )
        from nqbench.executors.local import LocalExecutor

        return LocalExecutor(
            runs,
            jobs,
            self._assigned(),
            tell=_tell,
            checking=checking,
            watch=watch,
            meanwhile=_import_what_shows_records,
        )

    @property
    def by_dask(self) -> bool:
        """Whether Dask executes the runs."""
        return self.executor == "dask" or self.scheduler is not None

    def _assigned(self) -> list[list[int]] | None:
        """The processors of each job."""
        return cpus.assign(self.jobs, self.cores) if self.cores else None


def _scheduler_address(text: str) -> str:
    if re.fullmatch(r"(tcp|tls|ws|wss)://[^\s/]+:\d{1,5}", text) is None:
        raise InputError(
            f"'{text}' is not the address of a scheduler: write for instance tcp://node1:8786"
        )
    return text


def _import_what_shows_records() -> None:
    import nqbench.cli.summary
    import nqbench.records.frame
    import nqbench.summary.findings  # noqa: F401


def _tell(line: str) -> None:
    click.echo(f"nqbench: {line}", err=True)


_where = option_in(Section.JOBS)

execution_options = grouped(
    Execution,
    "execution",
    _where(
        "-j",
        "--jobs",
        type=COUNT,
        default=1,
        show_default=True,
        help="Runs at the same time. More than 1 disturbs timings.",
    ),
    _where("--pin/--no-pin", default=True, help="Pin each job to its own physical cores."),
    _where(
        "--cpus-per-run",
        type=COUNT,
        default=1,
        show_default=True,
        help="Cores of each job, for solvers with several threads.",
    ),
    _where(
        "--executor",
        type=OneOf(["local", "dask"]),
        default="local",
        show_default=True,
        help="dask: use --jobs Dask workers on this machine, or the workers of --scheduler.",
    ),
    _where(
        "--scheduler",
        type=Parsed("address", _scheduler_address),
        metavar="ADDRESS",
        help="Run on the workers of this Dask scheduler, for example tcp://node1:8786.",
    ),
)
