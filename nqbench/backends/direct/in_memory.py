"""Loads clauses from memory into a solver in this process, through the functions of its library.

A block of clauses then never becomes Python lists, which takes about ten times as long. The loop is
in the compiled module `_direct`, which is optional. It calls functions by their address and knows
neither their library nor their version. So whatever is not a stable interface has to pass a
self-test first: see `self_test`.
"""

import ctypes
import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, Final

import numpy as np

from nqbench.clauses.cnf import Block
from nqbench.common.vocabulary import Loading
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
