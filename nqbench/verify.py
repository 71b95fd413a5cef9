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


def check_unsat(problem: Problem, *, symmetry_broken: bool = False) -> Check:
    """Check that there is no solution: by theorem where theory knows.

    With `symmetry_broken` the solver was asked for one solution of each mirrored pair only. Of a
    problem that is its own mirror image its 'unsat' says as much; of another one it says nothing.
    """
    if symmetry_broken and not problem.mirror_symmetric:
        message = "'unsat' under symmetry breaking, on a board that is not its own mirror image"
        return Check(Verdict.UNCHECKED, CheckedBy.NONE, message)
    match problem.satisfiable:
        case None:
            return Check(Verdict.UNCHECKED, CheckedBy.NONE)
        case False:
            return Check(Verdict.VERIFIED, CheckedBy.THEOREM)
        case True:
            message = f"'unsat', but {problem} has a solution"
            return Check(Verdict.REFUTED, CheckedBy.THEOREM, message)


def check(
    problem: Problem,
    cnf: CNF,
    answer: Answer,
    values: Assignment,
    placement: Placement,
    *,
    symmetry_broken: bool = False,
) -> Check:
    """Check an answer; `values` and `placement` matter only if it is sat."""
    match answer:
        case Answer.SAT:
            return check_sat(problem, cnf, values, placement)
        case Answer.UNSAT:
            return check_unsat(problem, symmetry_broken=symmetry_broken)
        case Answer.UNKNOWN:
            return Check(Verdict.UNCHECKED, CheckedBy.NONE)
