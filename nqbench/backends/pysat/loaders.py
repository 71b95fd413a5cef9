"""Loads clauses into the solvers of PySAT from memory: its shared object exports what is needed.

The functions are named as the Itanium C++ ABI does (section 5.1), so a name also says what the
function takes. That of Ergo is not exported.
"""

import ctypes
from collections import deque
from functools import cache
from itertools import repeat
from typing import Any, Final

import numpy as np

from nqbench.backends import direct
from nqbench.clauses.cnf import CNF
from nqbench.common.errors import UnavailableError
from nqbench.common.vocabulary import Answer, Loading

_ADD: Final = {
    "cadical103": "_ZN10CaDiCaL1036Solver3addEi",
    "cadical153": "_ZN10CaDiCaL1536Solver3addEi",
    "cadical195": "_ZN10CaDiCaL1956Solver3addEi",
    "cadical300": "_ZN10CaDiCaL3006Solver3addEi",
    "kissat404": "kissat_add",
    "lingeling": "lgladd",
}
"""The functions that take a literal."""

_SPACES: Final = {
    "gluecard3": "Gluecard30",
    "gluecard4": "Gluecard41",
    "glucose3": "Glucose30",
    "glucose4": "Glucose41",
    "glucose42": "Glucose421",
    "maplechrono": "MapleChrono",
    "maplecm": "MapleCM",
    "maplesat": "Maplesat",
    "mergesat3": "Minisat",
    "mgh": "MinisatGH",
    "minicard": "Minicard",
    "minisat22": "Minisat22",
    "minisatep": "MinisatEP",
}
"""The namespaces of the solvers that descend from MiniSat."""

_LATER: Final = frozenset({"mgh", "minisatep"})
"""Those that descend from MiniSat of 2013 or later, whose functions take other types."""

# The default of the first argument of newVar: `true`, later `l_Undef`.
_POLARITY, _NO_POLARITY = 1, 2
_NEW_VAR: Final = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_int)

CAN_LOAD: Final = frozenset({*_ADD, *_SPACES})
"""The solvers that take clauses from memory."""

HAS_ZERO: Final = frozenset(_SPACES)
"""The solvers with a variable 0, which is in no clause, since PySAT numbers variables from 1."""


def load(solver: str, oracle: Any, cnf: CNF, *, zero_is_idle: bool) -> None:
    """Add clauses to a solver without any. If `zero_is_idle`, it never decides variable 0."""
    address = direct.address_in(_capsule(oracle))
    if solver == "kissat404":
        # PySAT keeps the largest variable beside the solver, to know the size of a model.
        address = ctypes.c_uint64.from_address(address).value
    if solver in _ADD:
        direct.add_literals(_add(solver), address, cnf.blocks)
    else:
        if zero_is_idle:
            make_zero_idle(solver, oracle)
        direct.add_clauses(_minisat(solver), address, int(zero_is_idle), cnf.blocks)
    if solver == "lingeling":
        # As PySAT does, so that other clauses can be added after an answer.
        freeze = _library().lglfreeze
        freeze.argtypes = [ctypes.c_void_p, ctypes.c_int]
        deque(map(freeze, repeat(address), _used_variables(cnf)), maxlen=0)
    if solver == "kissat404" and cnf.num_variables:
        oracle.add_clause([cnf.num_variables, -cnf.num_variables])


def make_zero_idle(solver: str, oracle: Any) -> None:
    """Stop a solver without variables from deciding variable 0. Raises `UnavailableError` if PySAT
    does not export what is needed.
    """
    try:
        functions = _minisat(solver)
    except AttributeError as error:
        raise UnavailableError(f"PySAT does not export newVar of {solver}") from error
    new_var = _NEW_VAR(functions.new_var)
    new_var(direct.address_in(_capsule(oracle)), functions.polarity, 0)


def is_trusted(solver: str) -> bool:
    """Whether the solver takes clauses from memory here, as the self-test shows."""
    return solver in CAN_LOAD and direct.passes(_collect_facts, solver)


def _collect_facts(cnf: CNF, loading: Loading, solver: str) -> direct.Facts:
    from pysat.solvers import Solver

    with Solver(name=solver) as oracle:
        if loading is Loading.DIRECT:
            load(solver, oracle, cnf, zero_is_idle=False)
        else:
            oracle.append_formula(list(cnf.clauses()))
        answer, model = Answer.SAT if oracle.solve() else Answer.UNSAT, oracle.get_model()
        if solver == "kissat404":  # it reports nothing else, and takes no clause after an answer
            return answer, model
        size = oracle.nof_vars(), oracle.nof_clauses()
        oracle.add_clause([-literal for literal in model or (-1,)])
        return answer, model, size, oracle.solve(), oracle.get_model(), oracle.accum_stats()


@cache
def _add(solver: str) -> int:
    return direct.address(_library()[_ADD[solver]])


@cache
def _minisat(solver: str) -> direct.MiniSat:
    library, space, later = _library(), _SPACES[solver], solver in _LATER
    prefix = f"_ZN{len(space)}{space}6Solver"
    new_var = library[f"{prefix}6newVar{'ENS_5lboolEb' if later else 'Ebb'}"]
    add_clause = library[f"{prefix}10addClause_ERNS_3vecINS_3LitE{'iEE' if later else 'EE'}"]
    polarity = _NO_POLARITY if later else _POLARITY
    return direct.MiniSat(direct.address(new_var), direct.address(add_clause), polarity)


def _used_variables(cnf: CNF) -> list[int]:
    """The variables that are in a clause."""
    is_used = np.zeros(cnf.num_variables + 1, np.bool_)
    for chunk in cnf.chunks():
        is_used[np.abs(chunk)] = True
    return np.flatnonzero(is_used).tolist()


@cache
def _library() -> ctypes.CDLL:
    import pysolvers

    return ctypes.CDLL(pysolvers.__file__)


def _capsule(oracle: Any) -> Any:
    """The capsule in which the solver is: the first one. A second one holds the file of a proof."""
    return next(v for v in vars(oracle.solver).values() if type(v).__name__ == "PyCapsule")
