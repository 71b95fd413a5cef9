"""Executes runs on the workers of a Dask cluster.

Dask schedules runs, transports runs and records, and gives the runs of a lost worker to another
one. This module adds what a campaign needs: a choice of suitable workers, and one record per run.

A call of Dask costs some milliseconds on each side, so short runs go in batches: as many as are
expected to take `BATCH_S` by those before them of the same encoding and backend.
"""

import math
import pickle
import time
from collections import defaultdict, deque
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain
from queue import Empty, SimpleQueue
from typing import Annotated, Any, Final, Self
from uuid import uuid4

import msgspec
from distributed import Client, Future, KilledWorker

from nqbench.addons.dask.cluster import connected, local_cluster, silence
from nqbench.addons.dask.joining import Joining
from nqbench.addons.dask.on_worker import BATCH_S, Measured, Wanted, packed_call
from nqbench.addons.dask.workers import Workers
from nqbench.campaign.executors.base import Tell, Watch
from nqbench.common.errors import ExecutorError
from nqbench.common.limits import Checking
from nqbench.common.machine.environment import Environment
from nqbench.common.printable import printable
from nqbench.measure import validation
from nqbench.records.record import Record, Run

_PATIENCE_S: Final = 5.0
_WATCH_EVERY_S: Final = 2.0
_AHEAD: Final = 3
"""Batches submitted for each slot: one in progress, and two that wait on the worker."""

_MOST_RUNS: Final = 100
"""The most runs of a batch."""

_Batch = Annotated[list[Measured], msgspec.Meta(min_length=1)]


class DaskExecutor:
    """Executes runs on Dask workers; see `Executor`.

    `scheduler` is the address of a running scheduler; without it, `jobs` workers are started on
    this machine. Each run is pinned to `cpus_per_run` cores; with 0, runs are not pinned.
    `checking` is when and how their answers are checked. `watch` is called every few seconds while
    no run ends. Raises `InputError` if there is no scheduler at that address.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        scheduler: str | None,
        *,
        jobs: int = 1,
        cpus_per_run: int = 1,
        tell: Tell = lambda _: None,
        checking: Checking | None = None,
        watch: Watch = lambda _: None,
    ) -> None:
        self._scheduler = scheduler
        self._jobs = jobs
        self._wanted = Wanted.by(runs, cpus_per_run, checking)
        self._tell = tell
        self._watch = watch
        self._name = f"nqbench-{uuid4().hex}"
        self.logs: dict[str, bytes] = {}
        self._submitted: list[Run] = []
        self._suspects: deque[Run] = deque()
        self._suspected: set[str] = set()
        self._pending: dict[Future, list[Run]] = {}
        # Of each combination, how many runs have ended, and how long they took.
        self._ended: defaultdict[tuple[str, str], tuple[int, float]] = defaultdict(lambda: (0, 0.0))
        self._expected: dict[str, float] = {}
        self._load_s = 0.0
        self._inbox: SimpleQueue[Future | dict[str, Any]] = SimpleQueue()
        self._workers = Workers(jobs if scheduler is None else None, tell)
        self._joining: Joining | None = None
        self._scheduler_id = ""
        self._cluster: Any = None
        self._exits = ExitStack()

    def __enter__(self) -> Self:
        silence()
        try:
            self._client = self._exits.enter_context(self._connected())
            self._scheduler_id = self._client.scheduler_info()["id"]
            self._joining = Joining(self._client, self._wanted, self._name, self._inbox.put)
            for topic in ("all", self._name):
                self._client.subscribe_topic(topic, self._put_event)
            # Those that come later are events.
            for worker in self._client.nthreads():
                self._joining.ask(worker)
            self._wait_for_a_worker()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._joining and not self._is_lost():
            self._client.cancel(list(self._pending), force=True)
            self._client.unsubscribe_topic("all")
            self._joining.end()
        self._exits.close()

    @property
    def slots(self) -> int:
        """The largest number of slots so far."""
        return self._workers.most_slots

    @property
    def environments(self) -> dict[str, Environment]:
        """Where runs were measured, by the environment id in their records."""
        return self._workers.environments

    @property
    def free(self) -> int:
        """1 while there is room for more batches than there are slots, and for one run if all
        workers are lost.
        """
        if self._suspects:
            return 0
        room_s = BATCH_S * max(_AHEAD * self._workers.slots_now, 1)
        # A batch is begun if there is room for a whole one, and then filled.
        return int(self._load_s < room_s - (0.0 if self._submitted else 0.99 * BATCH_S))

    @property
    def running(self) -> list[Run]:
        """The submitted runs, including those that wait for a slot."""
        return [*chain.from_iterable(self._pending.values()), *self._submitted, *self._suspects]

    def prefers(self, run: Run) -> bool:  # noqa: ARG002
        """True: Dask decides which worker executes a run."""
        return True

    def submit(self, run: Run) -> None:
        """Have Dask execute the run on a suitable worker; sent with the next `wait`."""
        self._submitted.append(run)
        runs, spent_s = self._ended[run.encoding, run.backend]
        # Two limits keep what waits on a worker short: its time, and the number of runs.
        expected_s = spent_s / runs if runs else BATCH_S
        self._expected[run.id] = min(max(expected_s, BATCH_S / _MOST_RUNS), BATCH_S)
        self._load_s += self._expected[run.id]

    def wait(self) -> list[Record]:
        """Wait for runs to end and return their records; return none if more runs can be submitted.

        Raises `ExecutorError` if the scheduler is lost.
        """
        self._send()
        ended: list[Future] = []
        while not ended:
            ended += self._note(self._next())
            while not self._inbox.empty():
                ended += self._note(self._inbox.get())
            if self.free > 0:
                break
        records = self._records(ended)
        for record in records:
            self._load_s -= self._expected.pop(record.run_id)
        return records

    def _records(self, ended: list[Future]) -> list[Record]:
        # Read once: a status changes whenever a worker dies.
        statuses = [(future, future.status) for future in ended]
        results = self._gathered([future for future, status in statuses if status == "finished"])
        records: list[Record] = []
        for future, status in statuses:
            runs = self._pending.pop(future)
            if status in ("error", "cancelled") or results.get(future, ()) is None:
                records += self._failed(future, runs)
            elif future in results:
                records += self._admit_results(runs, results[future])
            else:
                # Its worker died, with the records, before these were gathered.
                self._submitted += runs
        return records

    def _gathered(self, finished: list[Future]) -> dict[Future, object]:
        """The results of runs. None for one that is lost at this moment, and fails if repeated.
        Empty if they do not arrive: Dask may be waiting for a worker that has not joined yet.
        """
        if not finished:
            return {}
        results = {f.key: f for f in finished}

        async def gathered() -> dict[str, object]:
            answers: dict[str, object] = await self._client.gather(
                results, errors="skip", asynchronous=True
            )
            return answers

        try:
            by_key = self._client.sync(gathered, callback_timeout=_PATIENCE_S)
        except TimeoutError:
            return {}
        except OSError as error:
            raise self._lost() from error
        return {future: by_key[future.key] for future in finished}

    def _next(self) -> Future | dict[str, Any]:
        """Wait for the next event. Raises `ExecutorError` if the scheduler is lost.

        Dask restarts a lost worker, but not one that is lost while it starts. For workers on this
        machine, ask for the restart from time to time.
        """
        asked_at = time.monotonic()
        while True:
            try:
                return self._inbox.get(timeout=_WATCH_EVERY_S)
            except Empty:
                self._look()
                self._watch(self._workers.doing(chain.from_iterable(self._pending.values())))
            if self._cluster and time.monotonic() - asked_at >= _PATIENCE_S:
                asked_at = time.monotonic()
                self._cluster.scale(self._jobs)

    def _look(self) -> None:
        """Raise `ExecutorError` if the scheduler is lost."""
        if self._is_lost():
            raise self._lost()

    def _is_lost(self) -> bool:
        """Whether the scheduler has ended, even if another one has started at its address."""
        if self._client.status != "running":
            return True
        try:
            return bool(self._client.scheduler_info()["id"] != self._scheduler_id)
        except (OSError, RuntimeError, KeyError):
            return True

    def _send(self) -> None:
        """Give Dask the submitted runs in one call, since each call costs a millisecond. Give it
        suspects one at a time, when nothing else is in progress.
        """
        if self._suspects and not self._pending and not self._submitted:
            self._submitted.append(self._suspects.popleft())
        if not self._submitted:
            return
        batches = self._batches()
        futures = self._client.map(
            pickle.loads,
            [packed_call(runs, self._name) for runs in batches],
            key=[f"{self._name}-{uuid4().hex}" for _ in batches],
            resources={self._name: 1},
            pure=False,
        )
        for future, runs in zip(futures, batches, strict=True):
            self._pending[future] = runs
            future.add_done_callback(self._inbox.put)
        self._submitted.clear()

    def _batches(self) -> list[list[Run]]:
        """The submitted runs, in batches of about `BATCH_S`."""
        batches: list[list[Run]] = []
        expected_s = math.inf
        for run in self._submitted:
            if expected_s > 0.999 * BATCH_S:
                batches.append([])
                expected_s = 0.0
            batches[-1].append(run)
            expected_s += self._expected[run.id]
        return batches

    def _connected(self) -> Client:
        if self._scheduler is not None:
            return connected(self._scheduler)
        self._cluster = self._exits.enter_context(local_cluster(self._jobs))
        return Client(self._cluster, set_as_default=False)

    def _wait_for_a_worker(self) -> None:
        started, has_told = time.monotonic(), False
        while not self._workers.slots:
            try:
                self._note(self._inbox.get(timeout=min(_PATIENCE_S, _WATCH_EVERY_S)))
            except Empty:
                self._look()
            if not has_told and time.monotonic() - started >= _PATIENCE_S:
                has_told = True
                self._tell("no worker is ready yet: waiting for one")

    def _put_event(self, event: tuple[float, dict[str, Any]]) -> None:
        # Others, such as those of the calls of this executor, must not wake it.
        match event[1]:
            case {"action": "add-worker" | "remove-worker"} | {"aside": _}:
                self._inbox.put(event[1])

    def _note(self, item: Future | dict[str, Any]) -> list[Future]:
        """Process an event; return the future of a run if it has ended."""
        if isinstance(item, Future):
            return [item] if item in self._pending else []
        assert self._joining is not None
        match item:
            case {"action": "add-worker", "worker": worker}:
                self._joining.ask(worker)
            case {"action": "remove-worker", "worker": worker}:
                self._joining.lose(worker)
            case {"worker": worker, "joined": _} if not self._joining.knows(worker):
                return []  # lost in the meantime
        self._workers.note(item)
        return []

    def _admit_results(self, runs: list[Run], results: object) -> list[Record]:
        """The records of the first of these runs; the worker left the others for another batch."""
        try:
            measured = msgspec.convert(
                results, Annotated[list[Measured], msgspec.Meta(min_length=1)]
            )
        except msgspec.ValidationError as error:
            why = printable(f"a worker reported no record: {error}")
            return [replace(Record.of(run, ""), message=why) for run in runs]
        self._submitted += runs[len(measured) :]
        return [self._admit_result(run, one) for run, one in zip(runs, measured, strict=False)]

    def _admit_result(self, run: Run, measured: Measured) -> Record:
        packed, log, spent_s = measured
        unfinished = Record.of(run, "")
        try:
            record = msgspec.msgpack.decode(packed, type=Record)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            return replace(unfinished, message=printable(f"a worker reported no record: {error}"))
        flaw = validation.flaw_of_record(record, unfinished)
        if log is not None:
            flaw = flaw or validation.flaw_of_log(log, run)
        if flaw:
            return replace(unfinished, message=printable(f"a worker reported {flaw}"))
        if log is not None:
            self.logs[run.id] = log
        runs, before_s = self._ended[run.encoding, run.backend]
        self._ended[run.encoding, run.backend] = runs + 1, before_s + spent_s
        return record

    def _failed(self, future: Future, runs: list[Run]) -> list[Record]:
        """Return the records of runs that Dask gave up, because workers died running them or could
        not run them. Those that are only suspected are tried again alone: a run that kills its
        worker also makes the runs fail that wait there.
        """
        if future.status == "cancelled":
            raise self._lost()
        error = future.exception()
        why = str(error).partition("\n")[0]
        if isinstance(error, KilledWorker):
            why = "several workers in a row died running it"
        records = []
        for run in runs:
            is_suspected = isinstance(error, KilledWorker) or len(runs) > 1
            if is_suspected and run.id not in self._suspected:
                self._suspected.add(run.id)
                self._suspects.append(run)
            else:
                message = printable(f"given up: {why}")
                records.append(replace(Record.of(run, ""), message=message))
        return records

    def _lost(self) -> ExecutorError:
        return ExecutorError(
            f"the scheduler {self._client.scheduler.address} is lost; what was finished is "
            "recorded, and the same command continues from there"
        )
