"""The parent of a campaign: gives each free slot its next run and hands back the records."""

import os
import selectors
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Final, Self

from nqbench.environment import Environment
from nqbench.errors import NqbenchError
from nqbench.record import Record, Run
from nqbench.schedule import Schedule
from nqbench.server import Prepare, Ready
from nqbench.vocabulary import Outcome
from nqbench.wire import Closed, Wire

_STOP_S: Final = 5.0
# A fork copies one thread only: the linear algebra behind NumPy must not start any of its own.
_SINGLE_THREADED: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class Runner:
    """Executes the runs of a schedule on `jobs` slots, each a fork server of its own.

    `cpus` has the processors that each slot is pinned to; without it, none is pinned. A context
    manager: on leaving it, in whatever way, the runs under way are killed. Raises `NqbenchError` if
    a server cannot be started.
    """

    def __init__(
        self, schedule: Schedule, jobs: int = 1, cpus: Sequence[Sequence[int]] | None = None
    ) -> None:
        self._schedule = schedule
        self._jobs = min(jobs, len(schedule))
        self._cpus = cpus
        runs = list(schedule.waiting)
        self._prepare = Prepare(
            encodings=sorted({run.encoding for run in runs}),
            backends=sorted({run.backend for run in runs}),
            cpus=[],
        )
        self._slots: list[_Slot] = []
        self._skipped: deque[Record] = deque()

    def __enter__(self) -> Self:
        try:
            for job in range(self._jobs):
                cpus = list(self._cpus[job]) if self._cpus else []
                self._slots.append(_Slot(replace(self._prepare, cpus=cpus)))
            for slot in self._slots:
                slot.until_ready()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    @property
    def environments(self) -> list[Environment]:
        """Where the runs are measured, one for each slot."""
        return [slot.ready.environment for slot in self._slots]

    @property
    def unavailable(self) -> dict[str, str]:
        """The encodings and backends that do not work here, and why."""
        return {name: why for slot in self._slots for name, why in slot.ready.unavailable.items()}

    @property
    def running(self) -> list[Run]:
        """The runs under way."""
        return [slot.run for slot in self._slots if slot.run]

    def records(self) -> Iterator[Record]:
        """Yield each record as its run ends, and those of runs that are skipped."""
        with selectors.DefaultSelector() as selector:
            for slot in self._slots:
                self._feed(slot)
                selector.register(slot.wire, selectors.EVENT_READ, slot)
            while self.running:
                for key, _ in selector.select():
                    slot = key.data
                    try:
                        record = slot.wire.receive(Record)
                    except Closed:
                        record = slot.lost()
                        selector.unregister(key.fileobj)
                        slot.restart()
                        selector.register(slot.wire, selectors.EVENT_READ, slot)
                    self._schedule.note(record)
                    self._feed(slot)
                    yield record
                while self._skipped:
                    yield self._skipped.popleft()
            yield from self._skipped

    def _feed(self, slot: "_Slot") -> None:
        skipped, slot.run = self._schedule.take()
        for run in skipped:
            record = Record.of(run, slot.ready.environment.id)
            why = self._schedule.why_skipped(run)
            self._skipped.append(replace(record, outcome=Outcome.SKIPPED, message=why))
        if slot.run:
            slot.wire.send(slot.run)

    def _close(self) -> None:
        for slot in self._slots:
            slot.wire.close()
        for slot in self._slots:
            slot.stop()


class _Slot:
    """One fork server, and the run that it is busy with."""

    def __init__(self, prepare: Prepare) -> None:
        self._prepare = prepare
        self.run: Run | None = None
        self.ready: Ready
        self._start()

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "nqbench.server", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=os.environ | _SINGLE_THREADED,
                # Ctrl-C is for the runner, which decides what becomes of its servers.
                start_new_session=True,
            )
        self.wire = Wire(ours)
        self.wire.send(self._prepare)

    def until_ready(self) -> None:
        """Wait until the server has imported what it needs."""
        try:
            self.ready = self.wire.receive(Ready)
        except Closed as error:
            raise NqbenchError("a fork server ended before its first run") from error

    def lost(self) -> Record:
        """The record of the run that was under way when the server died."""
        assert self.run is not None
        status = self._process.wait()
        record = Record.of(self.run, self.ready.environment.id)
        return replace(record, message=f"the fork server died with status {status}")

    def restart(self) -> None:
        self.wire.close()
        self._start()
        self.until_ready()

    def stop(self) -> None:
        """Wait for the server, which ends when its socket does."""
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
