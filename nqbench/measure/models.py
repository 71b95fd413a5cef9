"""Counts all models of clauses: also those that differ only on auxiliary variables.

If an encoding has as many models as the problem has solutions, model counters need no projection.
"""

from typing import Final

from nqbench import isolate
from nqbench.common.errors import SolverError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome
from nqbench.encodings.base import Encoding
from nqbench.measure.formula import make_clauses
from nqbench.problems.base import Problem

_SOLVER: Final = "minisat22"


def count(problem: Problem, encoding: Encoding, limits: Limits) -> int:
    """Count the models of the encoding's clauses one by one, in a separate process.

    Raises `InputError` if the encoding makes no clauses, and `SolverError` at a limit.
    """
    cnf = make_clauses(encoding, problem, limits)

    def enumerate_models() -> bytes:
        from pysat.solvers import Solver

        with Solver(_SOLVER, bootstrap_with=list(cnf.clauses())) as solver:
            models = sum(1 for _ in solver.enum_models())
            # The solver does not know variables above the last one of a clause.
            free = cnf.num_variables - solver.nof_vars()
        return str(models << free).encode()

    ending = isolate.call(enumerate_models, limits)
    if ending.outcome is not Outcome.FINISHED:
        raise SolverError(f"{_SOLVER}: {ending.message}")
    return int(ending.payload)
