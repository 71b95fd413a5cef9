"""Ten small sequences of queries, which backends with the capability `assumptions` answer."""

from itertools import product
from typing import Final

import numpy as np

from nqbench.backends.base import Backend, Solver
from nqbench.clauses.cnf import CNF, CNFBuilder
from nqbench.common.vocabulary import Answer

Clauses = list[list[int]]
Steps = list[tuple[Clauses, list[int]]]

SEQUENCES: Final[dict[str, Steps]] = {
    "an assumption and its negation": [([[1, 2]], [1]), ([], [-1]), ([], [])],
    "an unknown variable assumed": [([[1, 2]], [4, -3]), ([[-4, 3]], [4, -3])],
    "a literal assumed twice": [([[1, 2], [-1, 2]], [-2, -2]), ([], [2, 2])],
    "both literals of a variable": [([[1, 2]], [1, -1]), ([], [])],
    "against a unit clause": [([[1], [2, 3]], [-1, 2]), ([], [2])],
    "an empty clause at the end": [([[1, 2]], [1]), ([[1], [-1]], [2]), ([], [])],
    "a clause after unsat": [([[1, 2], [1, -2]], [-1]), ([[3]], [-1, 3]), ([], [3])],
    "a new variable later": [([[1, 2]], [-1]), ([[-2, 5], [-5, 6]], [-1, -6]), ([], [-6])],
    "no clause": [([], [1, -2]), ([], [])],
    "a tautology, and forty queries": [
        ([[1, -1], [1, 2, 3], [-1, -2, -3]], [(-1) ** n * (1 + n % 3), 4]) for n in range(40)
    ],
}
"""What each tests: the clauses that are added, and then the assumptions."""


def check_assumptions(backend: Backend) -> None:
    """Check each answer, model and core against all assignments."""
    for name, steps in SEQUENCES.items():
        variables = max(abs(v) for added, some in steps for c in [*added, some] for v in c)
        solver, so_far = None, Clauses()
        for number, (added, assumed) in enumerate(steps, 1):
            so_far += added
            if solver is None:
                solver = backend.load(_cnf(variables, added))
            else:
                for clause in added:
                    solver.add_all(np.array([clause], np.int32))
            _check_query(solver, f"{name}, query {number}", variables, so_far, assumed)


def _check_query(
    solver: Solver, name: str, variables: int, clauses: Clauses, assumed: list[int]
) -> None:
    solver.assume(assumed)
    answer = solver.solve()
    expected = _is_satisfiable(variables, [*clauses, *([v] for v in assumed)])
    assert answer is (Answer.SAT if expected else Answer.UNSAT), f"{name}: {answer}"
    if answer is Answer.SAT:
        values = solver.model()
        assert values.shape == (variables,), f"{name}: a model of {values.size} values"
        held = [*clauses, *([v] for v in assumed)]
        broken = [c for c in held if not any(values[abs(v) - 1] == (v > 0) for v in c)]
        assert not broken, f"{name}: the model breaks {broken[0]}"
        return
    core = list(solver.core())
    assert {*core} <= {*assumed}, f"{name}: the core {core} has what was not assumed"
    is_enough = not _is_satisfiable(variables, [*clauses, *([v] for v in core)])
    assert is_enough, f"{name}: the core {core} is not enough"


def _is_satisfiable(variables: int, clauses: Clauses) -> bool:
    return any(
        all(any(values[abs(v) - 1] == (v > 0) for v in clause) for clause in clauses)
        for values in product((False, True), repeat=variables)
    )


def _cnf(variables: int, clauses: Clauses) -> CNF:
    formula = CNFBuilder(0)
    formula.fresh(variables)
    for clause in clauses:
        formula.add([clause])
    return formula.build()
