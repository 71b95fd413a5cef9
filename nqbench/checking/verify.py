"""Checks answers: problem + instance + answer -> verdict. Trusts neither encoding nor solver."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

import numpy as np

from nqbench.checking import reference
from nqbench.clauses.cnf import Assignment, Block
from nqbench.common.vocabulary import NOT_COUNTED, CheckedBy, Verdict
from nqbench.problems.base import Problem
from nqbench.problems.instances import Instance, broken_by, model_size
from nqbench.problems.options import Solution, variables


@dataclass(frozen=True, slots=True)
class Check:
    """A verdict, the evidence for it, and what was wrong; and for a model of a file with an
    objective, its value and the variables of the file that are true.
    """

    verdict: Verdict
    checked_by: CheckedBy
    message: str = ""
    objective: int | None = None
    true_variables: tuple[int, ...] | None = None


UNCHECKED = Check(Verdict.UNCHECKED, CheckedBy.NONE)

PROOF_HOLDS: Final = "the solver's proof holds for its formula"
"""The message about an `unsat` that is known without that proof."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Whether a problem is known to have a solution, and the source of that knowledge. None: not
    known. The message adds what matters about the source, or says why it is not known.
    """

    satisfiable: bool | None
    source: CheckedBy = CheckedBy.NONE
    message: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Readout:
    """How a model shows the options of its solution: by its first values, or if there are
    `literals`, shape (options, k), by these: an option is chosen if and only if all of its literals
    are true. `unknown` says why it is not known how.
    """

    literals: Block | None = None
    unknown: str = ""


BY_FIRST_VALUES: Final = Readout()
"""A model starts with the values of the options."""

DECODED: Final = Readout(unknown="it is compared elsewhere")
"""Only `decode` shows the options; for callers that compare the solution themselves."""


class ProofState(StrEnum):
    """The state of a solver's proof of unsatisfiability."""

    NONE = "none"
    CHECKED = "checked"
    FLAWED = "flawed"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True)
class ProofCheck:
    """The state of a proof, and the reason if it was not found correct."""

    state: ProofState = ProofState.NONE
    message: str = ""


def check_sat(
    problem: Problem,
    instance: Instance,
    model: Assignment,
    solution: Solution,
    readout: Readout = BY_FIRST_VALUES,
) -> Check:
    """Check a model against every clause or constraint, its solution against the rules, and that
    the model shows this solution.

    The message shows whose mistake it is: the solver's if the model breaks the instance, the
    encoding's if a true model gives a wrong solution.
    """

    def refuted(message: str) -> Check:
        return Check(Verdict.REFUTED, problem.checked_by, message)

    if model.shape != (model_size(instance),):
        expected = model_size(instance)
        return refuted(f"a model of {model.size} variables for an instance of {expected}")
    subject = "board" if problem.checked_by is CheckedBy.BOARD else "answer"
    violation = broken_rule(problem, solution)
    if broken := broken_by(instance, model):
        also = violation or f"the {subject} is still a solution"
        return refuted(f"{broken}; {also}" if problem.has_rules else broken)
    if violation is not None:
        return refuted(f"the model satisfies the instance, but not the rules: {violation}")
    if readout.unknown:
        trusted = f"decode() is trusted: {readout.unknown}"
        return Check(Verdict.VERIFIED, problem.checked_by, trusted)
    if another := _shows_another(problem, model, solution, readout.literals):
        return refuted(f"the {subject} is a solution, but {another}")
    return Check(Verdict.VERIFIED, problem.checked_by)


def broken_rule(problem: Problem, solution: Solution) -> str | None:
    """The first rule that a solution breaks, in words; None if none. Where a problem states its
    rules twice, in `violation` and in `rules`, it has to follow both.
    """
    violation = problem.violation(solution)
    if violation is not None or type(problem).violation is Problem.violation:
        return violation
    rules = reference.rules(problem)
    broken = rules.violation(solution) if rules else None
    return f"violation() finds none broken, but rules() does: {broken}" if broken else None


def _broken_in_one(problem: Problem, solutions: Sequence[Sequence[int]]) -> str | None:
    """What `broken_rule` finds in one of these solutions, which `violation` has accepted; None if
    nothing. They are variables of options.
    """
    rules = reference.rules(problem)
    if rules is None:
        return None
    for size in set(map(len, solutions)):
        same = [solution for solution in solutions if len(solution) == size]
        positions = np.array(same, dtype=np.int64).reshape(len(same), size) - 1
        wrong = np.flatnonzero(~rules.allowed(positions))
        if wrong.size:
            options = problem.options
            return broken_rule(problem, tuple(options[at] for at in positions[wrong[0]].tolist()))
    return None


def _shows_another(
    problem: Problem, model: Assignment, solution: Solution, literals: Block | None
) -> str | None:
    """Why a model does not show a solution, in words; None if it does: by its first values, or by
    the literals of each option.
    """
    count = len(problem.options)
    squares = "squares" if problem.checked_by is CheckedBy.BOARD else "options"
    if literals is None:
        if len(model) < count:
            return f"the model has {len(model)} values for {count} {squares}"
        is_chosen: Assignment = model[:count]
        by = f"the model's {squares} show"
    else:
        # Indexed by literal: positive from the start, negative from the end.
        truth = np.concatenate([[False], model, ~model[::-1]])
        is_chosen = np.all(truth[literals], axis=1)
        by = "option_literals() shows"
    if set((np.flatnonzero(is_chosen) + 1).tolist()) == set(variables(problem.options, solution)):
        return None
    return f"not the one that {by}"


class Described(Protocol):
    """A problem, or what its family says of it; its text is a title."""

    @property
    def has_rules(self) -> bool:
        """See `Problem.has_rules`."""


def check_unsat(problem: Described, knowledge: Knowledge, proof: ProofCheck) -> Check:
    """Check that there is no solution: by what is known of the problem, or otherwise by the
    solver's proof.

    A proof shows that the instance has no model. The encoding may still forbid too much, so `unsat`
    is refuted if a solution is known to exist, even with a correct proof. If nothing is known, the
    proof shows the answer for the formula only, unless the problem is a formula.
    """
    if knowledge.satisfiable:
        also = ", though the proof holds" if proof.state is ProofState.CHECKED else ""
        subject = "solution" if problem.has_rules else "model"
        message = f"'unsat'{also}, but {problem} has a {subject}"
        return Check(Verdict.REFUTED, knowledge.source, message)
    if proof.state is ProofState.FLAWED:
        message = f"the proof of 'unsat' is wrong: {proof.message}"
        return Check(Verdict.REFUTED, CheckedBy.PROOF, message)
    is_proved = proof.state is ProofState.CHECKED
    if is_proved and not problem.has_rules:
        return Check(Verdict.VERIFIED, CheckedBy.PROOF)
    if knowledge.satisfiable is False:
        about_proof = PROOF_HOLDS if is_proved else proof.message
        return Check(Verdict.VERIFIED, knowledge.source, _join(about_proof, knowledge.message))
    if is_proved:
        return Check(Verdict.VERIFIED, CheckedBy.FORMULA, f"formula only: {knowledge.message}")
    return Check(Verdict.UNCHECKED, CheckedBy.NONE, _join(proof.message, knowledge.message))


def _join(*messages: str) -> str:
    return "; ".join(filter(None, messages))


def check_all(
    problem: Problem, solutions: Sequence[Sequence[int]], expected: int | None, source: CheckedBy
) -> Check:
    """Check that each solution follows the rules, that all are different, and that there are
    `expected` ones, a number from `source`. A solution is given by the variables of its options.
    """
    options = problem.options
    for solution in solutions:
        wrong = [v for v in solution if not 0 < v <= len(options)]
        violation = f"{wrong[0]} is no option" if wrong else None
        violation = violation or problem.violation([options[v - 1] for v in solution])
        if violation:
            return Check(Verdict.REFUTED, problem.checked_by, f"not a solution: {violation}")
    if violation := _broken_in_one(problem, solutions):
        return Check(Verdict.REFUTED, problem.checked_by, f"not a solution: {violation}")
    different = len({tuple(sorted(solution)) for solution in solutions})
    if different != len(solutions):
        message = f"{len(solutions)} solutions, of which {different} are different"
        return Check(Verdict.REFUTED, problem.checked_by, message)
    return check_count(problem, different, expected, source)


def check_count(
    problem: Described, num_found: int, expected: int | None, source: CheckedBy
) -> Check:
    """Check that all solutions were found: `expected`, which comes from `source`; None: unknown."""
    if expected is None:
        return Check(Verdict.UNCHECKED, CheckedBy.NONE, NOT_COUNTED)
    if num_found != expected:
        return Check(
            Verdict.REFUTED, source, f"{num_found} solutions, but {problem} has {expected}"
        )
    return Check(Verdict.VERIFIED, source)
