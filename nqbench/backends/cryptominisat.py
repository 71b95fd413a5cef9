"""CryptoMiniSat 5 through pycryptosat (M. Soos, K. Nohl, C. Castelluccia, SAT 2009)."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from nqbench.backends.base import PHASE, Backend, Capabilities, Solver
from nqbench.backends.snippet import Snippet
from nqbench.clauses.cnf import CNF, Assignment
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Answer, Form, Loading
from nqbench.plugins import install
from nqbench.plugins.parameters import Whole, options

# The library ignores an empty clause in a flat array; 'x and not x' has the same meaning.
_EMPTY_CLAUSE: Final = np.array([1, 0, -1, 0], dtype=np.int32)


class CryptoMiniSat(Backend):
    """CryptoMiniSat on one thread, or on several as in `cryptominisat:threads=2`, with the options
    of its program as in `cryptominisat:opt.restart=luby`.
    """

    distribution = "pycryptosat"
    toolchain = install.CPP if sys.version_info >= (3, 14) else None
    modules = ("pycryptosat",)

    parameters = {"threads": Whole(default=1, least=1), "phase": PHASE}
    passes_options = True

    def __init__(self, name: str) -> None:
        super().__init__(name)
        # How threads share the work is a matter of chance.
        limits = ("conflicts",) if self.values["threads"] == 1 else ()
        self.capabilities = Capabilities(incremental=True, work_limits=limits)

    def check_options(self) -> None:
        try:
            self._solver()
        except (TypeError, ValueError) as error:
            raise InputError(str(error)) from error

    def _solver(self) -> Any:
        import pycryptosat

        return pycryptosat.Solver(**self._settings())

    def _settings(self) -> dict[str, Any]:
        """The arguments of the library's solver."""
        solver_options = {name: str(value).lower() for name, value in options(self.values).items()}
        if self.phase is not None:
            solver_options["polar"] = str(self.phase).lower()
        # Versions before 5.12 take no options.
        how = {"options": solver_options} if solver_options else {}
        return {"threads": int(self.values["threads"]), **how}

    def snippet(self, form: Form) -> Snippet | None:  # noqa: ARG002
        settings = ", ".join(f"{name}={value!r}" for name, value in self._settings().items())
        body = (
            "_, clauses, _ = read(path)\n"
            f"solver = pycryptosat.Solver({settings})\n"
            "solver.add_clauses(clauses)\n"
            "is_sat, values = solver.solve()\n"
            "model = [v if values[v] else -v for v in range(1, len(values))] if is_sat else None\n"
            "return model, None"
        )
        return Snippet(("import pycryptosat",), body, reads=True)

    def load(self, cnf: CNF) -> Solver:
        solver = self._solver()
        solver.add_clauses(cnf.flat())
        if any(block.shape[1] == 0 and len(block) for block in cnf.blocks):
            solver.add_clauses(_EMPTY_CLAUSE)
        return _CryptoMiniSatSolver(solver, cnf.num_variables)


class _CryptoMiniSatSolver(Solver):
    loading = Loading.BINDING

    def __init__(self, solver: Any, num_variables: int) -> None:
        self._solver = solver
        self._num_variables = num_variables
        self._values: tuple[bool | None, ...] = ()
        self._limit: dict[str, int] = {}

    def limit(self, work: Mapping[str, int]) -> None:
        self._limit = {"confl_limit": work["conflicts"]}

    def solve(self) -> Answer:
        satisfiable, self._values = self._solver.solve(**self._limit)
        if satisfiable is None:
            return Answer.UNKNOWN
        return Answer.SAT if satisfiable else Answer.UNSAT

    def model(self) -> Assignment:
        values = np.zeros(self._num_variables, dtype=np.bool_)
        solver_values = np.array(self._values[1:], dtype=np.bool_)
        values[: len(solver_values)] = solver_values
        return values

    def add(self, clause: Sequence[int]) -> None:
        self._solver.add_clause(list(clause))
