"""Proofs that programs write to files: which programs do, and in which format.

A proof in LRAT (L. Cruz-Filipe et al., CADE 2017) becomes one in DRAT here: without its numbers and
hints, and with the clauses that it deletes. The check finds the hints again. Whether a proof is
right is not decided here.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from nqbench.clauses.constraints import Formula, as_clauses
from nqbench.common.errors import NqbenchError
from nqbench.common.vocabulary import ProofForm
from nqbench.plugins.known_programs import known

PLACE: Final = re.compile(r"\{proof(?::(drat|lrat))?\}")
"""The placeholder for the name of the proof's file, perhaps with its format."""

_NAMED: Final = re.compile(r"([a-z]+)(?:[-_]?(?:sc|v)?\d[\d.]*|[-_](?:static|simp|release))?")
"""A name and perhaps a version; not that of a script, which may do anything with its arguments."""

_SAMPLE: Final = 1 << 20
_SOME_STEPS: Final = 1000
_CONTINUES: Final = 128  # the bit of a byte of a number that another byte follows

_DRAT_LINE: Final = re.compile(rb"(?:d\s+)?(?:-?[1-9]\d*\s+)*0")
_LRAT_LINE: Final = re.compile(rb"\d+\s+(?:(?:-?[1-9]\d*\s+)*0\s+|d\s+)(?:-?[1-9]\d*\s+)*0")
_EMPTY_IN_TEXT: Final = re.compile(rb"^[ \t]*0[ \t]*\r?$", re.MULTILINE)
_EMPTY_IN_BINARY: Final = re.compile(rb"(?:\A|\x00)a\x00")


def arguments(program: str, words: Sequence[str]) -> list[str]:
    """The arguments that make a program, given by its name or path, write a proof besides those
    that are stated; none if these name the file already, or if no such arguments are known.
    """
    if is_named(words):
        return []
    match = _NAMED.fullmatch(Path(program).name)
    return list(known(match[1]).proof) if match else []


def is_named(words: Sequence[str]) -> bool:
    """Whether an argument has the placeholder of a proof."""
    return any(PLACE.search(word) for word in words[1:])


def with_file(words: Sequence[str], path: str) -> list[str]:
    """The words with the name of the proof's file; the program is a name, and no template."""
    program, *arguments = words
    return [program, *(PLACE.sub(lambda _: path, word) for word in arguments)]


def form_of(words: Sequence[str]) -> ProofForm | None:
    """The format that the placeholder states, if any."""
    for word in words[1:]:
        if (place := PLACE.search(word)) and place[1]:
            return ProofForm(place[1])
    return None


def put_in_drat(file: BinaryIO, formula: Formula, form: ProofForm | None) -> None:
    """Turn the proof of this formula in a file into DRAT. If its format is not stated, it is found.

    Raises `NqbenchError` if there is no proof, or if it is not whole: without the empty clause.
    """
    descriptor = file.fileno()
    size = os.fstat(descriptor).st_size
    head = os.pread(descriptor, _SAMPLE, 0)
    if not head.strip():
        raise NqbenchError("it wrote no proof")
    is_binary = b"\0" in head
    if form is None:
        form = _recognize(head, is_binary=is_binary)
    if form is ProofForm.LRAT:
        _rewrite(file, formula, is_binary=is_binary)
        size, is_binary = os.fstat(descriptor).st_size, False
    end = os.pread(descriptor, _SAMPLE, max(0, size - _SAMPLE))
    if not (_EMPTY_IN_BINARY if is_binary else _EMPTY_IN_TEXT).search(end):
        raise NqbenchError("its proof ends without the empty clause")


def _recognize(head: bytes, *, is_binary: bool) -> ProofForm:
    if is_binary:
        for form in ProofForm:
            if _is_binary_in(form, head):
                return form
    else:
        lines = (line.strip() for line in head.splitlines())
        first_line = next((line for line in lines if line and not line.startswith(b"c")), b"")
        if _DRAT_LINE.fullmatch(first_line):
            return ProofForm.DRAT
        if _LRAT_LINE.fullmatch(first_line):
            return ProofForm.LRAT
    raise NqbenchError("its proof is neither in DRAT nor in LRAT")


def _is_binary_in(form: ProofForm, head: bytes) -> bool:
    try:
        for count, _ in enumerate(_steps(head, form)):
            if count == _SOME_STEPS:
                return True
    except ValueError:
        return False
    return True


def _steps(proof: bytes, form: ProofForm) -> Iterator[tuple[bool, list[int]]]:
    """Yield whether each step of a binary proof adds a clause, and its numbers. An incomplete last
    step is left out. Raises `ValueError` if a step begins with another byte.
    """
    # dratify's adapter reads the same format: what checks shares no code with what it checks.
    numbers: list[int] = []
    zeros_left = number = shift = 0
    adds = False
    for byte in proof:
        if not zeros_left:
            if byte not in b"ad":
                raise ValueError("this is no step")
            adds = byte == ord("a")
            zeros_left = 2 if adds and form is ProofForm.LRAT else 1
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


def _lines(proof: bytes) -> Iterator[tuple[bool, list[int]]]:
    """Yield the same of an LRAT proof in text."""
    for line in proof.splitlines():
        words = line.split()
        if not words or words[0] == b"c":
            continue
        if _LRAT_LINE.fullmatch(line.strip()) is None:
            raise NqbenchError("its proof is not in LRAT")
        if words[1] == b"d":
            yield False, list(map(int, words[2:]))
        else:
            yield True, list(map(int, words))


def _rewrite(file: BinaryIO, formula: Formula, *, is_binary: bool) -> None:
    """Replace an LRAT proof by one in DRAT."""
    descriptor = file.fileno()
    proof = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    clauses = dict(enumerate(map(tuple, as_clauses(formula).clauses()), start=1))
    lines: list[str] = []
    try:
        for adds, numbers in _steps(proof, ProofForm.LRAT) if is_binary else _lines(proof):
            if adds:
                clause = tuple(numbers[1 : numbers.index(0)])
                clauses[numbers[0]] = clause
                lines.append(" ".join(map(str, (*clause, 0))))
            else:
                deleted = (clauses.pop(number, None) for number in numbers[:-1])
                lines += [f"d {' '.join(map(str, literals))} 0" for literals in deleted if literals]
    except ValueError as error:
        raise NqbenchError(f"its proof is not in LRAT: {error}") from error
    os.ftruncate(descriptor, 0)
    with os.fdopen(os.dup(descriptor), "wb") as target:
        target.seek(0)
        target.write(("\n".join(lines) + "\n").encode())
