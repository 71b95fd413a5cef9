"""The options that say when answers are checked, and what a proof may use."""

from dataclasses import dataclass

from nqbench.cli.options.setting_options import options_of
from nqbench.common.limits import Checking, ProofLimits
from nqbench.common.vocabulary import When


@dataclass(frozen=True, slots=True)
class Checks:
    """The values of `checking_options`."""

    proof_time: float | None
    proof_size: int
    check: When | None

    def checking(self, has_budget: bool) -> Checking:
        """When and how the answers of a campaign are checked after their runs."""
        proofs = ProofLimits(self.proof_time, self.proof_size)
        return Checking.within(has_budget, self.check, proofs)


checking_options = options_of(Checks, "checks")
