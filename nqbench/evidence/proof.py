"""Checks proofs of unsatisfiability with code that is independent of all solvers.

DRAT: N. Wetzler, M. Heule, W. Hunt, "DRAT-trim: efficient checking and trimming using expressive
clausal proofs", SAT 2014. The checker is the compiled module `_drat`, which reads a proof once and
keeps only the clauses that the solver kept. A short proof is also checked by dratify, which checks
all proofs if the compiled module is not installed.
"""

import contextlib
import importlib
from functools import cache
from types import ModuleType
from typing import BinaryIO, Final

import numpy as np

from nqbench.errors import NqbenchError
from nqbench.instances.cnf import CNF

SHORT: Final = 1 << 15
"""Bytes; a proof of at most this size is checked twice."""

_LONGEST_IN_MEMORY: Final = 64 * 2**20
"""Bytes; dratify holds the whole proof as Python lists."""

_PIECE: Final = 1 << 20
_CONTINUES: Final = 128  # the bit of a byte of a number that another byte follows


class TooLongError(NqbenchError):
    """The proof is too long for the checker that is installed."""


def flaw(cnf: CNF, proof: BinaryIO) -> str | None:
    """Why a DRAT proof, as text or binary, does not prove that the formula has no model, in words;
    None if it does.

    Raises `TooLongError` without the compiled checker, and `NqbenchError` if two checkers disagree.
    """
    if not is_built():
        return _flaw_by_dratify(cnf, proof.read(_LONGEST_IN_MEMORY + 1))
    first = proof.read(SHORT + 1)
    found = _flaw(cnf, first, proof)
    if len(first) <= SHORT:
        other = _flaw_by_dratify(cnf, first)
        if (found is None) != (other is None):
            raise NqbenchError(f"two checkers disagree: '{found}', and '{other}' by dratify")
    return found


def is_built() -> bool:
    """Whether the compiled checker is installed."""
    return _compiled() is not None


def is_native() -> bool:
    """Whether dratify checks with its Rust engine."""
    import dratify

    with contextlib.suppress(ImportError):
        import cdclkit  # noqa: F401 - registers its engine with dratify, if that is installed
    return bool(dratify.native_available())


@cache
def _compiled() -> ModuleType | None:
    try:
        return importlib.import_module("nqbench.evidence._drat")
    except ImportError:
        return None


def _flaw(cnf: CNF, first: bytes, rest: BinaryIO) -> str | None:
    compiled = _compiled()
    assert compiled is not None
    checker = compiled.Checker(cnf.num_variables)
    for block in cnf.blocks:
        checker.add(np.ascontiguousarray(block))
    piece = first
    try:
        while piece:
            if checker.read(piece):
                return None
            piece = rest.read(_PIECE)
        if checker.end():
            return None
    except ValueError as error:
        return str(error)
    return f"it ends after {checker.steps()} steps without the empty clause"


def _flaw_by_dratify(cnf: CNF, proof: bytes) -> str | None:
    import dratify

    if len(proof) > _LONGEST_IN_MEMORY:
        megabytes = _LONGEST_IN_MEMORY // 2**20
        raise TooLongError(f"longer than {megabytes} MiB, and the compiled checker is missing")
    is_native()
    formula = dratify.CNF(cnf.num_variables)
    for clause in cnf.clauses():
        formula.add_dimacs(clause)
    try:
        checked = dratify.check_proof(formula, _text(proof))
    except ValueError as error:
        return str(error)
    if checked.ok:
        return None
    if checked.failed_clause is not None:
        literals = " ".join(str(dratify.to_dimacs(literal)) for literal in checked.failed_clause)
        return f"step {checked.failed_step}, the clause '{literals}', does not follow"
    return f"it ends after {checked.steps} steps without the empty clause"


def _text(proof: bytes) -> str:
    """The proof as text. Only a binary proof has a byte 0. Raises `ValueError` if it is neither."""
    if 0 not in proof:
        return proof.decode(errors="replace")
    lines: list[str] = []
    numbers: list[int] = []
    kind = ""
    number = shift = 0
    for byte in proof:
        if not kind:
            kind = {"a": " ", "d": "d "}.get(chr(byte), "")
            if not kind:
                raise ValueError(f"step {len(lines)} is followed by what is no proof")
            continue
        number |= (byte & ~_CONTINUES) << shift
        shift += 7
        if byte & _CONTINUES:
            continue
        numbers.append(-(number >> 1) if number & 1 else number >> 1)
        if not number:
            lines.append(kind + " ".join(map(str, numbers)))
            numbers, kind = [], ""
        number = shift = 0
    if kind:
        lines.append(kind + " ".join(map(str, numbers)))
    return "\n".join(lines)
