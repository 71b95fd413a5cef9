"""The options that say when answers are checked, and what a proof may use."""

from dataclasses import dataclass
from typing import Final

from nqbench.cli.grouped import grouped
from nqbench.cli.options import DURATION, SIZE, OneOf
from nqbench.cli.sections import Section, option_in
from nqbench.limits import Checking, ProofLimits
from nqbench.vocabulary import When

_PROOFS: Final = ProofLimits()

_check = option_in(Section.CHECKING)

_proof_options = (
    _check(
        "--proof-time",
        type=DURATION,
        help="Time to find a proof again, and to check it. [4 x the time limit of its run]",
    ),
    _check(
        "--proof-size",
        type=SIZE,
        default=_PROOFS.size_bytes,
        help=f"Largest proof that is checked. [{_PROOFS.size_bytes // 2**30}GiB]",
    ),
)


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

    check: str | None

    def checking(self, has_budget: bool) -> Checking:
        """When and how the answers of a campaign are checked after their runs. With a budget, that
        is later unless the user says otherwise: proofs would take the time of runs.
        """
        usual = When.LATER if has_budget else When.NOW
        return Checking(When(self.check) if self.check else usual, self.limits)


proof_options = grouped(Proofs, "proofs", *_proof_options)

checking_options = grouped(
    Checks,
    "checks",
    _check(
        "--check",
        type=OneOf(each.value for each in When),
        help="later: leave proofs and counts to `nqbench check`. [now, with --budget after all "
        "runs]",
    ),
    *_proof_options,
)
