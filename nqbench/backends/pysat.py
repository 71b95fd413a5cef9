"""Solvers of the PySAT toolkit (A. Ignatiev, A. Morgado, J. Marques-Silva, SAT 2018)."""

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from nqbench.backends.base import Backend, Counters, Solver
from nqbench.cnf import CNF, Assignment
from nqbench.vocabulary import Answer


class PySAT(Backend):
    """The PySAT solver of the same name."""

    distribution = "python-sat"
    modules = ("pysat.solvers",)

    def load(self, cnf: CNF) -> Solver:
        from pysat.solvers import Solver as Oracle

        oracle = Oracle(name=self.name)
        for chunk in cnf.chunks(1 << 12):
            # map and a bounded deque keep the loop in C: a for loop takes four times as long.
            deque(map(oracle.add_clause, chunk.tolist()), maxlen=0)
        return _PySATSolver(oracle, cnf.num_variables)


class _PySATSolver(Solver):
    def __init__(self, oracle: Any, num_variables: int) -> None:
        self._oracle = oracle
        self._num_variables = num_variables

    def solve(self) -> Answer:
        return Answer.SAT if self._oracle.solve() else Answer.UNSAT

    def model(self) -> Assignment:
        literals = np.array(self._oracle.get_model(), dtype=np.int64)
        values = np.zeros(self._num_variables, dtype=np.bool_)
        values[literals[literals > 0] - 1] = True
        return values

    def add(self, clause: Sequence[int]) -> None:
        self._oracle.add_clause(list(clause))

    def counters(self) -> Counters:
        told = self._oracle.accum_stats() or {}
        return Counters(
            conflicts=told.get("conflicts"),
            decisions=told.get("decisions"),
            propagations=told.get("propagations"),
            restarts=told.get("restarts"),
        )
