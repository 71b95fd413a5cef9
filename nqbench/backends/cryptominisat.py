"""CryptoMiniSat 5 through pycryptosat (M. Soos, K. Nohl, C. Castelluccia, SAT 2009)."""

import sys
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from nqbench.backends.base import Backend, Capabilities, Solver
from nqbench.components import install
from nqbench.components.parameters import Whole
from nqbench.instances.cnf import CNF, Assignment
from nqbench.vocabulary import Answer

# The library ignores an empty clause; 'x and not x' has the same meaning.
_EMPTY_CLAUSE: Final = np.array([1, 0, -1, 0], dtype=np.int32)


class CryptoMiniSat(Backend):
    """CryptoMiniSat on one thread, or on several as in `cryptominisat:threads=2`."""

    distribution = "pycryptosat"
    build = install.CPP if sys.version_info >= (3, 14) else None
    modules = ("pycryptosat",)

    parameters = {"threads": Whole(default=1, least=1)}
    capabilities = Capabilities(incremental=True)

    def load(self, cnf: CNF) -> Solver:
        import pycryptosat

        solver = pycryptosat.Solver(threads=int(self.values["threads"]))
        solver.add_clauses(cnf.flat())
        if any(block.shape[1] == 0 and len(block) for block in cnf.blocks):
            solver.add_clauses(_EMPTY_CLAUSE)
        return _CryptoMiniSatSolver(solver, cnf.num_variables)


class _CryptoMiniSatSolver(Solver):
    def __init__(self, solver: Any, num_variables: int) -> None:
        self._solver = solver
        self._num_variables = num_variables
        self._values: tuple[bool | None, ...] = ()

    def solve(self) -> Answer:
        satisfiable, self._values = self._solver.solve()
        if satisfiable is None:
            return Answer.UNKNOWN
        return Answer.SAT if satisfiable else Answer.UNSAT

    def model(self) -> Assignment:
        values = np.zeros(self._num_variables, dtype=np.bool_)
        told = np.array(self._values[1:], dtype=np.bool_)
        values[: len(told)] = told
        return values

    def add(self, clause: Sequence[int]) -> None:
        self._solver.add_clause(list(clause))
