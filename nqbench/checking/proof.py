"""Checks proofs of unsatisfiability with code that is independent of all solvers.

DRAT: N. Wetzler, M. Heule, W. Hunt, "DRAT-trim: efficient checking and trimming using expressive
clausal proofs", SAT 2014. LRAT, with hints: L. Cruz-Filipe, M. Heule, W. Hunt, M. Kaufmann,
P. Schneider-Kamp, "Efficient certified RAT verification", CADE 2017.

The compiled module `_checker` reads a proof once and keeps only the clauses that the solver kept. A
short proof is also checked by dratify, which checks all proofs if that module is not installed.
"""

import contextlib
import importlib
import re
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import BinaryIO, Final

import numpy as np

from nqbench.errors import NqbenchError
from nqbench.instances.cnf import CNF
from nqbench.vocabulary import ProofForm

SHORT: Final = 1 << 15
"""Bytes; a proof of at most this size is checked twice."""

_LONGEST_IN_MEMORY: Final = 64 * 2**20
"""Bytes; dratify holds the whole proof as Python lists."""

_PIECE: Final = 1 << 20
_CONTINUES: Final = 128  # the bit of a byte of a number that another byte follows


class TooLongError(NqbenchError):
    """The proof is too long for the checker that is installed."""


def flaw(cnf: CNF, proof: BinaryIO, form: ProofForm = ProofForm.DRAT) -> str | None:
    """Why a proof does not prove that the formula has no model, in words; None if it does.

    Raises `TooLongError` without the compiled checker, and `NqbenchError` if two checkers disagree.
    """
    if any(len(block) and not block.shape[1] for block in cnf.blocks):
        return None  # with an empty clause there is nothing to prove
    if not is_built():
        return _flaw_by_dratify(cnf, proof.read(_LONGEST_IN_MEMORY + 1), form)
    first = proof.read(SHORT + 1)
    found = _flaw(cnf, first, proof, form)
    if len(first) <= SHORT:
        other = _flaw_by_dratify(cnf, first, form)
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
        return importlib.import_module("nqbench.checking._checker")
    except ImportError:
        return None


def _flaw(cnf: CNF, first: bytes, rest: BinaryIO, form: ProofForm = ProofForm.DRAT) -> str | None:
    compiled = _compiled()
    assert compiled is not None
    checker = compiled.Checker(form, cnf.num_variables)
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


def _flaw_by_dratify(cnf: CNF, proof: bytes, form: ProofForm) -> str | None:
    import dratify

    if len(proof) > _LONGEST_IN_MEMORY:
        megabytes = _LONGEST_IN_MEMORY // 2**20
        raise TooLongError(f"longer than {megabytes} MiB, and the compiled checker is missing")
    is_native()
    formula = dratify.CNF(cnf.num_variables)
    for clause in cnf.clauses():
        formula.add_dimacs(clause)
    try:
        checked = dratify.check_proof(formula, _text(proof, form))
    except ValueError as error:
        return str(error)
    if checked.ok:
        return None
    if checked.failed_clause is not None:
        literals = " ".join(str(dratify.to_dimacs(literal)) for literal in checked.failed_clause)
        return f"step {checked.failed_step}, the clause '{literals}', does not follow"
    return f"it ends after {checked.steps} steps without the empty clause"


def _text(proof: bytes, form: ProofForm) -> str:
    """The proof as the text of a DRAT proof. An LRAT proof without its hints is one, and proves as
    much if nothing is deleted. Raises `ValueError` if it is no proof.
    """
    if form is ProofForm.LRAT:
        clauses = (numbers[1 : numbers.index(0) + 1] for kind, numbers in _steps(proof, 2) if kind)
        return "\n".join(" ".join(map(str, clause)) for clause in clauses)
    if not _is_binary(proof):
        return proof.decode(errors="replace")
    steps = _steps(proof, 1)
    return "\n".join(("" if kind else "d ") + " ".join(map(str, step)) for kind, step in steps)


def _is_binary(proof: bytes) -> bool:
    """Only a binary step begins with `a`. One that deletes begins with `d`, as in a text, which has
    no control characters.
    """
    if proof.startswith(b"d"):
        return re.search(rb"[^ -~\t\n\r]", proof) is not None
    return proof.startswith(b"a")


def _steps(proof: bytes, zeros: int) -> Iterator[tuple[bool, list[int]]]:
    """Yield the numbers of each step of a binary proof, and whether it adds a clause, which ends
    with so many zeros. An incomplete step at the end is left out.
    """
    numbers: list[int] = []
    left = number = shift = 0
    for byte in proof:
        if not left:
            if byte not in b"ad":
                raise ValueError("what is no proof")
            adds = byte == ord("a")
            left = zeros if adds else 1
            continue
        number |= (byte & ~_CONTINUES) << shift
        shift += 7
        if byte & _CONTINUES:
            continue
        numbers.append(-(number >> 1) if number & 1 else number >> 1)
        left -= not number
        number = shift = 0
        if not left:
            yield adds, numbers
            numbers = []
