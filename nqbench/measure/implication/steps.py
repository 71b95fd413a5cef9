"""Whether one of two formulas implies the other, and the steps in which that is shown, each in a
separate process.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from nqbench.checking.evidence import Certifier
from nqbench.checking.proof import NotCheckedError
from nqbench.checking.verify import ProofCheck
from nqbench.clauses.cnf import CNF, Assignment, as_blocks
from nqbench.common.errors import TooManyClausesError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Answer, Outcome
from nqbench.isolate import Isolation
from nqbench.problems.options import Solution


class State(StrEnum):
    """Whether a statement was shown. `open`: neither shown nor refuted."""

    PROVED = "proved"
    REFUTED = "refuted"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Direction:
    """Whether every model is a solution, or every solution has a model.

    `message` says why it is not proved. `witness` refutes it: what the formula allows and the rules
    forbid, or the other way round.
    """

    state: State = State.OPEN
    message: str = ""
    witness: Solution | None = None


@dataclass(frozen=True, slots=True)
class Steps:
    """Makes each step under the limits. The solver that finds proofs and models is that of the
    certifier; neither is believed until it is checked.
    """

    certifier: Certifier
    caller: Isolation
    limits: Limits

    def call(self, doing: str, function: Callable[[], bytes]) -> bytes:
        """What the function returns. Raises `NotCheckedError` if its process does not finish."""
        ending = self.caller.call(doing, function, self.limits)
        if ending.outcome is not Outcome.FINISHED:
            raise NotCheckedError(f"{doing}: {ending.message}")
        return ending.payload

    def state(self, build: Callable[[], CNF | str], doing: str = "stating the claim") -> CNF:
        """The formula that `build` returns. Raises `NotCheckedError` with the words that it returns
        instead, or if the formula would be too large.
        """

        def packed() -> bytes:
            try:
                built = build()
            except TooManyClausesError as error:
                built = str(error)
            return built.encode() if isinstance(built, str) else b"".join(built.pack())

        content = memoryview(self.call(doing, packed))
        if not CNF.is_packed(content):
            raise NotCheckedError(bytes(content).decode(errors="replace"))
        return CNF.unpack(content)

    def prove(self, claim: CNF) -> ProofCheck:
        """Check a proof that the claim has no model."""
        return self.certifier.proof(self.certifier.solver(), claim, self.limits)

    def find_model(self, claim: CNF) -> Assignment | None:
        """A model; None if the solver finds none. Raises `NotCheckedError`."""

        def solve() -> bytes:
            solver = self.certifier.solver().load(claim)
            return solver.model().tobytes() if solver.solve() is Answer.SAT else b""

        values = np.frombuffer(self.call("looking for a counterexample", solve), np.bool_)
        is_model = len(values) == claim.num_variables and claim.falsified(values) is None
        return values if is_model else None

    def has_no_model(self, formula: CNF, literals: Iterable[int] = ()) -> bool:
        """Whether it is proved that the formula has no model in which these literals are true."""
        if units := list(literals):
            formula = formula.with_clauses(np.array(units, np.int32)[:, np.newaxis])
        return self.certifier.decide_formula(formula, self.limits).satisfiable is False

    def is_contradiction(self, clauses: Sequence[Sequence[int]]) -> bool:
        """Whether clauses have no model, as far as the solver finds, in this process."""
        largest = max(abs(literal) for clause in clauses for literal in clause)
        formula = CNF(largest, 0, as_blocks(clauses))
        return self.certifier.solver().load(formula).solve() is Answer.UNSAT
