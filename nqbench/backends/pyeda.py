"""PicoSAT (A. Biere, JSAT 4, 2008) as PyEDA carries it."""

from collections.abc import Iterator, Sequence

import numpy as np

from nqbench.backends.base import Backend, Capabilities, Solver
from nqbench.cnf import CNF, Assignment
from nqbench.vocabulary import Answer


class PyEDA(Backend[CNF]):
    """PyEDA's PicoSAT. It takes clauses and solves them in one call, so its solve includes both."""

    distribution = "pyeda"
    modules = ("pyeda.boolalg.picosat",)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(enumeration=True)

    def load(self, cnf: CNF) -> Solver:
        return _PyEDASolver(cnf.num_variables, list(cnf.clauses()))


class _PyEDASolver(Solver):
    def __init__(self, num_variables: int, clauses: list[list[int]]) -> None:
        from pyeda.boolalg import picosat

        self._picosat = picosat
        self._num_variables = num_variables
        self._clauses = clauses
        self._values: tuple[int, ...] = ()

    def solve(self) -> Answer:
        values = self._picosat.satisfy_one(self._num_variables, self._clauses)
        if values is None:
            return Answer.UNSAT
        self._values = values
        return Answer.SAT

    def model(self) -> Assignment:
        return _assignment(self._values)

    def models(self) -> Iterator[Assignment]:
        return map(_assignment, self._picosat.satisfy_all(self._num_variables, self._clauses))

    def add(self, clause: Sequence[int]) -> None:
        self._clauses.append(list(clause))


def _assignment(values: Sequence[int]) -> Assignment:
    # 1 is true, -1 false, 0 either: either is read as false.
    return np.array(values, dtype=np.int8) > 0
