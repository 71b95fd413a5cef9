"""Checks proofs with dratify, where the compiled modules are not installed."""

import contextlib
import re
from collections.abc import Iterator
from typing import Final

from nqbench.clauses.cnf import CNF
from nqbench.common.errors import NqbenchError
from nqbench.common.vocabulary import ProofForm

LONGEST: Final = 64 * 2**20
"""Bytes; dratify holds the whole proof as Python lists."""

_CONTINUES: Final = 128  # the bit of a byte of a number that another byte follows


class TooLongError(NqbenchError):
    """The proof is too long for dratify."""


def is_native() -> bool:
    """Whether dratify checks with its Rust engine."""
    import dratify

    with contextlib.suppress(ImportError):
        import cdclkit  # noqa: F401 - registers its engine with dratify, if that is installed
    return bool(dratify.native_available())


def flaw(cnf: CNF, proof: bytes, form: ProofForm) -> str | None:
    """Return why a proof does not prove that the formula has no model, or None if it does. Raises
    `TooLongError`.
    """
    import dratify

    if len(proof) > LONGEST:
        megabytes = LONGEST // 2**20
        raise TooLongError(f"longer than {megabytes} MiB, and the compiled checker is missing")
    is_native()
    formula = dratify.CNF(cnf.num_variables)
    for clause in cnf.clauses():
        formula.add_dimacs(clause)
    try:
        checked = dratify.check_proof(formula, text(proof, form))
    except ValueError as error:
        return str(error)
    if checked.ok:
        return None
    if checked.failed_clause is not None:
        literals = " ".join(str(dratify.to_dimacs(literal)) for literal in checked.failed_clause)
        return f"step {checked.failed_step}, the clause '{literals}', does not follow"
    return f"the proof ends after {checked.steps} steps without the empty clause"


def text(proof: bytes, form: ProofForm) -> str:
    """The proof as the text of a DRAT proof. An LRAT proof without its hints is one, and proves as
    much if nothing is deleted. Raises `ValueError` if it is no proof.
    """
    if form is ProofForm.LRAT:
        clauses = (numbers[1 : numbers.index(0) + 1] for kind, numbers in steps(proof, 2) if kind)
        return "\n".join(" ".join(map(str, clause)) for clause in clauses)
    if not is_binary(proof):
        return proof.decode(errors="replace")
    lines = steps(proof, 1)
    return "\n".join(("" if kind else "d ") + " ".join(map(str, step)) for kind, step in lines)


def is_binary(proof: bytes) -> bool:
    """Whether this is the beginning of a proof in the binary format. Only a binary step begins with
    `a`. One that deletes begins with `d`, as in a text, which has no control characters.
    """
    if proof.startswith(b"d"):
        return re.search(rb"[^ -~\t\n\r]", proof) is not None
    return proof.startswith(b"a")


def steps(proof: bytes, zeros: int) -> Iterator[tuple[bool, list[int]]]:
    """Yield the numbers of each step of a binary proof, and whether it adds a clause, which ends
    with so many zeros. An incomplete step at the end is left out. Raises `ValueError`.
    """
    numbers: list[int] = []
    zeros_left = number = shift = 0
    for byte in proof:
        if not zeros_left:
            if byte not in b"ad":
                raise ValueError("this is no proof")
            adds = byte == ord("a")
            zeros_left = zeros if adds else 1
            continue
        number |= (byte & ~_CONTINUES) << shift
        shift += 7
        if byte & _CONTINUES:
            continue
        numbers.append(-(number >> 1) if number & 1 else number >> 1)
        zeros_left -= not number
        number = shift = 0
        if not zeros_left:
            yield adds, numbers
            numbers = []
