"""Proves that every model of a formula is a solution, and that every solution has a model: that the
formula is equivalent to the reference, which is the rules of the problem as clauses.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import msgspec
import numpy as np

from nqbench.certificates import pigeonhole_proof
from nqbench.checking import automorphisms, reference
from nqbench.checking.evidence import Certifier
from nqbench.checking.verify import ProofState, Readout, check_sat
from nqbench.clauses.cnf import CNF, Assignment, CNFBuilder
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Answer, Outcome, Verdict
from nqbench.implication import definability, elimination, implications
from nqbench.implication.direction import Direction, State
from nqbench.implication.implications import Subject
from nqbench.isolate import Caller
from nqbench.problems.base import Problem
from nqbench.problems.options import Solution
from nqbench.problems.queens import Queens

_COUNTED: Final = "the rules are too many clauses, and the formula does not start with the options"
_TOO_LARGE: Final = "the functions for the auxiliary variables are too large"


class _StepError(Exception):
    """A step did not finish; the message says why."""


@dataclass(frozen=True, slots=True)
class Directions:
    """Both directions, for the formula of one encoding on one problem.

    `original` is the encoding's formula, and `subject` the same with the options in front. `decode`
    returns the solution of a model of `original`, which shows its options by `readout`. Each step
    runs in a separate process under the limits. `is_counted`: the reference has other variables
    than the options. `keeps_half`: the encoding keeps solutions of a board with the queen of the
    first row in the left half.
    """

    problem: Problem
    decode: Callable[[Assignment], Solution]
    readout: Readout
    original: CNF
    subject: Subject
    caller: Caller
    certifier: Certifier
    limits: Limits
    is_counted: bool
    has_symmetries: bool = False
    breaks_symmetry: bool = False
    keeps_half: bool = False

    def only_solutions(self) -> Direction:
        """Prove that the formula implies every clause of the reference; otherwise, show what the
        formula allows.
        """
        if self.is_counted:
            return Direction(message=_COUNTED)
        formula = self.subject.formula

        def claim() -> CNF:
            return implications.implies(formula, essential(self.problem, formula))

        return self._prove(claim, self._wrongly_allowed)

    def every_solution(self) -> Direction:
        """Prove that every solution of the reference extends to a model, or if the problem has
        symmetries, which are checked before, each that they keep; otherwise, show which the formula
        forbids.
        """
        if self.is_counted:
            return Direction(message=_COUNTED)
        if self.breaks_symmetry and not (self.has_symmetries or self.keeps_half):
            return Direction(message="it breaks symmetry in its own way")

        def claim() -> CNF | None:
            subject = self.subject
            premise = self._kept_solutions(subject.formula.num_variables)
            determined, parts = definability.find_definitions(
                subject.formula.clauses(), subject.undefined, self._is_contradiction
            )
            defined = {abs(definition.literal) for definition in determined}
            undefined = [variable for variable in subject.undefined if variable not in defined]
            try:
                eliminated = elimination.definitions(dict.fromkeys(parts), undefined)
            except elimination.TooLarge:
                return None
            # Each definition may use only variables that are defined before it: see `extends`.
            definitions = [*subject.defined, *determined, *eliminated]
            return implications.extends(premise, definitions, subject, parts)

        return self._prove(claim, self._wrongly_forbidden)

    def _kept_solutions(self, after: int) -> CNF:
        """The reference; for the solutions that the problem's symmetries keep, with new variables
        after this one; or with the queen of the first row in the left half.
        """
        every = _reference(self.problem)
        if self.has_symmetries:
            return automorphisms.add_lex_leaders(every, self.problem.lex_leader(), after)
        if not self.breaks_symmetry:
            return every
        assert isinstance(self.problem, Queens), "see keeps_half"
        n = self.problem.n
        right_half = np.arange((n + 1) // 2 + 1, n + 1, dtype=np.int32)
        return every.with_clauses(-right_half[:, np.newaxis])

    def _is_contradiction(self, clauses: list[list[int]]) -> bool:
        """Whether clauses have no model, as far as a solver finds; a proof checks what is made of
        that.
        """
        cnf = CNFBuilder(num_main=max(abs(literal) for clause in clauses for literal in clause))
        for clause in clauses:
            cnf.add(np.array([clause], np.int32))
        return self.certifier.solver().load(cnf.build()).solve() is Answer.UNSAT

    def _prove(
        self, claim: Callable[[], CNF | None], explain: Callable[[Assignment], Direction]
    ) -> Direction:
        """Whether the claim has no model, by a checked proof. A model has to be explained."""
        try:
            built = self._build(claim)
            if built is None:
                return Direction(message=_TOO_LARGE)
            solver = self.certifier.solver()
            checked = self.certifier.proof(solver, built, self.limits)
            if checked.state is ProofState.CHECKED:
                return Direction(State.PROVED)
            if checked.state is ProofState.NOT_CHECKED:
                return Direction(message=checked.message)
            model = self._find_model(built)
            return Direction(message=checked.message) if model is None else explain(model)
        except _StepError as failure:
            return Direction(message=str(failure))

    def _build(self, claim: Callable[[], CNF | None]) -> CNF | None:
        def build() -> bytes:
            built = claim()
            return b"" if built is None else b"".join(built.pack())

        payload = self._call("stating the claim", build)
        return CNF.unpack(memoryview(payload)) if payload else None

    def _find_model(self, claim: CNF) -> Assignment | None:
        def solve() -> bytes:
            solver = self.certifier.solver().load(claim)
            if solver.solve() is not Answer.SAT:
                return b""
            model = solver.model()
            return b"" if claim.falsified(model) else model.tobytes()

        payload = self._call("looking for a counterexample", solve)
        return np.frombuffer(payload, dtype=np.bool_) if payload else None

    def _wrongly_allowed(self, model: Assignment) -> Direction:
        """Explain a model of the formula that breaks a clause of the reference."""
        offset = self.subject.formula.num_variables - self.original.num_variables
        values = model[offset : offset + self.original.num_variables]

        def check() -> bytes:
            solution = self.decode(values)
            judged = check_sat(self.problem, self.original, values, solution, self.readout)
            is_wrong = judged.verdict is Verdict.REFUTED
            return msgspec.msgpack.encode((is_wrong, judged.message, solution))

        payload = self._call("checking a counterexample", check)
        is_wrong, message, solution = msgspec.msgpack.decode(
            payload, type=tuple[bool, str, Solution]
        )
        if is_wrong:
            return Direction(State.REFUTED, f"allows a wrong solution: {message}", solution)
        return Direction(message=f"rules() forbids what violation() allows: {solution}")

    def _wrongly_forbidden(self, model: Assignment) -> Direction:
        """Explain a model of the reference whose options the definitions do not extend."""
        count, formula = self.subject.options, self.subject.formula

        def read() -> bytes:
            options = self.problem.options
            solution = tuple(options[at] for at in np.flatnonzero(model[:count]).tolist())
            return msgspec.msgpack.encode((solution, self.problem.violation(solution)))

        solution, violation = msgspec.msgpack.decode(
            self._call("checking a counterexample", read), type=tuple[Solution, str | None]
        )
        if violation:
            return Direction(message=f"rules() allows what violation() forbids: {violation}")
        every = np.arange(1, count + 1, dtype=np.int32)
        fixed = np.where(model[:count], every, -every)[:, np.newaxis]
        with_options = CNF(formula.num_variables, count, (*formula.blocks, fixed))
        knowledge = self.certifier.decide_formula(with_options, self.limits)
        if knowledge.satisfiable is False:
            return Direction(State.REFUTED, "forbids a solution", solution)
        return Direction(message="the functions found for the auxiliary variables do not fit")

    def _call(self, doing: str, function: Callable[[], bytes]) -> bytes:
        ending = self.caller.call(doing, function, self.limits)
        if ending.outcome is not Outcome.FINISHED:
            raise _StepError(f"{doing}: {ending.message}")
        return ending.payload


def _reference(problem: Problem) -> CNF:
    """The reference: clauses whose variables are the options."""
    rules = reference.rules(problem)
    assert rules is not None
    return reference.clauses(rules)


def essential(problem: Problem, formula: CNF) -> list[list[int]]:
    """The clauses of the reference that the formula has to imply: all but those that follow from
    the others by the pigeonhole principle on `pigeonhole_proof.board_to_cross`.

    Solvers find no short proofs of that principle, so a formula that relies on it, as `alo-row` and
    `level1` do, could be proved correct for small n only: see `pigeonhole_proof`.
    """
    clauses = list(_reference(problem).clauses())
    board = pigeonhole_proof.board_to_cross(problem, formula)
    if board is None:
        return clauses
    lines = set(map(frozenset, board.tolist()))
    following = set(map(frozenset, pigeonhole_proof.following(board))) - lines
    return [clause for clause in clauses if frozenset(clause) not in following]
