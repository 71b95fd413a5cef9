"""What is asked for beside the workload: on the command line, in a file, or in Python."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from nqbench.limits import Limits, MemoryBy
from nqbench.plan.campaign import Campaign
from nqbench.vocabulary import Task

_OF_LIMITS: Final = {field.name for field in fields(Limits)}


@dataclass(frozen=True, kw_only=True)
class Request:
    """The fields of a `Campaign` and of its `Limits`, as far as somebody stated them; None for the
    others, whose defaults are those of these two classes.
    """

    encodings: Sequence[str] | None = None
    backends: Sequence[str] | None = None
    task: Task | None = None
    repeat: int | None = None
    time_s: float | None = None
    cpu_s: float | None = None
    memory_bytes: int | None = None
    memory_by: MemoryBy | None = None
    shuffle: int | None = None
    seed: int | None = None

    def applied_to(self, campaign: Campaign) -> Campaign:
        """The campaign with what is stated here in place of what it says."""
        stated: dict[str, Any] = {}
        limits: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                (limits if field.name in _OF_LIMITS else stated)[field.name] = value
        return replace(campaign, **stated, limits=replace(campaign.limits, **limits))
