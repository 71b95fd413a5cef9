"""CP-SAT of OR-Tools (L. Perron, F. Didier, S. Gay, "The CP-SAT-LP solver", CP 2023)."""

import importlib.util
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from nqbench.backends import cp_sat_formula
from nqbench.backends.base import Backend, Capabilities, Listener, Solver
from nqbench.backends.snippet import BestSnippet, Snippet
from nqbench.clauses.cnf import Assignment
from nqbench.clauses.constraints import Constraints
from nqbench.common.errors import InputError, SolverError
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer, Form
from nqbench.encodings import choices
from nqbench.plugins.parameters import Whole, options
from nqbench.problems.queens import Queens

Values = Sequence[int]
"""The value of each variable."""

_ANSWERS: Final = {
    "OPTIMAL": Answer.SAT,
    "FEASIBLE": Answer.SAT,
    "INFEASIBLE": Answer.UNSAT,
    "UNKNOWN": Answer.UNKNOWN,
}


_BOARD_MODEL: Final = """\
columns = [model.new_int_var(0, n - 1, "") for _ in range(n)]
for column in columns:
    model.add_linear_expression_in_domain(column, cp_model.Domain(0, n - 1))
model.add_all_different(columns)
for step in (1, -1):
    model.add_all_different([column + step * row for row, column in enumerate(columns)])
"""
"""The model of an empty board, as source text."""

_BEST_MODEL: Final = """\
model = cp_model.CpModel()
variables = [None, *(model.new_bool_var("") for _ in range(count))]

def total(terms):
    return sum(weight * variables[variable] for variable, weight in terms.items())

for terms, least, most in rows:
    model.add(total(terms) >= least if most is None else total(terms) == most)
model.minimize(total(costs))
"""
"""The model of rows and an objective, as source text."""


class ORTools(Backend):
    """CP-SAT on one thread or several, with options as in `cp-sat:opt.cp_model_presolve=false`, the
    fields of its `SatParameters`.
    """

    distribution = "ortools"
    modules = ("ortools.sat.python.cp_model",)

    parameters = {"threads": Whole(default=1, least=1)}
    passes_options = True

    def __init__(self, name: str) -> None:
        super().__init__(name)
        # Several threads lose solutions and repeat others: google/or-tools issue 1186.
        one_thread = self.values["threads"] == 1
        # How threads share the work is a matter of chance.
        limits = ("conflicts",) if one_thread else ()
        self.capabilities = Capabilities(enumeration=one_thread, counters=True, work_limits=limits)

    @property
    def binaries(self) -> list[Path]:
        """The library of OR-Tools, to which its extension modules are linked."""
        spec = importlib.util.find_spec("ortools")
        folder = Path(spec.origin).parent if spec and spec.origin else None
        return sorted(folder.glob(".libs/libortools.so*")) if folder else []

    def check_options(self) -> None:
        from ortools.sat.python import cp_model

        self._set(cp_model.CpSolver())

    def _set(self, solver: Any) -> None:
        solver.parameters.num_workers = int(self.values["threads"])
        for name, value in options(self.values).items():
            if not hasattr(solver.parameters, name):
                raise InputError(f"there is no option '{name}'")
            try:
                setattr(solver.parameters, name, value)
            except TypeError as error:
                raise InputError(f"option '{name}' does not take {value}") from error
            if getattr(solver.parameters, name) != value:
                raise InputError(f"option '{name}' does not take {value}")

    def solver(
        self, model: Any, variables: Sequence[Any], assignment: Callable[[Values], Assignment]
    ) -> Solver:
        """A solver of a `CpModel`, whose `assignment` is made from the values of the variables."""
        from ortools.sat.python import cp_model

        solver = cp_model.CpSolver()
        self._set(solver)
        return _CPSATSolver(model, variables, assignment, solver)


class CPSAT(ORTools):
    """CP-SAT on one thread, or on several as in `cp-sat:threads=2`.

    A board: an integer for the column of each row's queen, and three AllDifferent: columns, sums
    and differences of row and column. A formula with at-most-k constraints: a Boolean for each
    variable, BoolOr, AtMostOne, and a linear constraint for k > 1 and for weights.
    """

    takes = Form.PROBLEM
    takes_weights = True
    largest_sum = cp_sat_formula.LARGEST_SUM
    default_encoding = "none"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.capabilities = replace(self.capabilities, at_most_k=True, optimises=True)

    def load(self, instance: Queens | Constraints) -> Solver:
        if isinstance(instance, Constraints):
            return self.solver(*cp_sat_formula.model(instance), _truths)
        return self._of_board(instance)

    def snippet(self, form: Form) -> Snippet | None:
        if form is Form.PROBLEM:
            model = _BOARD_MODEL
            found = "[solver.value(column) for column in columns]"
        else:
            model = cp_sat_formula.SOURCE
            found = "[v if solver.value(x) else -v for v, x in enumerate(variables, 1)]"
        settings = {"num_workers": int(self.values["threads"]), **options(self.values)}
        body = (
            "model = cp_model.CpModel()\n"
            f"{model}"
            "solver = cp_model.CpSolver()\n"
            + "".join(f"solver.parameters.{name} = {value!r}\n" for name, value in settings.items())
            + "is_sat = solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)\n"
            f"found = {found} if is_sat else None\n"
            "return found, solver.num_conflicts"
        )
        imports = ("from ortools.sat.python import cp_model",)
        of_board = form is Form.PROBLEM
        return Snippet(imports, body, reads=not of_board, of_board=of_board)

    def best_snippet(self) -> BestSnippet:
        settings = {"num_workers": int(self.values["threads"]), **options(self.values)}
        body = (
            f"{_BEST_MODEL}solver = cp_model.CpSolver()\n"
            + "".join(f"solver.parameters.{name} = {value!r}\n" for name, value in settings.items())
            + "status = solver.solve(model)\n"
            "if status == cp_model.INFEASIBLE:\n"
            "    return None\n"
            "if status != cp_model.OPTIMAL:\n"
            "    raise SystemExit(solver.status_name(status))\n"
            "return [solver.value(variable) for variable in variables[1:]]"
        )
        return BestSnippet(("from ortools.sat.python import cp_model",), body)

    def _of_board(self, problem: Queens) -> Solver:
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
                [_modulo(model, diagonal, n) for diagonal in diagonals]
                if problem.wraps
                else diagonals
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
        solver: Any,
    ) -> None:
        self._model = model
        self._variables = variables
        self._assignment = assignment
        self._solver = solver
        self._on_solution: Any = None
        self._conflicts = self._decisions = 0

    def limit(self, work: Mapping[str, int]) -> None:
        self._solver.parameters.max_number_of_conflicts = work["conflicts"]

    def report_to(self, listener: Listener) -> None:
        from ortools.sat.python import cp_model

        places = np.array([variable.index for variable in self._variables], np.int64)
        assignment = self._assignment

        class Reporter(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
            def on_solution_callback(self) -> None:
                # Asking for one value after another takes four times as long.
                values = np.array(self.response_proto.solution, np.int64)
                listener.hear_model(assignment(values[places].tolist()))

        self._on_solution = Reporter()
        self._solver.best_bound_callback = listener.hear_bound

    def solve(self) -> Answer:
        return self._run(self._on_solution)

    def model(self) -> Assignment:
        return self._assignment([self._solver.value(variable) for variable in self._variables])

    def models(self) -> Iterator[Assignment]:
        """All models are found before the first is yielded: the library calls back for each."""
        from ortools.sat.python import cp_model

        variables = self._variables
        value_lists: list[Values] = []

        class Collector(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
            def on_solution_callback(self) -> None:
                value_lists.append(array("i", map(self.value, variables)))

        self._solver.parameters.enumerate_all_solutions = True
        self._run(Collector())
        yield from map(self._assignment, value_lists)

    def counters(self) -> Counters:
        return Counters(conflicts=self._conflicts, decisions=self._decisions)

    def _run(self, callback: Any) -> Answer:
        status = self._solver.solve(self._model, callback)
        self._conflicts += self._solver.num_conflicts
        self._decisions += self._solver.num_branches
        name = self._solver.status_name(status)
        if name not in _ANSWERS:
            raise SolverError(f"CP-SAT refuses the model: {self._model.validate()}")
        # Stopped at a limit, it has a model, and perhaps not the best one.
        if name == "FEASIBLE" and self._model.has_objective():
            return Answer.UNKNOWN
        return _ANSWERS[name]


def _truths(values: Values) -> Assignment:
    return np.array(values, dtype=np.bool_)


def _board(columns: Values) -> Assignment:
    """The board with a queen in the given column of each row, shape (n * n,)."""
    board: Assignment = np.eye(len(columns), dtype=np.bool_)[columns].ravel()
    return board
