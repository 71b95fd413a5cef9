"""HiGHS, a solver of mixed integer programs: branch and cut.

Q. Huangfu, J. Hall, "Parallelizing the dual revised simplex method", Mathematical Programming
Computation 10, 2018. A clause or row is a linear inequality of 0-1 variables. HiGHS computes with
floating-point numbers, and takes a value within 1e-9 of 0 or 1 for a whole one. Its models are
rounded. The weights of a row add up to at most 2^28, so that rounding changes a sum by less than 1.
That no model exists, or none is better, is only as sure as its numbers, and is checked otherwise.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from nqbench.backends.base import Backend, Capabilities, Listener, Solver
from nqbench.backends.snippet import BestSnippet
from nqbench.clauses.cnf import Assignment
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.linear import check_sums, clauses_of, linear_objective, linear_rows
from nqbench.common.errors import SolverError
from nqbench.common.vocabulary import Answer
from nqbench.plugins.parameters import Whole

LARGEST_SUM: Final = 2**28
"""What the weights of a row or objective add up to at most."""

_TOLERANCE: Final = 1e-9


class HiGHS(Backend):
    """HiGHS on clauses, and rows with or without weights: `highs:threads=2`, `highs:seed=1`."""

    distribution = "highspy"
    modules = ("highspy._core",)
    takes_weights = True
    largest_sum = LARGEST_SUM
    parameters = {
        "threads": Whole(default=1, least=1),
        "seed": Whole(default=0, least=0, most=2**31 - 1),
    }
    capabilities = Capabilities(incremental=True, at_most_k=True, optimises=True)

    def load(self, formula: Formula) -> Solver:
        import highspy

        check_sums(formula, LARGEST_SUM, "highs")
        solver = highspy.Highs()
        for name, value in self._options().items():
            solver.setOptionValue(name, value)
        solver.passModel(_program(formula))
        return _HiGHSSolver(solver, formula.num_variables)

    def best_snippet(self) -> BestSnippet:
        options = self._options()
        lines = "".join(f"solver.setOptionValue({n!r}, {v!r})\n" for n, v in options.items())
        return BestSnippet(("import highspy",), f"{_QUIET}{lines}{_BEST}")

    def _options(self) -> dict[str, object]:
        return {
            "output_flag": False,
            "threads": int(self.values["threads"]),
            "random_seed": int(self.values["seed"]),
            "mip_feasibility_tolerance": _TOLERANCE,
            # By default, it stops at 0.01 % above the best objective.
            "mip_rel_gap": 0.0,
        }


_QUIET: Final = """\
# highspy.Highs() prints a banner before it can be told to be quiet, and its base class does not.
solver = highspy._Highs()
"""

_BEST: Final = """\
for variable in range(1, count + 1):
    solver.addCol(costs.get(variable, 0), 0, 1, 0, [], [])
    solver.changeColIntegrality(variable - 1, highspy.HighsVarType.kInteger)
for terms, least, most in rows:
    places, weights = [variable - 1 for variable in terms], list(terms.values())
    solver.addRow(least, highspy.kHighsInf if most is None else most, len(terms), places, weights)
solver.run()
status = solver.getModelStatus()
if status == highspy.HighsModelStatus.kInfeasible:
    return None
if status != highspy.HighsModelStatus.kOptimal:
    raise SystemExit(solver.modelStatusToString(status))
return [int(value > 0.5) for value in solver.getSolution().col_value]"""


def _program(formula: Formula) -> Any:
    """The integer program of a formula."""
    import highspy

    rows = list(linear_rows(formula))
    n = formula.num_variables
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = n, len(rows)
    costs = np.zeros(n)
    if isinstance(formula, Constraints) and formula.objective is not None:
        objective = linear_objective(formula.objective)
        costs[np.array(objective.variables, np.int64) - 1] = objective.coefficients
    program.col_cost_ = costs
    program.col_lower_, program.col_upper_ = np.zeros(n), np.ones(n)
    program.integrality_ = [highspy.HighsVarType.kInteger] * n
    program.row_lower_ = np.array([-np.inf if r.least is None else r.least for r in rows])
    program.row_upper_ = np.array([np.inf if r.most is None else r.most for r in rows])
    matrix = program.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.start_ = np.cumsum([0, *(len(row.variables) for row in rows)])
    matrix.index_ = np.array([v - 1 for row in rows for v in row.variables], np.int32)
    matrix.value_ = np.array([c for row in rows for c in row.coefficients], np.float64)
    return program


class _HiGHSSolver(Solver):
    def __init__(self, solver: Any, num_variables: int) -> None:
        self._solver = solver
        self._num_variables = num_variables

    def report_to(self, listener: Listener) -> None:
        def hear_model(event: Any) -> None:
            listener.hear_model(self._rounded(event.data_out.mip_solution))
            hear_bound(event)

        def hear_bound(event: Any) -> None:
            listener.hear_bound(event.data_out.mip_dual_bound)

        self._solver.cbMipImprovingSolution.subscribe(hear_model)
        self._solver.cbMipLogging.subscribe(hear_bound)

    def solve(self) -> Answer:
        import highspy

        self._solver.run()
        status = self._solver.getModelStatus()
        # Without variables it says that the model is empty, whatever the rows are.
        known = {
            highspy.HighsModelStatus.kOptimal: Answer.SAT,
            highspy.HighsModelStatus.kModelEmpty: Answer.SAT,
            highspy.HighsModelStatus.kInfeasible: Answer.UNSAT,
        }
        if status not in known:
            raise SolverError(f"highs ended with '{self._solver.modelStatusToString(status)}'")
        return known[status]

    def add(self, clause: Sequence[int]) -> None:
        for row in linear_rows(clauses_of([clause], self._num_variables)):
            places = np.array(row.variables, np.int32) - 1
            values = np.array(row.coefficients, np.float64)
            assert row.least is not None, "a clause has a lower bound"
            self._solver.addRow(row.least, np.inf, len(places), places, values)

    def model(self) -> Assignment:
        return self._rounded(self._solver.getSolution().col_value)

    def _rounded(self, values: Sequence[float]) -> Assignment:
        return np.asarray(np.array(values[: self._num_variables]) > 0.5, np.bool_)
