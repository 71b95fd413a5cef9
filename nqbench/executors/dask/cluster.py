"""The way to a Dask cluster: to a scheduler that runs, or to workers started on this machine."""

import logging
import signal
from typing import Final

import cryptography  # noqa: F401 - for the certificates of a cluster on this machine
from distributed import Client, LocalCluster

from nqbench.errors import InputError

_SILENT: Final = logging.CRITICAL + 1
_CONNECT_S: Final = 10.0


def connected(address: str) -> Client:
    """A client of the scheduler at that address. Raises `InputError` if there is none."""
    try:
        return Client(address, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(f"no Dask scheduler answers at {address}") from error


def local_cluster(jobs: int) -> LocalCluster:
    """So many workers on this machine, which end with the cluster."""
    # Ctrl-C is for this process alone: its workers inherit that they do not listen.
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return LocalCluster(
            n_workers=jobs,
            threads_per_worker=1,
            memory_limit=0,  # a run has its own
            dashboard_address=None,
            silence_logs=_SILENT,
            # Dask runs whatever code it is sent: only by who has the certificate made for this run.
            security=True,
        )
    finally:
        signal.signal(signal.SIGINT, handler)


def silence() -> None:
    """Silence Dask's log of its connections; nqbench reports the same in fewer words."""
    for name in list(logging.root.manager.loggerDict):
        if name.startswith("distributed"):
            logging.getLogger(name).setLevel(_SILENT)
