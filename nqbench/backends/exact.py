"""Exact (J. Devriendt), a fork of RoundingSat: pseudo-Boolean search with cutting planes.

J. Elffers, J. Nordström, "Divide and conquer: towards faster pseudo-Boolean solving", IJCAI 2018;
J. Devriendt, S. Gocht, E. Demirović, J. Nordström, P. Stuckey, "Cutting to the core of
pseudo-Boolean optimization", AAAI 2021. Its numbers have any length. A measured run writes no
proof, which would take up to three times as long.
"""

import os
from collections.abc import Sequence
from typing import Any, BinaryIO, Final

import numpy as np

from nqbench.backends.base import Backend, Capabilities, Listener, Solver
from nqbench.backends.snippet import BestSnippet
from nqbench.clauses.cnf import Assignment
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.linear import Linear, clauses_of, linear_objective, linear_rows
from nqbench.common.errors import SolverError
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer
from nqbench.isolate import scratch

_RUNNING: Final = ("INPROCESSED", "PAUSED")

_COUNTERS: Final = ("conflicts", "decisions", "propagations", "restarts")


class Exact(Backend):
    """Exact on clauses, and rows with or without weights."""

    distribution = "exact"
    modules = ("exact",)
    takes_weights = True
    capabilities = Capabilities(
        incremental=True, counters=True, at_most_k=True, optimises=True, row_proofs=True
    )

    def load(self, formula: Formula) -> Solver:
        from exact import Exact as Library

        solver = Library()
        for variable in range(1, formula.num_variables + 1):
            solver.addVariable(str(variable))
        for row in linear_rows(formula):
            _add(solver, row)
        objective = formula.objective if isinstance(formula, Constraints) else None
        if objective is not None:
            solver.setObjective(_terms(linear_objective(objective)))
        return _ExactSolver(solver, formula.num_variables, is_best=objective is not None)

    def best_snippet(self) -> BestSnippet:
        return BestSnippet(("from exact import Exact",), _BEST)

    def prove_about_rows(self, opb: bytes, proof: BinaryIO) -> None:
        from exact import Exact as Library

        folder = scratch.Folder()
        path = folder.path / "log"
        path.with_suffix(".proof").symlink_to(f"/proc/{os.getpid()}/fd/{proof.fileno()}")
        # It would assume lemmas instead of deriving them.
        solver = Library([("proof-log", str(path)), ("proof-assumptions", "0")])
        for line in opb.splitlines():
            words = line.decode().split()
            if words[0] == "*":
                for variable in range(1, int(words[2]) + 1):
                    solver.addVariable(f"x{variable}")
            elif words[0] == "min:":
                terms, constant = _in_variables(words[1:-1])
                solver.setObjective(terms, True, constant)
            else:
                terms, constant = _in_variables(words[:-3])
                solver.addConstraint(terms, True, int(words[-2]) - constant)
        state = solver.runFull(b"\nmin:" in opb)
        if state != "UNSAT":
            raise SolverError(f"exact says '{state}' when it is asked for a proof")


_BEST: Final = """\
def named(terms):
    return [(weight, str(variable)) for variable, weight in terms.items()]

solver = Exact()
for variable in range(1, count + 1):
    solver.addVariable(str(variable))
for terms, least, most in rows:
    solver.addConstraint(named(terms), True, least, most is not None, most or 0)
solver.setObjective(named(costs))
state = solver.runFull(True)
if state not in ("SAT", "UNSAT"):
    raise SystemExit(state)
if not solver.hasSolution():
    return None
return list(solver.getLastSolutionFor([str(v) for v in range(1, count + 1)]))"""


def _in_variables(words: Sequence[str]) -> tuple[list[tuple[int, str]], int]:
    """The terms in these words and a constant: w ~x is w - w x."""
    terms, constant = list[tuple[int, str]](), 0
    for weight, literal in zip(map(int, words[::2]), words[1::2], strict=True):
        constant += weight if literal.startswith("~") else 0
        terms.append((-weight if literal.startswith("~") else weight, literal.lstrip("~")))
    return terms, constant


def _add(solver: Any, row: Linear) -> None:
    has_least, has_most = row.least is not None, row.most is not None
    solver.addConstraint(_terms(row), has_least, row.least or 0, has_most, row.most or 0)


def _terms(row: Linear) -> list[tuple[int, str]]:
    return [(c, str(v)) for c, v in zip(row.coefficients, row.variables, strict=True)]


class _ExactSolver(Solver):
    def __init__(self, solver: Any, num_variables: int, *, is_best: bool) -> None:
        self._solver = solver
        self._names = [str(variable) for variable in range(1, num_variables + 1)]
        self._is_best = is_best
        self._listener: Listener | None = None

    def report_to(self, listener: Listener) -> None:
        self._listener = listener

    def solve(self) -> Answer:
        state = self._run_reporting(self._listener) if self._listener else self._run()
        # With an objective, it ends when no better model is left.
        if state == "SAT" or (state == "UNSAT" and self._is_best and self._solver.hasSolution()):
            return Answer.SAT
        if state != "UNSAT":
            raise SolverError(f"exact ended in the state {state}")
        return Answer.UNSAT

    def _run(self) -> str:
        return str(self._solver.runFull(self._is_best))

    def _run_reporting(self, listener: Listener) -> str:
        """Do what `runFull` does, and report each model."""
        while True:
            state = str(self._solver.runOnce())
            if state == "SAT":
                listener.hear_model(self.model())
                self._solver.boundObjByLastSol()
            elif state not in _RUNNING:
                return state  # then its bound is not one of all models
            listener.hear_bound(self._solver.getDualBound())

    def model(self) -> Assignment:
        return np.array(self._solver.getLastSolutionFor(self._names), np.bool_)

    def add(self, clause: Sequence[int]) -> None:
        for row in linear_rows(clauses_of([clause], len(self._names))):
            _add(self._solver, row)

    def counters(self) -> Counters:
        numbers = dict(self._solver.getStats())
        return Counters(**{name: int(numbers[name]) for name in _COUNTERS if name in numbers})
