"""Pumpkin (ConSol Lab, TU Delft), a solver of constraint programs by lazy clause generation.

M. Flippo, K. Sidorov, I. Marijnissen, J. Smits, E. Demirović, "A multi-stage proof logging
framework to certify the correctness of CP solvers", CP 2024. Clauses stay clauses, and each row is
a linear inequality. Its numbers have 32 bits, so the weights of a row add up to at most 2^30. Its
proofs are not in a format that is checked here: that no model exists, or none is better, is checked
otherwise.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from nqbench.backends.base import Backend, Capabilities, Listener, Solver
from nqbench.clauses.cnf import CNF, Assignment
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.linear import Linear, check_sums, linear_objective, linear_rows
from nqbench.clauses.rows import Objective
from nqbench.common.errors import SolverError
from nqbench.common.vocabulary import Answer
from nqbench.plugins.parameters import Whole

LARGEST_SUM: Final = 2**30
"""What the weights of a row or objective add up to at most."""


class Pumpkin(Backend):
    """Pumpkin on clauses, and rows with or without weights: `pumpkin:seed=1`."""

    distribution = "pumpkin-solver"
    modules = ("pumpkin_solver.pumpkin_solver",)
    takes_weights = True
    largest_sum = LARGEST_SUM
    parameters = {"seed": Whole(default=0, least=0, most=2**64 - 1)}
    capabilities = Capabilities(incremental=True, at_most_k=True, optimises=True)

    def load(self, formula: Formula) -> Solver:
        check_sums(formula, LARGEST_SUM, "pumpkin")
        stated = formula if isinstance(formula, Constraints) else Constraints(formula)
        solver = _PumpkinSolver(stated.num_variables, int(self.values["seed"]), stated.objective)
        for clause in stated.cnf.clauses():
            solver.add(clause)
        for row in linear_rows(replace(stated, cnf=CNF(stated.num_variables, stated.num_main, ()))):
            solver.add_row(row)
        return solver


class _PumpkinSolver(Solver):
    def __init__(self, num_variables: int, seed: int, objective: Objective | None) -> None:
        from pumpkin_solver import Model

        self._model = Model(seed=seed)
        self._tag = self._model.new_constraint_tag()
        # Once a constraint is contradictory, it makes no more variables.
        self._variables = [self._model.new_boolean_variable() for _ in range(num_variables)]
        self._objective = None if objective is None else self._value(linear_objective(objective))
        self._solution: Any = None
        self._on_solution: Any = None

    def _value(self, terms: Linear) -> Any:
        """A new variable that is at least this sum. Its least value is the least sum."""
        least = sum(min(weight, 0) for weight in terms.coefficients)
        most = sum(max(weight, 0) for weight in terms.coefficients)
        value = self._model.new_integer_variable(least, most)
        self._at_most([*self._terms(terms, 1), value.scaled(-1)], 0)
        return value

    def _terms(self, row: Linear, sign: int) -> list[Any]:
        return [
            self._variables[v - 1].as_integer().scaled(sign * c)
            for v, c in zip(row.variables, row.coefficients, strict=True)
        ]

    def _at_most(self, terms: list[Any], bound: int) -> None:
        from pumpkin_solver.constraints import LessThanOrEquals

        self._model.add_constraint(LessThanOrEquals(terms, bound, self._tag))

    def add_row(self, row: Linear) -> None:
        """Add a row, which has to have variables: Pumpkin aborts at a sum of nothing."""
        from pumpkin_solver.constraints import Equals

        if row.least is not None and row.least == row.most:
            self._model.add_constraint(Equals(self._terms(row, 1), row.least, self._tag))
            return
        if row.least is not None:
            self._at_most(self._terms(row, -1), -row.least)
        if row.most is not None:
            self._at_most(self._terms(row, 1), row.most)

    def add(self, clause: Sequence[int]) -> None:
        from pumpkin_solver.constraints import Clause

        literals = [
            self._variables[v - 1] if v > 0 else self._variables[-v - 1].negate() for v in clause
        ]
        self._model.add_constraint(Clause(literals, self._tag))

    def report_to(self, listener: Listener) -> None:
        self._on_solution = lambda solution: listener.hear_model(self._values(solution))

    def solve(self) -> Answer:
        if self._objective is None:
            result, solved = self._model.satisfy(), "Satisfiable"
        else:
            result = self._model.optimise(self._objective, on_solution=self._on_solution)
            solved = "Optimal"
        status = type(result).__name__
        if status == "Unsatisfiable":
            return Answer.UNSAT
        if status != solved:
            raise SolverError(f"pumpkin ended with '{status}'")
        self._solution = result._0
        return Answer.SAT

    def model(self) -> Assignment:
        return self._values(self._solution)

    def _values(self, solution: Any) -> Assignment:
        return np.array([solution.bool_value(v) for v in self._variables], np.bool_)
