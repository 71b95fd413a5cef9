"""What `--executor dask` needs and makes."""

from collections.abc import Sequence

from nqbench.campaign.executors.base import Executor, ExecutorKind, Listener
from nqbench.common.errors import InputError
from nqbench.common.limits import Checking
from nqbench.plugins import install
from nqbench.records.record import Run


class DaskKind(ExecutorKind):
    """Workers of a Dask cluster: on this machine, or those of a running scheduler."""

    def check(self) -> None:
        """Raise `InputError` if Dask is not installed."""
        try:
            import distributed  # noqa: F401
        except ModuleNotFoundError as error:
            raise InputError(
                f"Dask needs {error.name}, which is not installed; "
                f"try: {install.command('nqbench[dask]')}"
            ) from error

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
        """An executor for these runs."""
        from nqbench.addons.dask.executor import DaskExecutor

        return DaskExecutor(
            runs,
            scheduler,
            jobs=jobs,
            cpus_per_run=cpus_per_run,
            tell=listener.tell,
            checking=checking,
            watch=listener.watch,
        )


DASK = DaskKind()
