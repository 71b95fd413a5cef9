"""Keeps track of the workers of a cluster by the events that arrive."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from nqbench.addons.dask.joining import Joined
from nqbench.campaign.executors.base import Tell
from nqbench.campaign.executors.slot import aside
from nqbench.common.errors import ExecutorError
from nqbench.common.machine.environment import Environment
from nqbench.records.record import Run

_Steps = list[tuple[str, str, float, float]]
"""Of each: the id of the run, what is done, how many seconds it may take, how many have passed."""


@dataclass
class Workers:
    """The workers that are prepared for a campaign, with their slots and environments.

    `expected` is the number of workers to come, if known. `tell` is called with a line on each
    worker that is refused or lost, and on what is unavailable.
    """

    expected: int | None
    tell: Tell
    slots: dict[str, int] = field(default_factory=dict)
    most_slots: int = 0
    environments: dict[str, Environment] = field(default_factory=dict)
    refused: int = 0
    _doing: dict[str, tuple[float, _Steps]] = field(default_factory=dict)

    @property
    def slots_now(self) -> int:
        """The number of slots of all connected workers."""
        return sum(self.slots.values())

    def doing(self, runs: Iterable[Run]) -> list[str]:
        """What the workers do for these runs besides running them, and for how long."""
        by_id, now = {run.id: run for run in runs}, time.monotonic()
        return [
            aside(by_id[run_id], doing, passed_s + now - since, limit_s)
            for since, steps in self._doing.values()
            for run_id, doing, limit_s, passed_s in steps
            if run_id in by_id
        ]

    def note(self, event: dict[str, Any]) -> None:
        """Process an event. Raises `ExecutorError` if all expected workers are refused."""
        match event:
            case {"worker": worker, "refused": why}:
                self._refuse(worker, why)
            case {"worker": worker, "joined": Joined() as joined}:
                self._admit(worker, joined)
            case {"worker": worker, "aside": steps} if worker in self.slots:
                self._doing[worker] = time.monotonic(), msgspec.convert(steps, _Steps)
            case {"action": "remove-worker", "worker": worker} if worker in self.slots:
                del self.slots[worker]
                self._doing.pop(worker, None)
                self.tell(f"worker {worker} is lost; slots left: {self.slots_now}")

    def _refuse(self, worker: str, why: str) -> None:
        self.tell(f"worker {worker} is not used: {why}")
        self.refused += 1
        if self.refused == self.expected:
            raise ExecutorError("no worker on this machine can be used")

    def _admit(self, worker: str, joined: Joined) -> None:
        if not self.environments:
            for name, reason in joined.unavailable.items():
                self.tell(f"{name} is unavailable: {reason}")
        self.environments[joined.environment.id] = joined.environment
        self.slots[worker] = joined.slots
        self.most_slots = max(self.most_slots, self.slots_now)
