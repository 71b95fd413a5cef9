"""CP-SAT of OR-Tools (L. Perron, F. Didier, S. Gay, "The CP-SAT-LP solver", CP 2023)."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from nqbench.backends.base import Backend, Capabilities, Counters, Solver
from nqbench.components.parameters import Whole
from nqbench.encodings import choices
from nqbench.instances.cnf import Assignment
from nqbench.problems.queens import Queens
from nqbench.vocabulary import Answer, Form

Values = Sequence[int]
"""The value of each variable."""

_ANSWERS: Final = {
    "OPTIMAL": Answer.SAT,
    "FEASIBLE": Answer.SAT,
    "INFEASIBLE": Answer.UNSAT,
    "UNKNOWN": Answer.UNKNOWN,
}


class ORTools(Backend):
    """CP-SAT on one thread or several."""

    distribution = "ortools"
    modules = ("ortools.sat.python.cp_model",)

    parameters = {"threads": Whole(default=1, least=1)}

    def __init__(self, name: str) -> None:
        super().__init__(name)
        # Several threads lose solutions and repeat others: google/or-tools issue 1186.
        one_thread = self.values["threads"] == 1
        self.capabilities = Capabilities(enumeration=one_thread, counters=True)

    def solver(
        self, model: Any, variables: Sequence[Any], assignment: Callable[[Values], Assignment]
    ) -> Solver:
        """A solver of a `CpModel`, whose `assignment` is made from the values of the variables."""
        return _CPSATSolver(model, variables, assignment, int(self.values["threads"]))


class CPSAT(ORTools):
    """CP-SAT on one thread, or on several as in `cp-sat:threads=2`.

    An integer for the column of each row's queen, and three AllDifferent: columns, sums and
    differences of row and column.
    """

    takes = Form.PROBLEM
    default_encoding = "none"

    def load(self, problem: Queens) -> Solver:
        from ortools.sat.python import cp_model

        n = problem.n
        allowed = np.ones(n * n, dtype=np.bool_)
        allowed[choices.of(problem).excluded()] = False
        model = cp_model.CpModel()
        columns = [model.new_int_var(0, n - 1, "") for _ in range(n)]
        for column, row in zip(columns, allowed.reshape(n, n), strict=True):
            # As a constraint, since the domain of a variable must not be empty.
            domain = cp_model.Domain.from_values(np.flatnonzero(row).tolist())
            model.add_linear_expression_in_domain(column, domain)
        model.add_all_different(columns)
        for step in (1, -1):
            diagonals = [column + step * row for row, column in enumerate(columns)]
            model.add_all_different(
                [_modulo(model, one, n) for one in diagonals] if problem.wraps else diagonals
            )
        return self.solver(model, columns, _board)


def _modulo(model: Any, expression: Any, n: int) -> Any:
    remainder = model.new_int_var(0, n - 1, "")
    # The remainder of a negative number is negative in CP-SAT, so n is added first.
    model.add_modulo_equality(remainder, expression + n, n)
    return remainder


class _CPSATSolver(Solver):
    def __init__(
        self,
        model: Any,
        variables: Sequence[Any],
        assignment: Callable[[Values], Assignment],
        threads: int,
    ) -> None:
        from ortools.sat.python import cp_model

        self._model = model
        self._variables = variables
        self._assignment = assignment
        self._solver = cp_model.CpSolver()
        self._solver.parameters.num_workers = threads
        self._conflicts = self._decisions = 0

    def solve(self) -> Answer:
        return self._run(None)

    def model(self) -> Assignment:
        return self._assignment([self._solver.value(each) for each in self._variables])

    def models(self) -> Iterator[Assignment]:
        """All models are found before the first is yielded: the library calls back for each."""
        from ortools.sat.python import cp_model

        variables = self._variables
        found: list[Values] = []

        class Collector(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
            def on_solution_callback(self) -> None:
                found.append(array("i", map(self.value, variables)))

        self._solver.parameters.enumerate_all_solutions = True
        self._run(Collector())
        yield from map(self._assignment, found)

    def counters(self) -> Counters:
        return Counters(conflicts=self._conflicts, decisions=self._decisions)

    def _run(self, callback: Any) -> Answer:
        status = self._solver.solve(self._model, callback)
        self._conflicts += self._solver.num_conflicts
        self._decisions += self._solver.num_branches
        return _ANSWERS[self._solver.status_name(status)]


def _board(columns: Values) -> Assignment:
    """The board with a queen in the given column of each row, shape (n * n,)."""
    board: Assignment = np.eye(len(columns), dtype=np.bool_)[columns].ravel()
    return board
