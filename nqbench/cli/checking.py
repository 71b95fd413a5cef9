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

    check: str

    @property
    def checking(self) -> Checking:
        """When and how answers are checked."""
        return Checking(When(self.check), self.limits)


proof_options = grouped(Proofs, "proofs", *_proof_options)

checking_options = grouped(
    Checks,
    "checks",
    _check(
        "--check",
        type=OneOf(each.value for each in When),
        default=When.NOW.value,
        show_default=True,
        help="later: do not wait for proofs and counts; `nqbench check` makes them.",
    ),
    *_proof_options,
)
