"""Runs inside a Dask worker: what prepares it for a campaign, and the task that executes a run.

A run on a Dask worker is measured as on any machine: by a fork server, on separate cores. Dask only
chooses the next run.
"""

import asyncio
import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import msgspec
from distributed import Reschedule, Status, Worker, WorkerPlugin, get_worker

from nqbench.addons.dask.pool import Pool
from nqbench.campaign.executors.slot import Stopped
from nqbench.common.errors import ExecutorError, NqbenchError
from nqbench.common.limits import Checking, MemoryBy
from nqbench.common.machine import builds
from nqbench.isolate.cgroup import MemoryGroup
from nqbench.measure.wire import Order, Prepare, Ready
from nqbench.plugins import from_file
from nqbench.records.record import Run
from nqbench.records.runs import Runs

_LOOK_EVERY_S: Final = 1.0
"""How often a worker looks what its slots do besides running."""

_UNTIL_STOPPED_S: Final = 10.0

BATCH_S: Final = 0.5
"""How long the runs of a batch should take."""

_LARGEST_BATCH: Final = 16 * 2**20
"""Bytes of records and logs after which a batch ends."""

Measured = tuple[bytes, bytes | None, float]
"""The packed record of a run, its log, if it asks for that, and the seconds that it took."""


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
        runs = Runs.of(runs).kinds
        versions = {run.encoding: run.encoding_version for run in runs}
        versions |= {run.backend: run.backend_version for run in runs}
        groups = {r.limits.memory_bytes for r in runs if r.limits.memory_by is MemoryBy.CGROUP}
        prepare = Prepare.of(runs, checking)
        built = {run.backend: run.backend_build for run in runs}
        return cls(prepare, runs[0].harness, versions, built, cpus_per_run, tuple(sorted(groups)))

    def why_refused(self, ready: Ready) -> str | None:
        """Why runs on a worker that is `ready` would differ from the plan; None if not."""
        if refused := self.why_another_harness(ready.environment.harness):
            return refused
        for name, version in self.versions.items():
            found_version = ready.versions.get(name)
            if name in ready.unavailable and version is not None:
                return f"its {name} is unavailable: {ready.unavailable[name]}"
            if found_version != version:
                planned = f"needs {version}" if version else "was planned without it"
                return f"its {name} is {found_version}, but the campaign {planned}"
        for name, build in self.builds.items():
            found_build = builds.described(ready.environment.builds.get(name, ()))
            if found_build != build and name not in ready.unavailable:
                return (
                    f"its build of {name} is {found_build or 'none'}, but the campaign needs "
                    f"{build or 'none'}"
                )
        return None

    def why_another_harness(self, harness: str) -> str | None:
        """Why runs of this harness would differ from the plan; None if not."""
        if harness == self.harness:
            return None
        return f"it has {harness}, but the campaign needs {self.harness}"


class Plugin(WorkerPlugin):  # type: ignore[misc]
    """Stops the runs of a campaign on this worker when they are no longer wanted. Its name is that
    of the campaign, and of the events that say what the worker does besides running.
    """

    pool: ClassVar[Pool | None] = None
    """The slots of this process, shared by all its campaigns."""

    def __init__(self, wanted: Wanted, name: str) -> None:
        self.wanted = wanted
        self.name = name
        self._reporting: asyncio.Task[None] | None = None

    def transition(self, key: str, start: str, finish: str, **_: Any) -> None:
        """Stop a run that is no longer wanted because its campaign was stopped or has died."""
        if Plugin.pool and start == "executing" and finish in {"cancelled", "released"}:
            Plugin.pool.stop(key)

    def teardown(self, worker: Worker) -> None:
        """Stop all runs of the campaign, and end the servers unless another campaign needs them."""
        if self._reporting:
            self._reporting.cancel()
        if Plugin.pool:
            Plugin.pool.stop_all(self.name)
        has_others = any(isinstance(plugin, Plugin) for plugin in worker.plugins.values())
        if Plugin.pool and (not has_others or worker.status is not Status.running):
            Plugin.pool.close()
            Plugin.pool = None

    def slots(self, threads: int) -> Pool:
        """The slots of this process, started if there are none. Raises `ExecutorError`."""
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

    def begin(self, worker: Worker) -> None:
        """Report to the scheduler what the slots do besides running, whenever that changes."""
        self._reporting = asyncio.create_task(self._report(worker))

    async def _report(self, worker: Worker) -> None:
        reported: list[tuple[str, str, float]] = []
        while True:
            await asyncio.sleep(_LOOK_EVERY_S)
            doing = Plugin.pool.aside(self.name) if Plugin.pool else []
            steps = [step for step, _ in doing]
            if steps != reported:
                reported = steps
                facts = [(*step, passed_s) for step, passed_s in doing]
                worker.log_event(self.name, {"worker": worker.address, "aside": facts})


_left: Final[set[str]] = set()
"""The campaigns that ended before they had joined this worker."""


async def join(wanted: Wanted, name: str, dask_worker: Worker) -> dict[str, Any]:
    """Prepare the slots of this worker for a campaign with this name, and give the worker a Dask
    resource of that name, with one unit for each slot.

    Runs require that resource, so Dask gives them to no other worker. Returns `slots`,
    `environment` and `unavailable`, or `refused`, the reason.
    """
    plugin = Plugin(wanted, name)
    if name in _left:
        _left.discard(name)
        return {"refused": "the campaign has ended"}
    await dask_worker.plugin_add(plugin, name=name)
    from_file.admit(wanted.prepare.files)
    try:
        for limit_bytes in wanted.groups:
            MemoryGroup.create(limit_bytes).remove()
        pool = plugin.slots(dask_worker.state.nthreads)
        loop = asyncio.get_running_loop()
        ready = await loop.run_in_executor(None, pool.ready, wanted.prepare)
        refused = wanted.why_refused(ready)
    except NqbenchError as error:
        refused = str(error)
    except BaseException:
        await dask_worker.plugin_remove(name)
        raise
    if refused or dask_worker.plugins.get(name) is not plugin:
        if name in dask_worker.plugins:
            await dask_worker.plugin_remove(name)
        return {"refused": refused or "the campaign has ended"}
    await dask_worker.set_resources(**{name: pool.size})
    # Only a change to running makes Dask look again at runs that no worker could take.
    dask_worker.status = Status.paused
    dask_worker.status = Status.running
    plugin.begin(dask_worker)
    environment = msgspec.to_builtins(ready.environment)
    return {"slots": pool.size, "environment": environment, "unavailable": ready.unavailable}


async def leave(name: str, dask_worker: Worker) -> None:
    """Remove what `join` made, when the runs of the campaign have ended on this worker."""
    if name not in dask_worker.plugins:
        _left.add(name)
        return
    await dask_worker.plugin_remove(name)
    deadline = time.monotonic() + _UNTIL_STOPPED_S
    state = dask_worker.state
    while any(name in (task.resource_restrictions or ()) for task in state.tasks.values()):
        if time.monotonic() > deadline:
            return
        await asyncio.sleep(0.02)
    for quantities in (state.total_resources, state.available_resources):
        quantities.pop(name, None)


def execute(orders: Sequence[bytes], campaign: str) -> list[Measured]:
    """Measure the runs of packed orders on this worker, for a campaign that has joined it. Return
    their packed records, without the last ones if the first ones take too long or are too large.
    """
    worker = get_worker()
    key = str(worker.get_current_task())
    measured: list[Measured] = []
    started = ended = time.monotonic()
    try:
        for order in orders:
            plugin = worker.plugins.get(campaign)
            if plugin is None or Plugin.pool is None:
                raise Stopped
            run = msgspec.msgpack.decode(order, type=Order).run
            record, log = Plugin.pool.execute(key, run, plugin.wanted.prepare)
            before, ended = ended, time.monotonic()
            measured.append((msgspec.msgpack.encode(record), log, ended - before))
            size = sum(len(packed) + len(log or b"") for packed, log, _ in measured)
            if ended - started > 2 * BATCH_S or size > _LARGEST_BATCH:
                break
    except Stopped as event:
        # If the runs are still wanted, this worker is about to end, and another takes them.
        raise Reschedule from event
    return measured


class Call:
    """A call that is made where it is unpickled.

    A task that consists of `pickle.loads` and a packed `Call` passes through schedulers that have
    no nqbench.
    """

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._function = function
        self._arguments = arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return self._function, self._arguments


def packed_call(runs: Sequence[Run], campaign: str) -> bytes:
    """The packed call that measures runs."""
    orders = [msgspec.msgpack.encode(Order.of(run)) for run in runs]
    return pickle.dumps(Call(execute, orders, campaign))
