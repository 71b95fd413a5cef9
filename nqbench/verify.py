"""Problem + formula + answer -> verdict. Trusts neither the encoder nor the solver."""

from dataclasses import dataclass

from nqbench.cnf import CNF, Assignment
from nqbench.problem import Placement, Problem
from nqbench.vocabulary import Answer, CheckedBy, Verdict


@dataclass(frozen=True, slots=True)
class Check:
    """A verdict, what it rests on, and what was wrong."""

    verdict: Verdict
    checked_by: CheckedBy
    message: str = ""


def check_sat(problem: Problem, cnf: CNF, values: Assignment, placement: Placement) -> Check:
    """Check a model against every clause, and its placement against the rules of the board.

    The message tells the solver's mistake from the encoding's: a model that falsifies a clause is
    the solver's, a true model with a wrong board the encoding's.
    """
    if values.shape != (cnf.num_variables,):
        message = f"a model of {values.size} variables for a formula of {cnf.num_variables}"
        return Check(Verdict.REFUTED, CheckedBy.BOARD, message)
    clause = cnf.falsified(values)
    violation = problem.violation(placement)
    if clause is not None:
        board = violation or "the board is a solution all the same"
        literals = " ".join(map(str, clause))
        message = f"the model falsifies the clause {literals}; {board}"
        return Check(Verdict.REFUTED, CheckedBy.BOARD, message)
    if violation is not None:
        message = f"the model satisfies all clauses, but not the rules: {violation}"
        return Check(Verdict.REFUTED, CheckedBy.BOARD, message)
    return Check(Verdict.VERIFIED, CheckedBy.BOARD)


def check_unsat(problem: Problem) -> Check:
    """Check that there is no solution: by theorem where theory knows."""
    match problem.satisfiable:
        case None:
            return Check(Verdict.UNCHECKED, CheckedBy.NONE)
        case False:
            return Check(Verdict.VERIFIED, CheckedBy.THEOREM)
        case True:
            message = f"'unsat', but {problem} has a solution"
            return Check(Verdict.REFUTED, CheckedBy.THEOREM, message)


def check(
    problem: Problem, cnf: CNF, answer: Answer, values: Assignment, placement: Placement
) -> Check:
    """Check an answer; `values` and `placement` matter only if it is sat."""
    match answer:
        case Answer.SAT:
            return check_sat(problem, cnf, values, placement)
        case Answer.UNSAT:
            return check_unsat(problem)
        case Answer.UNKNOWN:
            return Check(Verdict.UNCHECKED, CheckedBy.NONE)
