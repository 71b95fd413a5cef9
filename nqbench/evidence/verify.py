"""Checks answers: problem + instance + answer -> verdict. Trusts neither encoding nor solver."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from nqbench.instances.base import Instance, broken_by, model_size
from nqbench.instances.cnf import CNF, Assignment
from nqbench.instances.formula import Formula
from nqbench.problems.base import Placement, Problem, Square
from nqbench.vocabulary import CheckedBy, Verdict


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
    known.
    """

    satisfiable: bool | None
    source: CheckedBy = CheckedBy.NONE


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
    problem: Problem, instance: Instance, model: Assignment, placement: Placement
) -> Check:
    """Check a model against every clause or constraint, and its placement against the rules.

    The message shows whose mistake it is: the solver's if the model breaks the instance, the
    encoding's if a true model gives a wrong board.
    """
    if model.shape != (model_size(instance),):
        return _refuted_by_board(_wrong_size(instance, model))
    violation = problem.violation(placement)
    if broken := broken_by(instance, model):
        board = violation or "the board is still a solution"
        return _refuted_by_board(f"{broken}; {board}")
    if violation is not None:
        message = f"the model satisfies the instance, but not the rules: {violation}"
        return _refuted_by_board(message)
    if _has_squares(problem, instance) and _squares(problem, model) != set(placement):
        message = "the board is a solution, but not the one that the model's squares show"
        return _refuted_by_board(message)
    return Check(Verdict.VERIFIED, CheckedBy.BOARD)


def _refuted_by_board(message: str) -> Check:
    return Check(Verdict.REFUTED, CheckedBy.BOARD, message)


def _has_squares(problem: Problem, instance: Instance) -> bool:
    """Whether a model starts with the values of the squares; False for a board of one square."""
    squares = problem.n * problem.n
    board = instance.board if isinstance(instance, CNF) else model_size(instance)
    return squares > 1 and board == squares


def _squares(problem: Problem, model: Assignment) -> set[Square]:
    taken = np.flatnonzero(model[: problem.n * problem.n]).tolist()
    return {(square // problem.n, square % problem.n) for square in taken}


def check_model(instance: Instance, model: Assignment) -> Check:
    """Check a model of a formula from a file against every clause."""
    if model.shape != (model_size(instance),):
        return Check(Verdict.REFUTED, CheckedBy.CLAUSES, _wrong_size(instance, model))
    if broken := broken_by(instance, model):
        return Check(Verdict.REFUTED, CheckedBy.CLAUSES, broken)
    return Check(Verdict.VERIFIED, CheckedBy.CLAUSES)


def _wrong_size(instance: Instance, model: Assignment) -> str:
    return f"a model of {model.size} variables for an instance of {model_size(instance)}"


def check_unsat(problem: Problem | Formula, known: Knowledge, proof: ProofCheck) -> Check:
    """Check that there is no solution: by the solver's proof, or otherwise by what is known.

    A proof shows that the instance has no model. The encoding may still forbid too much, so `unsat`
    is refuted if a solution is known to exist, even with a correct proof.
    """
    if known.satisfiable:
        also = ", though the proof holds" if proof.state is ProofState.CHECKED else ""
        what = "model" if isinstance(problem, Formula) else "solution"
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
    return Check(Verdict.VERIFIED, known.source, proof.message)


def check_all(
    problem: Problem, solutions: NDArray[np.int32], expected: int | None, source: CheckedBy
) -> Check:
    """Check that each solution follows the rules, that no two are equal, and that their number is
    `expected`, which comes from `source`. `solutions` holds squares r*n + c, shape (solutions, n).
    """
    n = problem.n
    for squares in solutions.tolist():
        if violation := problem.violation([divmod(square, n) for square in squares]):
            return Check(Verdict.REFUTED, CheckedBy.BOARD, f"not a solution: {violation}")
    different = len({tuple(sorted(squares)) for squares in solutions.tolist()})
    if different != len(solutions):
        message = f"{len(solutions)} solutions, of which {different} are different"
        return Check(Verdict.REFUTED, CheckedBy.BOARD, message)
    return check_count(problem, different, expected, source)


def check_count(problem: Problem, found: int, expected: int | None, source: CheckedBy) -> Check:
    """Check that all solutions were found: `expected`, which comes from `source`; None: unknown."""
    if expected is None:
        return Check(
            Verdict.UNCHECKED,
            CheckedBy.NONE,
            "each is a solution; it was not checked whether there are others",
        )
    if found != expected:
        return Check(Verdict.REFUTED, source, f"{found} solutions, but {problem} has {expected}")
    return Check(Verdict.VERIFIED, source)
