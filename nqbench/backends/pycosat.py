"""PicoSAT 965 (A. Biere, JSAT 4, 2008) through pycosat."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from nqbench.backends.base import Backend, Capabilities, Solver
from nqbench.backends.snippet import Snippet
from nqbench.clauses.cnf import CNF, Assignment
from nqbench.common.vocabulary import Answer, Form, Loading
from nqbench.plugins import install

_WITHOUT_MODEL: Final[dict[str, Answer]] = {"UNSAT": Answer.UNSAT, "UNKNOWN": Answer.UNKNOWN}


class PycoSAT(Backend):
    """pycosat loads and solves clauses in one call, so its solve time includes loading."""

    distribution = "pycosat"
    toolchain = install.Toolchain()
    modules = ("pycosat",)
    capabilities = Capabilities(enumeration=True, work_limits=("propagations",))

    def load(self, cnf: CNF) -> Solver:
        return _PycoSATSolver(cnf.num_variables, list(cnf.clauses()))

    def snippet(self, form: Form) -> Snippet | None:  # noqa: ARG002
        body = (
            "variables, clauses, _ = read(path)\n"
            "model = pycosat.solve(clauses, vars=variables)\n"
            'return None if model == "UNSAT" else model, None'
        )
        return Snippet(("import pycosat",), body, reads=True)


class _PycoSATSolver(Solver):
    loading = Loading.BINDING

    def __init__(self, num_variables: int, clauses: list[list[int]]) -> None:
        import pycosat

        self._pycosat = pycosat
        self._num_variables = num_variables
        self._clauses = clauses
        self._literals: list[int] = []
        self._limit: dict[str, int] = {}

    def limit(self, work: Mapping[str, int]) -> None:
        self._limit = {"prop_limit": work["propagations"]}

    def solve(self) -> Answer:
        result = self._pycosat.solve(self._clauses, vars=self._num_variables, **self._limit)
        if isinstance(result, str):
            return _WITHOUT_MODEL[result]
        self._literals = result
        return Answer.SAT

    def model(self) -> Assignment:
        return np.array(self._literals) > 0

    def models(self) -> Iterator[Assignment]:
        for literals in self._pycosat.itersolve(self._clauses, vars=self._num_variables):
            yield np.array(literals) > 0

    def add(self, clause: Sequence[int]) -> None:
        self._clauses.append(list(clause))
