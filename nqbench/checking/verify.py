"""Checks answers: problem + instance + answer -> verdict. Trusts neither encoding nor solver."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from nqbench.instances.base import Instance, broken_by, model_size
from nqbench.instances.cnf import CNF, Assignment
from nqbench.instances.cnf_plus import CNFPlus
from nqbench.problems.base import Problem
from nqbench.problems.options import Solution, variables
from nqbench.vocabulary import NOT_COUNTED, CheckedBy, Verdict


@dataclass(frozen=True, slots=True)
class Check:
    """A verdict, the evidence for it, and what was wrong."""

    verdict: Verdict
    checked_by: CheckedBy
    message: str = ""


UNCHECKED = Check(Verdict.UNCHECKED, CheckedBy.NONE)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Whether a problem is known to have a solution, and the source of that knowledge. None: not
    known. The message says what else there is to say about the source.
    """

    satisfiable: bool | None
    source: CheckedBy = CheckedBy.NONE
    message: str = ""


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
    shows_options: bool = True,
) -> Check:
    """Check a model against every clause or constraint, and its solution against the rules.

    The message shows whose mistake it is: the solver's if the model breaks the instance, the
    encoding's if a true model gives a wrong solution. `shows_options` is what the encoding says.
    """

    def refuted(message: str) -> Check:
        return Check(Verdict.REFUTED, problem.checked_by, message)

    if model.shape != (model_size(instance),):
        expected = model_size(instance)
        return refuted(f"a model of {model.size} variables for an instance of {expected}")
    what = "board" if problem.checked_by is CheckedBy.BOARD else "answer"
    violation = problem.violation(solution)
    if broken := broken_by(instance, model):
        also = violation or f"the {what} is still a solution"
        return refuted(f"{broken}; {also}" if problem.has_rules else broken)
    if violation is not None:
        return refuted(f"the model satisfies the instance, but not the rules: {violation}")
    if shows_options and not _is_shown(problem, instance, model, solution):
        squares = "squares show" if what == "board" else "options show"
        return refuted(f"the {what} is a solution, but not the one that the model's {squares}")
    return Check(Verdict.VERIFIED, problem.checked_by)


def _is_shown(problem: Problem, instance: Instance, model: Assignment, solution: Solution) -> bool:
    """Whether the first values of the model are those of the solution's options. True if there is
    only one option, or if a model has other values.
    """
    options = len(problem.options)
    first = instance.board if isinstance(instance, CNF | CNFPlus) else model_size(instance)
    if options <= 1 or first != options:
        return True
    return set((np.flatnonzero(model[:options]) + 1).tolist()) == set(
        variables(problem.options, solution)
    )


def check_unsat(problem: Problem, known: Knowledge, proof: ProofCheck) -> Check:
    """Check that there is no solution: by the solver's proof, or otherwise by what is known.

    A proof shows that the instance has no model. The encoding may still forbid too much, so `unsat`
    is refuted if a solution is known to exist, even with a correct proof.
    """
    if known.satisfiable:
        also = ", though the proof holds" if proof.state is ProofState.CHECKED else ""
        what = "solution" if problem.has_rules else "model"
        message = f"'unsat'{also}, but {problem} has a {what}"
        return Check(Verdict.REFUTED, known.source, message)
    match proof.state:
        case ProofState.CHECKED:
            return Check(Verdict.VERIFIED, CheckedBy.PROOF)
        case ProofState.FLAWED:
            message = f"the proof of 'unsat' is wrong: {proof.message}"
            return Check(Verdict.REFUTED, CheckedBy.PROOF, message)
    if known.satisfiable is None:
        return Check(Verdict.UNCHECKED, CheckedBy.NONE, proof.message)
    message = "; ".join(filter(None, [proof.message, known.message]))
    return Check(Verdict.VERIFIED, known.source, message)


def check_all(
    problem: Problem, solutions: Sequence[Sequence[int]], expected: int | None, source: CheckedBy
) -> Check:
    """Check that each solution follows the rules, that no two are equal, and that their number is
    `expected`, which comes from `source`. A solution is given by the variables of its options.
    """
    options = problem.options
    for chosen in solutions:
        wrong = [v for v in chosen if not 0 < v <= len(options)]
        violation = f"{wrong[0]} is no option" if wrong else None
        violation = violation or problem.violation([options[v - 1] for v in chosen])
        if violation:
            return Check(Verdict.REFUTED, problem.checked_by, f"not a solution: {violation}")
    different = len({tuple(sorted(chosen)) for chosen in solutions})
    if different != len(solutions):
        message = f"{len(solutions)} solutions, of which {different} are different"
        return Check(Verdict.REFUTED, problem.checked_by, message)
    return check_count(problem, different, expected, source)


def check_count(problem: Problem, found: int, expected: int | None, source: CheckedBy) -> Check:
    """Check that all solutions were found: `expected`, which comes from `source`; None: unknown."""
    if expected is None:
        return Check(Verdict.UNCHECKED, CheckedBy.NONE, NOT_COUNTED)
    if found != expected:
        return Check(Verdict.REFUTED, source, f"{found} solutions, but {problem} has {expected}")
    return Check(Verdict.VERIFIED, source)
