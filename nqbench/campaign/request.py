"""The settings of a campaign besides its workload, from the command line, a file, or Python."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nqbench.campaign.combinations import without_all
from nqbench.campaign.grid import Campaign
from nqbench.common.errors import InputError
from nqbench.records import settings


@dataclass(frozen=True)
class Request:
    """The settings that the user has given, by the fields of `Campaign` and `Limits` that they set.
    The other fields keep what a campaign says.
    """

    stated: Mapping[str, Any]

    @classmethod
    def of(cls, **values: Any) -> "Request":
        """The request with these values; None means that one is not given."""
        return cls({field: value for field, value in values.items() if value is not None})

    @property
    def encodings(self) -> Sequence[str] | None:
        """The encodings, of which one may be 'all'; None if none is given."""
        return self.stated.get("encodings")

    @property
    def backends(self) -> Sequence[str] | None:
        """The backends, of which one may be 'all'; None if none is given."""
        return self.stated.get("backends")

    @property
    def seed(self) -> int:
        """The seed of random problems."""
        return int(self.stated.get("seed", settings.BY_NAME["seed"].default))

    def without_all(self, campaign: Campaign) -> tuple["Request", dict[str, str]]:
        """The same with the names that `all` stands for in this campaign, and for each backend that
        it leaves out, the reason.
        """
        other_settings = {
            k: v for k, v in self.stated.items() if k not in {"encodings", "backends"}
        }
        planned = Request(other_settings).applied_to(campaign)
        encodings, backends, left_out = without_all(
            campaign.encodings if self.encodings is None else self.encodings,
            campaign.backends if self.backends is None else self.backends,
            planned.problems,
            planned.task,
            limits=planned.limits,
            seeds=planned.seeds,
        )
        return Request.of(**other_settings, encodings=encodings, backends=backends), left_out

    def applied_to(self, campaign: Campaign) -> Campaign:
        """A copy of the campaign with the fields that are set here. Raises `InputError` for repeats
        besides seeds, which would replace them.
        """
        if "repeat" in self.stated and (self.stated.get("seeds") or campaign.seeds):
            raise InputError(
                "`seeds` is a number of repeats, each with another seed: leave out `repeat`"
            )
        values: dict[str, Any] = {}
        limits: dict[str, Any] = {}
        for setting in settings.OF_CAMPAIGNS:
            if setting.sets in self.stated:
                into = limits if setting.is_limit else values
                into[setting.sets] = self.stated[setting.sets]
        return replace(campaign, **values, limits=replace(campaign.limits, **limits))


@dataclass(frozen=True, slots=True)
class Reuse:
    """Which recorded runs count: none if `fresh`; not those that failed if `retry_failed`; those
    that were only imported if `reuse_imported`.
    """

    fresh: bool = False
    retry_failed: bool = False
    reuse_imported: bool = False
