"""The settings of a campaign besides its workload, from the command line, a file, or Python."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from nqbench.campaign.combinations import without_all
from nqbench.campaign.grid import Campaign
from nqbench.limits import Limits, MemoryBy
from nqbench.vocabulary import Task

_OF_LIMITS: Final = {field.name for field in fields(Limits)}


@dataclass(frozen=True, kw_only=True)
class Request:
    """The fields of a `Campaign` and of its `Limits` that the user has set. The others are None and
    keep the defaults of these two classes.
    """

    encodings: Sequence[str] | None = None
    backends: Sequence[str] | None = None
    task: Task | None = None
    repeat: int | None = None
    seeds: int | None = None
    time_s: float | None = None
    cpu_s: float | None = None
    conflicts: int | None = None
    propagations: int | None = None
    memory_bytes: int | None = None
    memory_by: MemoryBy | None = None
    shuffle: int | None = None
    seed: int | None = None
    keep_output: bool | None = None
    measures: Sequence[str] | None = None

    def without_all(self, campaign: Campaign) -> tuple["Request", dict[str, str]]:
        """The same with the names that `all` stands for in this campaign, and for each backend that
        it leaves out, the reason.
        """
        planned = replace(self, encodings=None, backends=None).applied_to(campaign)
        encodings, backends, left_out = without_all(
            self.encodings, self.backends, planned.problems, planned.task, planned.limits
        )
        return replace(self, encodings=encodings, backends=backends), left_out

    def applied_to(self, campaign: Campaign) -> Campaign:
        """A copy of the campaign with the fields that are set here."""
        stated: dict[str, Any] = {}
        limits: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                (limits if field.name in _OF_LIMITS else stated)[field.name] = value
        return replace(campaign, **stated, limits=replace(campaign.limits, **limits))
