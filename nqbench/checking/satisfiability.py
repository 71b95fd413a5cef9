"""Decides whether a problem or a formula is satisfiable, and counts solutions, trusting no solver.

A problem is decided by a theorem of its family; by exhaustive search, if it is small enough; or by
a checked answer to its rules, written as clauses. A formula is decided by a model that satisfies
it, or by a checked proof. Nothing is kept here: see `evidence`.

Proofs and searches can take long or crash, and rules may be those of a plugin, so each runs in a
separate process, under limits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec
import numpy as np

from nqbench.checking import automorphisms, exhaustive, reference
from nqbench.checking.oracle import OutOfBudget
from nqbench.checking.proving import Prover
from nqbench.checking.statement import Statement
from nqbench.checking.verify import Knowledge, ProofState, broken_rule
from nqbench.clauses.cnf import CNF, Assignment
from nqbench.common.limits import Limits, PatientLimits
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome
from nqbench.isolate import Isolation
from nqbench.problems.base import Problem

if TYPE_CHECKING:
    from nqbench.checking.solver import Untrusted

T = TypeVar("T")

ORACLE_BUDGET: Final = 1 << 27
"""Partial placements to look at; enough for the empty board up to n = 15."""

_RIGHT: Final = "right"
_QUICK_LIMITS: Final = PatientLimits(time_s=10.0)
_ORACLE_LIMITS: Final = PatientLimits(time_s=120.0)


@dataclass(frozen=True, slots=True)
class Decider:
    """Decides problems and formulas. `solver` loads the backend that is asked; its answers are
    checked.
    """

    solver: Callable[[], Untrusted]
    caller: Isolation
    prover: Prover

    def decide_formula(
        self,
        cnf: CNF,
        limits: Limits,
        flaw: Callable[[Assignment], str | None] | None = None,
    ) -> Knowledge:
        """Whether a formula has a model: by a checked proof, or by a model without a `flaw`: by
        default, one that breaks no clause.
        """
        knowledge = self._ask_solver(cnf, limits, flaw or cnf.broken_by, CheckedBy.CLAUSES)
        about = f"proof by {self.solver().name} not checked"
        return replace(knowledge, message=knowledge.message.replace("proof not checked", about, 1))

    def decide_problem(self, problem: Problem, statement: Statement, limits: Limits) -> Knowledge:
        """Whether a problem has a solution. `statement` is what its family says of it."""
        if statement.satisfiable is not None:
            return Knowledge(statement.satisfiable, CheckedBy.THEOREM)
        # The cheapest evidence first. Budgets are computed in the process that searches, since that
        # may read the options of a plugin.
        answer = self._search(problem, lambda: exhaustive.quick_budget(problem), _QUICK_LIMITS)
        if answer is not None:
            return Knowledge(answer, CheckedBy.ORACLE)
        about, packed = self._state_rules(problem, statement, limits)
        if not packed:
            return Knowledge(None, message=about)
        cnf = CNF.unpack(memoryview(packed))
        knowledge = self._decide_rules(problem, statement.checked_by, about, cnf, limits)
        if knowledge.satisfiable is not None:
            return knowledge
        answer = self._search(problem, lambda: ORACLE_BUDGET, _ORACLE_LIMITS)
        return knowledge if answer is None else Knowledge(answer, CheckedBy.ORACLE)

    def count_solutions(self, problem: Problem) -> int | None:
        """The number of solutions, by exhaustive search; None if there are too many to count."""
        return self._ask_oracle(
            problem, exhaustive.count, int, lambda: ORACLE_BUDGET, _ORACLE_LIMITS
        )

    def _search(self, problem: Problem, budget: Callable[[], int], limits: Limits) -> bool | None:
        return self._ask_oracle(problem, exhaustive.has_solution, bool, budget, limits)

    def _state_rules(
        self, problem: Problem, statement: Statement, limits: Limits
    ) -> tuple[str, bytes]:
        """What the formula of the rules is about and its bytes; or why there is none, and no bytes.
        The symmetries are not used if they cannot be checked.
        """
        for state in (_rules_with_symmetries, _rules_as_clauses):
            ending = self.caller.call(
                "stating the rules",
                partial(_pack, state, problem),
                self.prover.proof_limits(limits),
            )
            if ending.outcome is Outcome.FINISHED:
                return msgspec.msgpack.decode(ending.payload, type=tuple[str, bytes])
        return f"the rules of {statement} are not stated: {ending.message}", b""

    def _decide_rules(
        self, problem: Problem, source: CheckedBy, about: str, cnf: CNF, limits: Limits
    ) -> Knowledge:
        """What is known by a checked answer to the rules, written as clauses."""

        def flaw(model: Assignment) -> str | None:
            options = problem.options
            positions = np.flatnonzero(model[: len(options)]).tolist()
            return broken_rule(problem, tuple(options[at] for at in positions))

        knowledge = self._ask_solver(cnf, limits, flaw, source)
        if knowledge.satisfiable is False:
            return replace(knowledge, message=f"by {self.solver().name} on {about}")
        unchecked = f"proof about {about} not checked"
        return replace(
            knowledge, message=knowledge.message.replace("proof not checked", unchecked, 1)
        )

    def _ask_solver(
        self,
        cnf: CNF,
        limits: Limits,
        flaw: Callable[[Assignment], str | None],
        source: CheckedBy,
    ) -> Knowledge:
        """Whether the formula has a model: by a checked proof, or by a model without a `flaw`, as
        `source` shows.
        """
        proved = self.prover.proof(self.solver(), cnf, limits)
        if proved.state is ProofState.CHECKED:
            return Knowledge(False, CheckedBy.PROOF)
        if self.prover.is_over:
            return Knowledge(None, message=proved.message)

        def find_model() -> bytes:
            solver = self.solver().load(cnf)
            if solver.solve() is not Answer.SAT:
                return proved.message.encode()
            return (flaw(solver.model()) or _RIGHT).encode()

        ending = self.caller.call("judging", find_model, self.prover.proof_limits(limits))
        message = ending.payload.decode(errors="replace")
        if ending.outcome is not Outcome.FINISHED:
            message = f"proof not checked: {ending.message}"
        return Knowledge(True, source) if message == _RIGHT else Knowledge(None, message=message)

    def _ask_oracle(
        self,
        problem: Problem,
        ask: Callable[[Problem, int], T],
        kind: type[T],
        budget: Callable[[], int],
        limits: Limits,
    ) -> T | None:
        def search() -> bytes:
            if not exhaustive.is_possible(problem):
                return msgspec.msgpack.encode(None)
            try:
                return msgspec.msgpack.encode(ask(problem, budget()))
            except OutOfBudget:
                return msgspec.msgpack.encode(None)

        ending = self.caller.call("counting solutions", search, limits)
        if ending.outcome is not Outcome.FINISHED:
            return None
        answer: T | None = msgspec.msgpack.decode(ending.payload, type=kind | None)
        return answer


def _pack(state: Callable[[Problem], tuple[str, CNF | None]], problem: Problem) -> bytes:
    about, cnf = state(problem)
    return msgspec.msgpack.encode((about, b"".join(cnf.pack()) if cnf else b""))


def _rules_as_clauses(problem: Problem) -> tuple[str, CNF | None]:
    """What the formula of the rules is about and the formula, or why there is none."""
    rules = reference.rules(problem)
    return ("the rules", reference.clauses(rules)) if rules else (reference.why_none(problem), None)


def _rules_with_symmetries(problem: Problem) -> tuple[str, CNF | None]:
    """The same, with the solutions that the symmetries keep, if these are symmetries of the rules:
    only then is one of each class left.
    """
    about, cnf = _rules_as_clauses(problem)
    rules = reference.rules(problem)
    if cnf is None or rules is None or not problem.has_symmetries:
        return about, cnf
    leader = problem.lex_leader()
    if automorphisms.flaw(rules, leader) is not None:
        return about, cnf
    restricted = automorphisms.add_lex_leaders(cnf, leader, cnf.num_variables)
    return f"{about} and their symmetries", restricted
