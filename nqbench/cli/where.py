"""Where runs are executed: the options that say it, and what they choose."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from nqbench.cli.options import Parsed
from nqbench.errors import InputError

if TYPE_CHECKING:
    from nqbench.executors.base import Executor
    from nqbench.record import Run

    ExecutorOf = Callable[[Sequence[Run]], Executor]


def _scheduler_address(text: str) -> str:
    if re.fullmatch(r"(tcp|tls|ws|wss)://[^\s/]+:\d{1,5}", text) is None:
        raise InputError(
            f"'{text}' is no address of a scheduler: write for instance tcp://node1:8786"
        )
    return text


def where_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that `executor_of` takes."""
    for option in (
        click.option(
            "--scheduler",
            type=Parsed("address", _scheduler_address),
            metavar="ADDRESS",
            help="A running Dask scheduler, such as tcp://node1:8786, whose workers do the runs.",
        ),
        click.option(
            "--executor",
            type=click.Choice(["local", "dask"]),
            default="local",
            show_default=True,
            help="dask: --jobs Dask workers on this machine, or those of --scheduler.",
        ),
        click.option(
            "--cpus-per-run",
            type=click.IntRange(min=1),
            default=1,
            show_default=True,
            help="Cores of a job, for solvers with several threads.",
        ),
        click.option(
            "--pin/--no-pin", default=True, help="Whether each job has physical cores of its own."
        ),
        click.option(
            "--jobs",
            type=click.IntRange(min=1),
            default=1,
            show_default=True,
            help="Runs at the same time. More than 1 disturbs the timings.",
        ),
    ):
        command = option(command)
    return command


def executor_of(
    executor: str, scheduler: str | None, jobs: int, cpus_per_run: int, pin: bool
) -> "ExecutorOf":
    """What makes the executor that the options ask for.

    Raises `InputError` if there are too few cores, or if Dask is not installed.
    """
    if executor == "local" and scheduler is None:
        return _local(jobs, cpus_per_run, pin)
    try:
        from nqbench.executors.dask_client import DaskExecutor
    except ModuleNotFoundError as error:
        raise InputError(
            f"runs on Dask need what is not installed ({error.name}); "
            "try: pip install 'nqbench[dask]'"
        ) from error
    if scheduler is None:
        _cores(jobs, cpus_per_run, pin)  # enough for all, or an error
    return lambda runs: DaskExecutor(
        runs,
        scheduler,
        jobs=min(jobs, len(runs)),
        cpus_per_run=cpus_per_run if pin else 0,
        tell=_tell,
    )


def _local(jobs: int, cpus_per_run: int, pin: bool) -> "ExecutorOf":
    from nqbench.executors.local import LocalExecutor

    cpus = _cores(jobs, cpus_per_run, pin)
    return lambda runs: LocalExecutor(runs, min(jobs, len(runs)), cpus, _tell)


def _cores(jobs: int, cpus_per_run: int, pin: bool) -> list[list[int]] | None:
    from nqbench import cpus

    return cpus.assign(jobs, cpus_per_run) if pin else None


def _tell(line: str) -> None:
    click.echo(f"nqbench: {line}", err=True)
