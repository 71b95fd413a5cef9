"""What the workers of a cluster tell of themselves, and which of them are there."""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from nqbench.errors import ExecutorError
from nqbench.executors.base import Tell
from nqbench.machine.environment import Environment


@dataclass
class Workers:
    """Those that were prepared for a campaign: their slots, and where they are.

    `expected` is how many there will be, if that is known; `tell` gets a line on each that is
    refused or lost, and on what they lack.
    """

    expected: int | None
    tell: Tell
    slots: dict[str, int] = field(default_factory=dict)
    most_slots: int = 0
    environments: dict[str, Environment] = field(default_factory=dict)
    refused: int = 0

    @property
    def slots_now(self) -> int:
        """The slots of all workers that are there."""
        return sum(self.slots.values())

    def note(self, event: dict[str, Any]) -> None:
        """Take in an event of Dask. Raises `ExecutorError` if no worker is left that will do."""
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
