"""Loads clauses from memory into a solver in this process, through the functions of its library.

A block of clauses then never becomes Python lists, which takes about ten times as long. The loop is
in the compiled module `_direct`, which is optional. It calls functions by their address and knows
neither their library nor their version. A library may change between two versions, and its
functions with it. So whatever is not a stable interface is tested on two small formulas before it
is used, in a separate process: a function that is not the expected one may do anything.
"""

import ctypes
import importlib
import itertools
import random
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, Final

import numpy as np

from nqbench import isolate
from nqbench.backends.base import Backend
from nqbench.clauses.cnf import CNF, Block
from nqbench.common.limits import PatientLimits
from nqbench.common.vocabulary import Answer, Loading, Outcome
from nqbench.plugins.parameters import Choice

LOADING: Final = Choice(Loading.DIRECT, tuple(Loading))
"""The parameter of backends that can load directly, which they do by default where it works."""


@cache
def _loops() -> ModuleType | None:
    try:
        return importlib.import_module("nqbench.backends._direct")
    except ImportError:
        return None


def is_built() -> bool:
    """Whether the compiled module is installed."""
    return _loops() is not None


_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype, _name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
_address_of = ctypes.pythonapi.PyCapsule_GetPointer
_address_of.restype, _address_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def address(function: Any) -> int:
    """The address of a function of a library that ctypes has loaded."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def address_in(capsule: Any) -> int:
    """The address that a capsule holds, in which a binding keeps its solver."""
    address: int = _address_of(capsule, _name_of(capsule))
    return address


def add_literals(function: int, solver: int, blocks: Iterable[Block]) -> None:
    """Call the function at this address as `function(solver, literal)` for each literal, and with 0
    after each clause, as IPASIR's `ipasir_add` (T. Balyo, A. Biere, M. Iser, C. Sinz, Artificial
    Intelligence 241, 2016).
    """
    loops = _loops()
    assert loops is not None
    for block in blocks:
        loops.add_literals(function, solver, np.ascontiguousarray(block))


@dataclass(frozen=True, slots=True)
class MiniSat:
    """The addresses of MiniSat's functions `newVar(polarity, decision)` and `addClause_(clause)`,
    and the polarity that the former has by default (N. Eén, N. Sörensson, SAT 2003).
    """

    new_var: int
    add_clause: int
    polarity: int


def add_clauses(functions: MiniSat, solver: int, variables: int, blocks: Iterable[Block]) -> None:
    """Add clauses to a solver with this number of variables, and the variables that it lacks."""
    loops = _loops()
    assert loops is not None
    new_var, polarity, add_clause = functions.new_var, functions.polarity, functions.add_clause
    for block in blocks:
        clauses = np.ascontiguousarray(block)
        variables = loops.add_clauses(new_var, polarity, add_clause, solver, variables, clauses)


Facts = tuple[Answer, *tuple[Any, ...]]
"""The answer, and what else a solver reports: its model, counters, and the size of the formula."""

_LIMITS: Final = PatientLimits(time_s=10.0)


@cache
def passes(facts_of: Callable[..., Facts], *arguments: str) -> bool:
    """Whether `facts_of(cnf, loading, *arguments)`, which loads and solves a formula, returns the
    same for both ways of loading. False if nothing can be loaded directly.
    """
    if not is_built():
        return False

    formulas = _formulas()

    def test() -> bytes:
        by = [[facts_of(cnf, loading, *arguments) for cnf in formulas] for loading in Loading]
        answers = [answer for answer, *_ in by[0]]
        return bytes([by[0] == by[1] and answers == [Answer.SAT, Answer.UNSAT]])

    ending = isolate.call(test, _LIMITS)
    return ending.outcome is Outcome.FINISHED and ending.payload == b"\1"


@cache
def _formulas() -> tuple[CNF, CNF]:
    """One with a model, and one without."""
    return _satisfiable(), _unsatisfiable()


def _satisfiable() -> CNF:
    """Clauses of one to four literals that a random assignment satisfies, but few others."""
    source = random.Random(1)
    model = [source.choice((-1, 1)) * variable for variable in range(1, 81)]
    blocks = []
    for width, clauses in ((3, 330), (4, 30), (2, 4), (1, 2)):
        rows = [source.sample(model, width) for _ in range(clauses)]
        literals = [
            [true, *(source.choice((-1, 1)) * literal for literal in rest)] for true, *rest in rows
        ]
        blocks.append(np.array(literals, np.int32))
    return CNF(len(model), 0, tuple(blocks))


def _unsatisfiable() -> CNF:
    """Five pigeons in four holes; variable 4p + h + 1 says that pigeon p is in hole h."""
    holes = np.arange(1, 21, dtype=np.int32).reshape(5, 4)
    pairs = np.array([-holes[list(two)] for two in itertools.combinations(range(5), 2)])
    return CNF(holes.size, 0, (holes, pairs.transpose(0, 2, 1).reshape(-1, 2).copy()))


class DirectBackend(Backend):
    """Loads clauses directly if that works here and the parameter `loading`, if there is one, says
    so. Otherwise it loads them through the binding.
    """

    @abstractmethod
    def is_trusted(self) -> bool:
        """Whether clauses can be loaded directly here, as a self-test shows."""

    @property
    def loading(self) -> Loading:
        """How `load` loads clauses."""
        is_direct = self.values.get("loading") == Loading.DIRECT
        return Loading.DIRECT if is_direct and self.is_trusted() else Loading.BINDING

    def probe(self) -> None:
        if self.values.get("loading") == Loading.DIRECT:
            # The other way has a separate test.
            type(self)(f"{self.name}:loading=binding").probe()
        else:
            super().probe()

    def prepare(self) -> None:
        """Test direct loading, and load the smallest instance often, for what Python does only at
        first: see `nqbench.measure.warm_up`.
        """
        super().prepare()
        for _ in range(16):
            self.load(self.smallest())
