"""Proves that every model of a formula is a solution, and that every solution has a model: that the
formula is equivalent to the reference, which is the rules of the problem as clauses.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import msgspec
import numpy as np

from nqbench.addons.certify import pigeonhole_proof
from nqbench.checking import automorphisms, reference
from nqbench.checking.proof import NotCheckedError
from nqbench.checking.verify import ProofState, Readout, check_sat
from nqbench.clauses.cnf import CNF, Assignment
from nqbench.common.vocabulary import Verdict
from nqbench.measure.implication import elimination, implications
from nqbench.measure.implication.implications import Subject
from nqbench.measure.implication.steps import Direction, State, Steps
from nqbench.problems.base import Problem
from nqbench.problems.options import Solution
from nqbench.problems.queens import Queens

_COUNTED: Final = "the rules are too many clauses, and the formula does not start with the options"
_TOO_LARGE: Final = "the functions for the auxiliary variables are too large"


@dataclass(frozen=True, slots=True)
class Directions:
    """Both directions, for the formula of one encoding on one problem.

    `original` is the encoding's formula, and `subject` the same with the options in front. `decode`
    returns the solution of a model of `original`, which shows its options by `readout`.
    `is_counted`: the reference has other variables than the options. `keeps_half`: the encoding
    keeps solutions of a board with the queen of the first row in the left half.
    """

    problem: Problem
    decode: Callable[[Assignment], Solution]
    readout: Readout
    original: CNF
    subject: Subject
    steps: Steps
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

        def claim() -> CNF | str:
            subject = self.subject
            premise = self._kept_solutions(subject.formula.num_variables)
            try:
                found, parts = elimination.define(
                    subject.formula.clauses(), subject.undefined, self.steps.is_contradiction
                )
            except elimination.TooLarge:
                return _TOO_LARGE
            # Each definition may use only variables that are defined before it: see `extends`.
            return implications.extends(premise, [*subject.defined, *found], subject, parts)

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

    def _prove(
        self, claim: Callable[[], CNF | str], explain: Callable[[Assignment], Direction]
    ) -> Direction:
        """Whether the claim has no model, by a checked proof. A model has to be explained."""
        try:
            built = self.steps.state(claim)
            checked = self.steps.prove(built)
            if checked.state is ProofState.CHECKED:
                return Direction(State.PROVED)
            is_open = checked.state is ProofState.NOT_CHECKED
            model = None if is_open else self.steps.find_model(built)
            return Direction(message=checked.message) if model is None else explain(model)
        except NotCheckedError as failure:
            return Direction(message=str(failure))

    def _wrongly_allowed(self, model: Assignment) -> Direction:
        """Explain a model of the formula that breaks a clause of the reference."""
        offset = self.subject.formula.num_variables - self.original.num_variables
        values = model[offset : offset + self.original.num_variables]

        def check() -> bytes:
            solution = self.decode(values)
            judged = check_sat(self.problem, self.original, values, solution, self.readout)
            is_wrong = judged.verdict is Verdict.REFUTED
            return msgspec.msgpack.encode((is_wrong, judged.message, solution))

        payload = self.steps.call("checking a counterexample", check)
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
            self.steps.call("checking a counterexample", read), type=tuple[Solution, str | None]
        )
        if violation:
            return Direction(message=f"rules() allows what violation() forbids: {violation}")
        every = np.arange(1, count + 1)
        if self.steps.has_no_model(formula, np.where(model[:count], every, -every)):
            return Direction(State.REFUTED, "forbids a solution", solution)
        return Direction(message="the functions found for the auxiliary variables do not fit")


def read_rules(problem: Problem, steps: Steps) -> tuple[str, bool]:
    """Why the problem has no rules to compare with, if so, and whether they need to count."""

    def read() -> bytes:
        rules = reference.rules(problem)
        is_counted = rules is not None and reference.is_counted(rules)
        return msgspec.msgpack.encode((reference.why_none(problem), is_counted))

    try:
        payload = steps.call("reading the rules", read)
    except NotCheckedError as error:
        return str(error), False
    return msgspec.msgpack.decode(payload, type=tuple[str, bool])


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
