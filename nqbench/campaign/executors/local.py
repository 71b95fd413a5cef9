"""Executes runs on this machine, in fork servers of this process."""

import contextlib
import os
import select
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Final, Self

from nqbench.campaign.executors.base import Tell, Watch
from nqbench.campaign.executors.slot import Slot
from nqbench.common.limits import Checking
from nqbench.common.machine.environment import Environment
from nqbench.measure.cache import share_of_memory
from nqbench.measure.wire import Prepare
from nqbench.records.record import Record, Run

_WATCH_EVERY_S: Final = 2.0


class LocalExecutor:
    """Executes runs on `jobs` slots; see `Executor`.

    `runs` are the runs to come, so that their solvers can be imported first. `cpus` lists the CPUs
    to pin each slot to; without it, no slot is pinned. With `ahead`, a job has two slots, which
    take turns: while the worker of one executes its run, the other does all that is not measured
    for the run before and the run after, on the CPUs that are next in the list. `checking` is when
    and how the answers are checked. `watch` is called every few seconds while no run ends, and
    `meanwhile` once while the servers start: during a run, it would disturb the times.

    It may be entered again while it is entered, so that several campaigns share its servers: they
    are stopped when the first `with` ends.
    """

    def __init__(
        self,
        runs: Iterable[Run],
        jobs: int = 1,
        cpus: Sequence[Sequence[int]] | None = None,
        *,
        ahead: bool = False,
        tell: Tell = lambda _: None,
        checking: Checking | None = None,
        watch: Watch = lambda _: None,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        self.slots = jobs
        self.servers = 2 * jobs if ahead else jobs
        cache_bytes = share_of_memory(self.servers)
        self._prepare = replace(Prepare.of(runs, checking), cache_bytes=cache_bytes)
        self._cpus = [list(cpus[at]) if cpus else [] for at in range(self.servers)]
        self._ahead = ahead
        self._files = contextlib.ExitStack()
        self._tell = tell
        self._watch = watch
        self._meanwhile = meanwhile
        self._entered = 0
        self._all: list[Slot] = []
        self._idle: list[Slot] = []
        self._has_instance: dict[Hashable, Slot] = {}
        self.environments: dict[str, Environment] = {}
        self.logs: dict[str, bytes] = {}

    def __enter__(self) -> Self:
        self._entered += 1
        if self._entered > 1:
            return self
        try:
            turns = self._turns()
            for at, cpus in enumerate(self._cpus):
                turn = turns[at % self.slots]
                self._all.append(Slot(replace(self._prepare, turn=turn), cpus))
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
        self._entered -= 1
        if not self._entered:
            self._close()

    @property
    def free(self) -> int:
        """The number of idle slots."""
        return len(self._idle)

    @property
    def running(self) -> list[Run]:
        """The run of each busy slot."""
        return [slot.run for slot in self._all if slot.run]

    def prefers(self, run: Run) -> bool:
        """Whether the slot that is next has the instance of the run, or no slot has it."""
        slot = self._idle[-1]
        return self._has_instance.get(_instance(run), slot) is slot

    def submit(self, run: Run) -> None:
        """Give the run to an idle slot."""
        slot = self._idle.pop()
        self._has_instance[_instance(run)] = slot
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
        left_s = min(map(self._deadline, busy)) - time.monotonic()
        poll = select.poll()
        for slot in busy:
            poll.register(slot, select.POLLIN)
        descriptors = {
            descriptor for descriptor, _ in poll.poll(min(max(0.0, left_s), _WATCH_EVERY_S) * 1000)
        }
        if not descriptors:
            self._watch([aside for slot in busy if (aside := slot.aside)])
        now = time.monotonic()
        ready = [slot for slot in busy if slot.fileno() in descriptors]
        for slot in busy:
            sharing = self._sharing(slot)
            silent = [other for other in sharing if self._deadline(other) <= now]
            if slot not in silent or set(sharing) & set(ready):
                continue
            # Of two that are silent, one waits for the other, which has the turn.
            in_turn = [other for other in silent if other.has_turn]
            ready.append(in_turn[0] if in_turn else min(silent, key=_heard))
        for slot in ready:
            for other in self._sharing(slot):
                # It may have waited for the turn of this one, which shows now that it is alive.
                if other not in ready:
                    other.wait_on()
        return ready

    def _deadline(self, slot: Slot) -> float:
        """When the slot has been silent for too long, also if it has to wait for its turn first."""
        if not slot.may_wait:
            return slot.deadline
        return max(other.deadline for other in self._sharing(slot))

    def _turns(self) -> list[str]:
        """The file by which the slots of each job take turns; empty if it has one slot."""
        if not self._ahead:
            return [""] * self.slots
        # Files in memory, of which nothing is left if this process is killed.
        files = [os.memfd_create(f"turn {job}") for job in range(self.slots)]
        for file in files:
            self._files.callback(os.close, file)
        return [f"/proc/{os.getpid()}/fd/{file}" for file in files]

    def _sharing(self, slot: Slot) -> list[Slot]:
        """The busy slots that take turns with this one, and itself."""
        turn = slot.prepare.turn
        return [
            other
            for other in self._all
            if other is slot or (turn and other.prepare.turn == turn and other.run)
        ]

    def _close(self) -> None:
        for slot in self._all:
            slot.stop()
        for slot in self._all:
            slot.close()
        self._files.close()


def _heard(slot: Slot) -> float:
    return slot.heard


def _instance(run: Run) -> Hashable:
    """What the runs have in common that share an instance."""
    return run.problem, run.encoding, run.limits
