"""The options that say when answers are checked, and what a proof may use."""

from dataclasses import dataclass

from nqbench.cli.options.setting_options import options_of
from nqbench.common.limits import Checking, ProofLimits
from nqbench.common.vocabulary import When


@dataclass(frozen=True, slots=True)
class Proofs:
    """The values of `proof_options`."""

    proof_time: float | None
    proof_size: int

    @property
    def limits(self) -> ProofLimits:
        """The limits of each proof."""
        return ProofLimits(self.proof_time, self.proof_size)


@dataclass(frozen=True, slots=True)
class Checks(Proofs):
    """The values of `checking_options`."""

    check: When | None

    def checking(self, has_budget: bool) -> Checking:
        """When and how the answers of a campaign are checked after their runs."""
        return Checking.within(has_budget, self.check, self.limits)


checking_options = options_of(Checks, "checks")
