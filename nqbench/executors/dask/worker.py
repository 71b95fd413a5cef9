"""Runs inside a Dask worker: the plugin that prepares it, and the task that executes a run.

A run on a Dask worker is measured as on any machine: by a fork server, on separate cores. Dask only
chooses the next run.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import msgspec
from distributed import Reschedule, Status, Worker, WorkerPlugin, get_worker

from nqbench.errors import ExecutorError, NqbenchError
from nqbench.executors.dask.pool import Pool
from nqbench.executors.slot import Stopped
from nqbench.isolate.cgroup import MemoryGroup
from nqbench.limits import Checking, MemoryBy
from nqbench.machine import builds
from nqbench.measure.messages import Prepare, Ready
from nqbench.records.record import Record, Run


@dataclass(frozen=True)
class Wanted:
    """What a worker must provide: components with their exact versions and builds, the cores to
    pin each run to, if any, and control groups for memory limits of `groups` bytes.
    """

    prepare: Prepare
    harness: str
    versions: dict[str, str | None]
    builds: dict[str, str | None]
    cpus_per_run: int
    groups: tuple[int, ...] = ()

    @classmethod
    def by(
        cls, runs: Sequence[Run], cpus_per_run: int, checking: Checking | None = None
    ) -> "Wanted":
        """What these runs were planned with; there must be at least one."""
        versions = {run.encoding: run.encoding_version for run in runs}
        versions |= {run.backend: run.backend_version for run in runs}
        groups = {r.limits.memory_bytes for r in runs if r.limits.memory_by is MemoryBy.CGROUP}
        prepare = Prepare.of(runs, checking)
        built = {run.backend: run.backend_build for run in runs}
        return cls(prepare, runs[0].harness, versions, built, cpus_per_run, tuple(sorted(groups)))

    @cached_property
    def resource(self) -> str:
        """The name of the Dask resource of workers that provide all this."""
        return f"nqbench-{hashlib.blake2b(msgspec.json.encode(self), digest_size=8).hexdigest()}"

    def why_refused(self, found: Ready) -> str | None:
        """Why runs on a worker that reports `found` would differ from the plan; None if not."""
        harness = found.environment.harness
        if harness != self.harness:
            return f"it has {harness}, but the campaign needs {self.harness}"
        for name, version in self.versions.items():
            there = found.versions.get(name)
            if name in found.unavailable and version is not None:
                return f"its {name} is unavailable: {found.unavailable[name]}"
            if there != version:
                planned = f"needs {version}" if version else "was planned without it"
                return f"its {name} is {there}, but the campaign {planned}"
        for name, build in self.builds.items():
            here = builds.described(found.environment.builds.get(name, ()))
            if here != build and name not in found.unavailable:
                return (
                    f"its build of {name} is {here or 'none'}, but the campaign needs "
                    f"{build or 'none'}"
                )
        return None


class Plugin(WorkerPlugin):  # type: ignore[misc]
    """Gives each suitable Dask worker a resource, with one unit for each slot.

    Runs require that resource, so Dask gives them to no other worker. A plugin belongs to one
    campaign and has its name. It reports the result for a worker as an event of that name: `worker`
    and either `refused` (the reason), or `slots`, `environment` and `unavailable`.
    """

    pool: ClassVar[Pool | None] = None
    """The slots of this process, shared by all its campaigns."""

    def __init__(self, wanted: Wanted, name: str) -> None:
        self.wanted = wanted
        self.name = name

    async def setup(self, worker: Worker) -> None:
        """Prepare the slots and report them to the scheduler."""
        event: dict[str, Any] = {"worker": worker.address}
        try:
            for limit_bytes in self.wanted.groups:
                MemoryGroup.create(limit_bytes).remove()
            pool = self._pool(worker.state.nthreads)
            loop = asyncio.get_running_loop()
            found = await loop.run_in_executor(None, pool.ready, self.wanted.prepare)
            refused = self.wanted.why_refused(found)
        except NqbenchError as error:
            refused = str(error)
        if refused:
            worker.log_event(self.name, event | {"refused": refused})
            return
        await worker.set_resources(**{self.wanted.resource: pool.size})
        here = msgspec.to_builtins(found.environment)
        event |= {"slots": pool.size, "environment": here, "unavailable": found.unavailable}
        worker.log_event(self.name, event)
        # Only a change to running makes Dask look again at runs that no worker could take.
        worker.status = Status.paused
        worker.status = Status.running

    def transition(self, key: str, start: str, finish: str, **_: Any) -> None:
        """Stop a run that is no longer wanted because its campaign was stopped or has died."""
        if Plugin.pool and start == "executing" and finish in {"cancelled", "released"}:
            Plugin.pool.stop(key)

    def teardown(self, worker: Worker) -> None:
        """End the servers, unless another campaign needs them."""
        others = any(isinstance(plugin, Plugin) for plugin in worker.plugins.values())
        if Plugin.pool and (not others or worker.status is not Status.running):
            Plugin.pool.close()
            Plugin.pool = None

    def _pool(self, threads: int) -> Pool:
        cpus_per_run = self.wanted.cpus_per_run
        if Plugin.pool and Plugin.pool.cpus_per_run != cpus_per_run:
            if not Plugin.pool.is_idle:
                raise ExecutorError("it is busy with a campaign that pins its runs differently")
            Plugin.pool.close()
            Plugin.pool = None
        if Plugin.pool is None:
            pool = Pool(threads, cpus_per_run)
            if not pool.size:
                pool.close()
                raise ExecutorError("other workers of its machine have taken all cores")
            Plugin.pool = pool
        return Plugin.pool


def execute(run: Run, campaign: str) -> tuple[Record, bytes | None]:
    """Measure a run on this worker, with the plugin of its campaign, and return its record and its
    log, if it asks for that. This is the task for Dask.
    """
    worker = get_worker()
    try:
        plugin = worker.plugins.get(campaign)
        if plugin is None or Plugin.pool is None:
            raise Stopped
        key = worker.get_current_task()
        return Plugin.pool.execute(str(key), run, plugin.wanted.prepare)
    except Stopped as event:
        # If the run is still wanted, this worker is about to end, and another takes the run.
        raise Reschedule from event
