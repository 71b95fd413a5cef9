"""The options that say what a proof may use."""

from dataclasses import dataclass

from nqbench.cli.options.setting_options import options_of
from nqbench.common.limits import ProofLimits
from nqbench.records import settings


@dataclass(frozen=True, slots=True)
class Proofs:
    """The values of `proof_options`."""

    proof_time: float | None
    proof_size: int

    @property
    def limits(self) -> ProofLimits:
        """The limits of each proof."""
        return ProofLimits(self.proof_time, self.proof_size)


proof_options = options_of(Proofs, "proofs", settings.of(Proofs))
