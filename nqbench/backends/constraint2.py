"""The solver of python-constraint2 (G. Niemeyer; F.-J. Willemsen), with its default settings.

It assigns the variables with the most constraints first, with backtracking and forward checking. It
tries the largest value of a domain first.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from nqbench.backends.base import Backend, Capabilities, Solver
from nqbench.clauses.cnf import Assignment
from nqbench.clauses.csp import CSP
from nqbench.common.vocabulary import Answer, Form


class Constraint2(Backend):
    """python-constraint2 with its default solver; each constraint is a Python function."""

    takes = Form.CSP
    default_encoding = "csp"
    distribution = "python-constraint2"
    modules = ("constraint",)
    capabilities = Capabilities(enumeration=True)

    def load(self, csp: CSP) -> Solver:
        import constraint

        problem = constraint.Problem()
        # It refuses a variable without values, and finds no solution if there is no variable.
        if csp.domains.any(axis=1).all():
            for variable, row in enumerate(csp.domains):
                problem.addVariable(variable, np.flatnonzero(row).tolist())
            for i, j, distance in csp.constraints.tolist():
                if distance == 0:
                    problem.addConstraint(lambda a, b: a != b, (i, j))
                else:
                    problem.addConstraint(lambda a, b, d=distance: abs(a - b) != d, (i, j))
            for i, j, table in csp.tables():
                problem.addConstraint(lambda a, b, t=table: (a, b) not in t, (i, j))
        return _Constraint2Solver(problem, csp)


class _Constraint2Solver(Solver):
    def __init__(self, problem: Any, csp: CSP) -> None:
        self._problem = problem
        self._csp = csp
        self._values: dict[int, int] = {}

    def solve(self) -> Answer:
        values = self._problem.getSolution()
        if values is None:
            return Answer.UNSAT
        self._values = values
        return Answer.SAT

    def model(self) -> Assignment:
        return self._model(self._values)

    def models(self) -> Iterator[Assignment]:
        return map(self._model, self._problem.getSolutionIter())

    def _model(self, values: dict[int, int]) -> Assignment:
        return self._csp.assignment(np.array([values[v] for v in range(len(values))]))
