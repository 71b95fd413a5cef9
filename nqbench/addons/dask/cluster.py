"""Connects to a Dask cluster: to a running scheduler, or to workers started on this machine."""

import logging
import signal
from typing import Final

import cryptography  # noqa: F401 - for the certificates of a cluster on this machine
import dask
from distributed import Client, LocalCluster

from nqbench.common.errors import InputError

_SILENT: Final = logging.CRITICAL + 1
_CONNECT_S: Final = 10.0

_QUIET: Final = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
}
"""By default, each process looks at its threads 100 times a second, during runs as well."""


def connected(address: str) -> Client:
    """Connect to the scheduler at this address. Raises `InputError` if there is none."""
    try:
        return Client(address, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(f"no Dask scheduler answers at {address}") from error


def local_cluster(jobs: int) -> LocalCluster:
    """Start `jobs` workers on this machine, which end with the cluster."""
    # Only this process handles Ctrl-C: its workers inherit that they ignore it.
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with dask.config.set(_QUIET):
            return LocalCluster(
                n_workers=jobs,
                threads_per_worker=1,
                memory_limit=0,  # each run has a memory limit
                dashboard_address=None,
                # Dask serves pages even so, at a port that another campaign may have taken.
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                silence_logs=_SILENT,
                # Dask runs any code that it receives, so only clients with this certificate may
                # send.
                security=True,
            )
    finally:
        signal.signal(signal.SIGINT, handler)


def silence() -> None:
    """Silence Dask's log of its connections; nqbench reports the same events more briefly."""
    for name in list(logging.root.manager.loggerDict):
        if name.startswith("distributed"):
            logging.getLogger(name).setLevel(_SILENT)
