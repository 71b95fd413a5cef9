"""Executes runs on this machine, in fork servers of this process."""

import select
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final, Self

from nqbench.executors.base import Tell, Watch
from nqbench.executors.slot import Slot
from nqbench.limits import Checking
from nqbench.machine.environment import Environment
from nqbench.measure.cache import share_of_memory
from nqbench.measure.messages import Prepare
from nqbench.records.record import Record, Run

_WATCH_EVERY_S: Final = 2.0


class LocalExecutor:
    """Executes runs on `jobs` slots; see `Executor`.

    `runs` are the runs to come, so that their solvers can be imported first. `cpus` lists the CPUs
    to pin each slot to; without it, no slot is pinned. `checking` is when and how the answers are
    checked. `watch` is called every few seconds while no run ends, and `meanwhile` once while the
    servers start: during a run, it would disturb the times.
    """

    def __init__(
        self,
        runs: Iterable[Run],
        jobs: int = 1,
        cpus: Sequence[Sequence[int]] | None = None,
        *,
        tell: Tell = lambda _: None,
        checking: Checking | None = None,
        watch: Watch = lambda _: None,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        self.slots = jobs
        self._prepare = replace(Prepare.of(runs, checking), cache_bytes=share_of_memory(jobs))
        self._cpus = cpus
        self._tell = tell
        self._watch = watch
        self._meanwhile = meanwhile
        self._all: list[Slot] = []
        self._idle: list[Slot] = []
        self.environments: dict[str, Environment] = {}
        self.logs: dict[str, bytes] = {}

    def __enter__(self) -> Self:
        try:
            for job in range(self.slots):
                self._all.append(Slot(self._prepare, self._cpus[job] if self._cpus else ()))
            self._meanwhile()
            for slot in self._all:
                slot.until_ready()
                self.environments[slot.ready.environment.id] = slot.ready.environment
        except BaseException:
            self._close()
            raise
        self._idle = list(self._all)
        for name, reason in self._all[0].ready.unavailable.items():
            self._tell(f"{name} is unavailable: {reason}")
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    @property
    def free(self) -> int:
        """The number of idle slots."""
        return len(self._idle)

    @property
    def running(self) -> list[Run]:
        """The run of each busy slot."""
        return [slot.run for slot in self._all if slot.run]

    def submit(self, run: Run) -> None:
        """Give the run to an idle slot."""
        slot = self._idle.pop()
        slot.begin(run)

    def wait(self) -> list[Record]:
        """Wait for runs to end and return their records, at least one."""
        records: list[Record] = []
        while not records:
            for slot in self._ready():
                if record := slot.look():
                    records.append(record)
                    if slot.log is not None:
                        self.logs[record.run_id] = slot.log
                    self._idle.append(slot)
        return records

    def _ready(self) -> list[Slot]:
        """The slots with a message, or past their deadline; none after a few seconds."""
        busy = [slot for slot in self._all if slot.run]
        left_s = min(slot.deadline for slot in busy) - time.monotonic()
        poll = select.poll()
        for slot in busy:
            poll.register(slot, select.POLLIN)
        told = {
            descriptor for descriptor, _ in poll.poll(min(max(0.0, left_s), _WATCH_EVERY_S) * 1000)
        }
        if not told:
            self._watch([aside for slot in busy if (aside := slot.aside)])
        now = time.monotonic()
        return [slot for slot in busy if slot.fileno() in told or slot.deadline <= now]

    def _close(self) -> None:
        for slot in self._all:
            slot.stop()
        for slot in self._all:
            slot.close()
