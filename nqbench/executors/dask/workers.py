"""Keeps track of the workers of a cluster by the events that they send."""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from nqbench.errors import ExecutorError
from nqbench.executors.base import Tell
from nqbench.machine.environment import Environment


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

    @property
    def slots_now(self) -> int:
        """The number of slots of all connected workers."""
        return sum(self.slots.values())

    def note(self, event: dict[str, Any]) -> None:
        """Process an event of Dask. Raises `ExecutorError` if all expected workers are refused."""
        match event:
            case {"worker": worker, "refused": why}:
                self._refuse(worker, why)
            case {"worker": worker, "slots": slots, "environment": facts, "unavailable": missing}:
                self._admit(worker, slots, msgspec.convert(facts, Environment), missing)
            case {"action": "remove-worker", "worker": worker} if worker in self.slots:
                del self.slots[worker]
                self.tell(f"worker {worker} is lost; slots left: {self.slots_now}")

    def _refuse(self, worker: str, why: str) -> None:
        self.tell(f"worker {worker} is not used: {why}")
        self.refused += 1
        if self.refused == self.expected:
            raise ExecutorError("no worker on this machine can be used")

    def _admit(
        self, worker: str, slots: int, environment: Environment, missing: dict[str, str]
    ) -> None:
        if not self.environments:
            for name, reason in missing.items():
                self.tell(f"{name} is unavailable: {reason}")
        self.environments[environment.id] = environment
        self.slots[worker] = slots
        self.most_slots = max(self.most_slots, self.slots_now)
