"""RC2 of PySAT: core-guided search for the best objective.

A. Ignatiev, A. Morgado, J. Marques-Silva, "RC2: an efficient MaxSAT solver", JSAT 11, 2019. Each
literal of the objective is a soft clause that asks for its negation. RC2 finds sets of soft clauses
that cannot hold together, and pays for one of each, until the others have a model: its lower bound
meets the objective. It writes no proof: that no model is better is checked otherwise.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from nqbench.backends.base import Backend, Capabilities, Listener, Solver
from nqbench.backends.snippet import BestSnippet
from nqbench.clauses.cnf import Assignment
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.rows import Objective
from nqbench.common.vocabulary import Answer
from nqbench.plugins.parameters import Choice

_SOLVERS: Final = ("glucose3", "glucose4", "cadical153", "cadical195", "minisat22")


class RC2(Backend):
    """RC2 on clauses and an objective: `rc2:solver=cadical195`, and with the heaviest soft clauses
    first `rc2:strata=on`. Without an objective, it is the solver that it calls.
    """

    distribution = "python-sat"
    modules = ("pysat.examples.rc2", "pysolvers")
    parameters = {
        "solver": Choice("glucose3", _SOLVERS),
        "strata": Choice("off", ("off", "on")),
    }
    capabilities = Capabilities(incremental=True, optimises=True)

    def load(self, formula: Formula) -> Solver:
        from pysat.examples import rc2
        from pysat.formula import WCNF

        cnf = formula.cnf if isinstance(formula, Constraints) else formula
        objective = formula.objective if isinstance(formula, Constraints) else None
        soft = WCNF()
        soft.nv = cnf.num_variables
        for clause in cnf.clauses():
            soft.append(list(clause))
        if objective is not None:
            for literal, weight in zip(
                objective.literals.tolist(), objective.weights.tolist(), strict=True
            ):
                soft.append([-literal], weight=weight)
        library = rc2.RC2Stratified if self.values["strata"] == "on" and soft.soft else rc2.RC2
        solver = library(soft, solver=self.values["solver"])
        return _RC2Solver(solver, cnf.num_variables, objective)

    def best_snippet(self) -> BestSnippet:
        library = "RC2Stratified" if self.values["strata"] == "on" else "RC2"
        imports = (f"from pysat.examples.rc2 import {library}", "from pysat.formula import WCNF")
        solver = f"solver = {library}(soft, solver={self.values['solver']!r})\n"
        return BestSnippet(imports, f"{_BEST}{solver}{_MODEL}")


_BEST: Final = """\
soft = WCNF()
soft.nv = count
for terms, _, _ in rows:
    soft.append([weight * variable for variable, weight in terms.items()])
for variable, weight in costs.items():
    if weight:
        soft.append([-variable if weight > 0 else variable], weight=abs(weight))
"""

_MODEL: Final = """\
model = solver.compute()
if model is None:
    return None
true = set(model)
return [int(variable in true) for variable in range(1, count + 1)]"""


class _RC2Solver(Solver):
    def __init__(self, solver: Any, num_variables: int, objective: Objective | None) -> None:
        self._solver = solver
        self._model = np.zeros(num_variables, np.bool_)
        self._objective = objective

    def report_to(self, listener: Listener) -> None:
        """Report the model of each stratum, and the costs so far after each core."""
        assert self._objective is not None
        solver = self._solver
        search, process_core = solver.compute_, solver.process_core
        negated = int(self._objective.weights[self._objective.literals < 0].sum())

        def search_and_report() -> Any:
            is_sat = search()
            if is_sat:
                names = solver.vmap.i2e
                model = solver.oracle.get_model() or ()
                named = [names[v] for v in model if v > 0 and v in names]
                listener.hear_model(self._values(named))
            return is_sat

        def process_and_report() -> None:
            process_core()
            listener.hear_bound(solver.cost - negated)

        solver.compute_, solver.process_core = search_and_report, process_and_report

    def solve(self) -> Answer:
        literals = self._solver.compute()
        if literals is None:
            return Answer.UNSAT
        self._model = self._values(literals)
        return Answer.SAT

    def _values(self, literals: Sequence[int]) -> Assignment:
        values = np.zeros_like(self._model)
        true = np.array([v for v in literals if 0 < v <= values.size], np.int64)
        values[true - 1] = True
        return values

    def add(self, clause: Sequence[int]) -> None:
        self._solver.add_clause(list(clause))

    def model(self) -> Assignment:
        return self._model.copy()
