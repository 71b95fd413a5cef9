"""PicoSAT (A. Biere, JSAT 4, 2008) as PyEDA ships it.

PyEDA's `satisfy_one` makes PicoSAT allocate through Python without holding the interpreter lock,
which crashes on Python 3.12 and later. The same shared object exports PicoSAT's C interface, which
has its own allocator. nqbench uses that interface on every version of Python, with the settings of
`satisfy_one`, so that the same search runs everywhere.
"""

import ctypes
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import repeat
from typing import Final

import numpy as np

from nqbench.backends import direct
from nqbench.backends.base import PHASE, Capabilities, Solver
from nqbench.backends.direct import LOADING, DirectBackend
from nqbench.backends.snippet import Snippet
from nqbench.clauses.cnf import CNF, Assignment, Block
from nqbench.common.errors import SolverError
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer, Form, Loading
from nqbench.encodings.pyeda_onehot import TOOLCHAIN
from nqbench.plugins.parameters import Whole

# picosat.h
_ANSWERS: Final = {0: Answer.UNKNOWN, 10: Answer.SAT, 20: Answer.UNSAT}
_NO_LIMIT: Final = -1

# The default of satisfy_one. 0 and 1 are false and true.
_JEROSLOW_WANG: Final = 2


class PyEDA(DirectBackend):
    """PyEDA's PicoSAT, through its C interface, with parameters as in `pyeda:seed=3:phase=true`."""

    distribution = "pyeda"
    toolchain = TOOLCHAIN
    modules = ("pyeda.boolalg.picosat",)
    parameters = {
        "seed": Whole(default=1, least=0, most=2**31 - 1),
        "phase": PHASE,
        "loading": LOADING,
    }
    capabilities = Capabilities(
        incremental=True,
        enumeration=True,
        counters=True,
        work_limits=("propagations",),
    )

    @cached_property
    def version(self) -> str | None:
        """The version of PyEDA, and how its PicoSAT is called: 0.1.0 called `satisfy_one`."""
        version = super().version
        return version and f"{version} through the C interface of PicoSAT"

    def is_trusted(self) -> bool:
        return direct.passes(_collect_facts)

    def load(self, cnf: CNF) -> Solver:
        solver = _PicoSAT(cnf.num_variables, int(self.values["seed"]), self._default_phase)
        solver.load(cnf, self.loading)
        return solver

    @property
    def _default_phase(self) -> int:
        return _JEROSLOW_WANG if self.phase is None else int(self.phase)

    def snippet(self, form: Form) -> Snippet | None:  # noqa: ARG002
        body = (
            "variables, clauses, _ = read(path)\n"
            "c = ctypes.CDLL(picosat.__file__)  # satisfy_one crashes on Python 3.12 and later\n"
            "c.picosat_init.restype = ctypes.c_void_p\n"
            "solver = ctypes.c_void_p(c.picosat_init())\n"
            f"c.picosat_set_global_default_phase(solver, {self._default_phase})\n"
            f"c.picosat_set_seed(solver, {self.values['seed']})\n"
            "c.picosat_adjust(solver, variables)\n"
            "for clause in clauses:\n"
            "    for literal in [*clause, 0]:\n"
            "        c.picosat_add(solver, literal)\n"
            "is_sat = c.picosat_sat(solver, -1) == 10\n"
            "every = range(1, variables + 1) if is_sat else []\n"
            "model = [v if c.picosat_deref(solver, v) > 0 else -v for v in every]\n"
            "c.picosat_reset(solver)\n"
            "return model if is_sat else None, None"
        )
        return Snippet(("import ctypes", "from pyeda.boolalg import picosat"), body, reads=True)


def _collect_facts(cnf: CNF, loading: Loading) -> direct.Facts:
    solver = _PicoSAT(cnf.num_variables, seed=1, phase=_JEROSLOW_WANG)
    solver.load(cnf, loading)
    answer = solver.solve()
    values = solver.model().tobytes() if answer is Answer.SAT else b""
    return answer, values, solver.size(), solver.counters()


@cache
def _library() -> ctypes.CDLL:
    from pyeda.boolalg import picosat

    library = ctypes.CDLL(picosat.__file__)
    solver, number = ctypes.c_void_p, ctypes.c_int
    # The result is an int unless stated otherwise.
    library.picosat_init.restype = solver
    library.picosat_reset.argtypes = [solver]
    library.picosat_set_global_default_phase.argtypes = [solver, number]
    library.picosat_set_seed.argtypes = [solver, ctypes.c_uint]
    library.picosat_set_propagation_limit.argtypes = [solver, ctypes.c_ulonglong]
    library.picosat_adjust.argtypes = [solver, number]
    library.picosat_add_lits.argtypes = [solver, ctypes.c_void_p]
    for function in (library.picosat_variables, library.picosat_added_original_clauses):
        function.argtypes = [solver]
    library.picosat_sat.argtypes = [solver, number]
    library.picosat_deref.argtypes = [solver, number]
    for function in (library.picosat_decisions, library.picosat_propagations):
        function.argtypes, function.restype = [solver], ctypes.c_ulonglong
    return library


@cache
def _add() -> int:
    return direct.address(_library().picosat_add)


class _PicoSAT(Solver):
    def __init__(self, num_variables: int, seed: int, phase: int) -> None:
        self._c = _library()
        self._num_variables = num_variables
        self._solver = self._c.picosat_init()
        if not self._solver:
            raise SolverError("PicoSAT cannot be started")
        self._c.picosat_set_global_default_phase(self._solver, phase)
        self._c.picosat_set_seed(self._solver, seed)
        self._c.picosat_adjust(self._solver, num_variables)

    def __del__(self) -> None:
        if getattr(self, "_solver", None):
            self._c.picosat_reset(self._solver)

    def load(self, cnf: CNF, loading: Loading) -> None:
        """Add the clauses of a formula."""
        self.loading = loading
        if loading is Loading.DIRECT:
            direct.add_literals(_add(), self._solver, cnf.blocks)
            return
        for chunk in cnf.chunks(1 << 12):
            self.add_block(chunk)

    def size(self) -> tuple[int, int]:
        """The numbers of variables and clauses that the solver has."""
        clauses = self._c.picosat_added_original_clauses(self._solver)
        return self._c.picosat_variables(self._solver), clauses

    def add_block(self, block: Block) -> None:
        """Add clauses of one width, shape (clauses, width)."""
        terminated = np.zeros((len(block), block.shape[1] + 1), dtype=np.int32)
        terminated[:, :-1] = block
        address, step = terminated.ctypes.data, terminated.strides[0]
        clauses = range(address, address + step * len(block), step)
        deque(map(self._c.picosat_add_lits, repeat(self._solver), clauses), maxlen=0)

    def limit(self, work: Mapping[str, int]) -> None:
        self._c.picosat_set_propagation_limit(self._solver, work["propagations"])

    def solve(self) -> Answer:
        return _ANSWERS[self._c.picosat_sat(self._solver, _NO_LIMIT)]

    def model(self) -> Assignment:
        variables = range(1, self._num_variables + 1)
        values = list(map(self._c.picosat_deref, repeat(self._solver), variables))
        # 1 is true, -1 is false, and 0 is either: read it as false.
        return np.array(values, dtype=np.int8) > 0

    def models(self) -> Iterator[Assignment]:
        """Every model once, excluded by a clause on all variables, as `satisfy_all` does."""
        variables = np.arange(1, self._num_variables + 1, dtype=np.int32)
        while self.solve() is Answer.SAT:
            values = self.model()
            yield values
            self.add_block(np.where(values, -variables, variables)[np.newaxis])

    def add(self, clause: Sequence[int]) -> None:
        self.add_block(np.array([list(clause)], dtype=np.int32).reshape(1, -1))

    def counters(self) -> Counters:
        return Counters(
            decisions=self._c.picosat_decisions(self._solver),
            propagations=self._c.picosat_propagations(self._solver),
        )
