"""What the judge asks of a backend that it does not trust: a model, or a proof of none."""

from typing import Any, BinaryIO, Protocol

from nqbench.clauses.cnf import Assignment
from nqbench.common.vocabulary import Answer


class Answering(Protocol):
    """A solver that holds a formula."""

    def solve(self) -> Answer:
        """Solve the formula."""

    def model(self) -> Assignment:
        """The values after `solve` returned sat, shape (num_variables,)."""


class Proving(Protocol):
    """Which proofs a backend writes."""

    @property
    def proof(self) -> bool:
        """Whether it writes DRAT."""

    @property
    def lrat(self) -> bool:
        """Whether it writes LRAT as well."""

    @property
    def row_proofs(self) -> bool:
        """Whether it writes proofs about rows."""


class Untrusted(Protocol):
    """A backend, as far as the judge needs it. `Backend` says more about each member."""

    name: str

    @property
    def capabilities(self) -> Proving:
        """Which proofs it writes."""

    @property
    def is_bound_by_proof(self) -> bool:
        """Whether a wrong proof refutes its answer."""

    def load(self, instance: Any, /) -> Answering:
        """Return a solver that holds a formula."""

    def prove(self, instance: Any, proof: BinaryIO, /) -> None:
        """Write a proof in DRAT that the formula has no model."""

    def prove_with_hints(self, instance: Any, proof: BinaryIO, /) -> None:
        """The same in binary LRAT. Raises `UnavailableError` first if that is impossible here."""

    def prove_about_rows(self, opb: bytes, proof: BinaryIO, /) -> None:
        """Write a proof in VeriPB's format that the rows of an OPB file have no model, or none with
        a better objective than one that the proof states.
        """
