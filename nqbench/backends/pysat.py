"""Solvers of the PySAT toolkit (A. Ignatiev, A. Morgado, J. Marques-Silva, SAT 2018)."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from nqbench.backends.base import Backend, Capabilities, Counters, Solver
from nqbench.instances.cnf import CNF, Assignment
from nqbench.vocabulary import Answer

_PLAIN: Final = Capabilities(incremental=True, enumeration=True, counters=True)
_PROVING: Final = replace(_PLAIN, proof=True)

CAPABILITIES: Final = {
    "cadical103": _PROVING,
    "cadical153": _PROVING,
    "cadical195": _PROVING,
    "cadical300": _PROVING,
    "ergo": _PROVING,
    "gluecard3": _PROVING,
    "gluecard4": _PROVING,
    "glucose3": _PROVING,
    "glucose4": _PROVING,
    "glucose42": _PROVING,
    # One shot: it aborts if a clause is added after an answer.
    "kissat404": Capabilities(),
    "lingeling": _PROVING,
    "maplechrono": _PROVING,
    # Its proofs may lack their last line.
    "maplecm": _PLAIN,
    # Its proofs number the variables one too high.
    "maplesat": _PLAIN,
    "mergesat3": _PLAIN,
    "mgh": _PLAIN,
    "minicard": _PLAIN,
    "minisat22": _PLAIN,
    "minisatep": _PLAIN,
}
"""What each solver of PySAT can do, as tests/test_backends.py checks."""


class PySAT(Backend):
    """The PySAT solver of the same name."""

    distribution = "python-sat"
    modules = ("pysat.solvers",)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.capabilities = CAPABILITIES[self.name]

    def load(self, cnf: CNF) -> Solver:
        return _PySATSolver(self._oracle(cnf), cnf.num_variables, self.capabilities.counters)

    def prove(self, cnf: CNF) -> str:
        oracle = self._oracle(cnf, with_proof=True)
        oracle.solve()
        return "\n".join(oracle.get_proof() or ())

    def _oracle(self, cnf: CNF, **options: bool) -> Any:
        from pysat.solvers import Solver as Oracle

        oracle = Oracle(name=self.name, **options)
        for chunk in cnf.chunks(1 << 12):
            # map and a bounded deque keep the loop in C: a for loop takes four times as long.
            deque(map(oracle.add_clause, chunk.tolist()), maxlen=0)
        return oracle


class _PySATSolver(Solver):
    def __init__(self, oracle: Any, num_variables: int, counts: bool) -> None:
        self._oracle = oracle
        self._num_variables = num_variables
        self._counts = counts

    def solve(self) -> Answer:
        return Answer.SAT if self._oracle.solve() else Answer.UNSAT

    def model(self) -> Assignment:
        return self._values(self._oracle.get_model())

    def models(self) -> Iterator[Assignment]:
        if last := self._num_variables:
            # PySAT enumerates the values of variables up to the last one in a clause.
            self._oracle.add_clause([last, -last])
        return map(self._values, self._oracle.enum_models())

    def add(self, clause: Sequence[int]) -> None:
        self._oracle.add_clause(list(clause))

    def counters(self) -> Counters:
        if not self._counts:
            return Counters()
        told = self._oracle.accum_stats()
        return Counters(
            conflicts=told.get("conflicts"),
            decisions=told.get("decisions"),
            propagations=told.get("propagations"),
            restarts=told.get("restarts"),
        )

    def _values(self, model: list[int]) -> Assignment:
        literals = np.array(model, dtype=np.int32)
        if len(literals) == self._num_variables:
            return literals > 0
        values = np.zeros(self._num_variables, dtype=np.bool_)
        values[literals[literals > 0] - 1] = True
        return values
