"""Reads and writes DIMACS CNF files, a block at a time.

Format: "Satisfiability: Suggested Format", DIMACS Challenge, 1993. Common variants are accepted:
comments anywhere, clauses over several lines, the '%' ending of SATLIB.

Formulas with at-most-k constraints are written in the format CNF+ of MiniCard, which clasp and
PySAT read as well: the header is `p cnf+`, and `1 2 3 <= 2` is a constraint.
"""

import io
import re
from collections.abc import Iterable
from typing import BinaryIO, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from nqbench.errors import InputError
from nqbench.instances.cnf import CNF, Block, CNFBuilder
from nqbench.instances.cnf_plus import CNFPlus

_HEADER: Final = re.compile(
    rb"^[ \t]*p[ \t]+cnf[ \t]+(\d{1,18})[ \t]+(\d{1,18})[ \t\r]*$", re.MULTILINE
)
_COMMENT: Final = re.compile(rb"^[ \t]*c.*$", re.MULTILINE)
_SATLIB_END: Final = re.compile(rb"^[ \t]*%", re.MULTILINE)
_LARGEST: Final = 2**31 - 1
_PIECE: Final = 1 << 16
_BLANK, _DIGIT, _SIGN, _OTHER = range(4)
_KINDS: Final = bytes(
    _DIGIT
    if chr(c).isdecimal() and c < 128
    else _SIGN
    if c == ord("-")
    else _BLANK
    if c in b" \t\r\n"
    else _OTHER
    for c in range(256)
)
"""The kind of each character, as a table for `bytes.translate`."""


def text(formula: CNF | CNFPlus) -> str:
    """Return the formula as `write` writes it, without the last newline.

    >>> formula = CNFBuilder(num_main=2)
    >>> formula.add([[1, 2]])
    >>> formula.add([[-1, -2]])
    >>> print(text(formula.build()))
    p cnf 2 2
    1 2 0
    -1 -2 0
    """
    file = io.BytesIO()
    write(formula, file)
    return file.getvalue().decode().rstrip()


def write(formula: CNF | CNFPlus, file: BinaryIO) -> None:
    """Write the formula with its clauses in order, one per line, and exact counts in the header.
    At-most-k constraints follow the clauses, smallest bounds first, and are counted with them.
    """
    n = formula.num_variables
    if isinstance(formula, CNF):
        file.write(f"p cnf {n} {formula.num_clauses}\n".encode())
        _write_lines(n, formula.chunks(), b"0\n", file)
        return
    lines = formula.cnf.num_clauses + formula.num_constraints
    file.write(f"p cnf+ {n} {lines}\n".encode())
    _write_lines(n, formula.cnf.chunks(), b"0\n", file)
    for most, rows in formula.by_bound():
        _write_lines(n, rows.chunks(), f"<= {most}\n".encode(), file)


def _write_lines(
    num_variables: int, chunks: Iterable[Block], ending: bytes, file: BinaryIO
) -> None:
    spelled, padded = _spelled_literals(num_variables, ending)
    for chunk in chunks:
        rows, width = chunk.shape
        text = np.empty((rows, width + 1, spelled.shape[1]), dtype=np.uint8)
        np.take(spelled, chunk, axis=0, out=text[:, :width], mode="wrap")
        text[:, width] = padded
        flat = text.reshape(-1)
        file.write(flat[flat != 0].data)


def _spelled_literals(
    num_variables: int, ending: bytes
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The bytes of each literal with a space, and those of the line ending, padded with NUL.

    The literals have shape (2 * num_variables + 1, width); negative ones are indexed from the end.
    """
    numbers = np.arange(1, num_variables + 1)
    literals = np.concatenate([[0], numbers, -numbers[::-1]])
    width = max(len(ending), len(str(-num_variables)) + 1)
    spelled = np.char.add(literals.astype(f"S{width - 1}"), b" ").astype(f"S{width}")
    padded = np.array([ending], dtype=f"S{width}")
    return spelled.view(np.uint8).reshape(-1, width), padded.view(np.uint8)


def has_header(data: bytes) -> bool:
    """Whether a text has the line that every DIMACS text has before its clauses."""
    return _HEADER.search(data) is not None


def read(data: bytes, source: str) -> CNF:
    """Return the formula in a DIMACS text; its main variables are unknown, and therefore none.

    Raises `InputError` with `source` and the line if the text is not DIMACS.
    """
    header = _HEADER.search(data)
    if header is None or _COMMENT.sub(b"", data[: header.start()]).strip():
        _complain(data, source)
    numbers = _numbers(_clauses(data[header.end() :]))
    if numbers is None:
        _complain(data, source)
    num_variables, num_clauses = int(header[1]), int(header[2])
    ends = np.flatnonzero(numbers == 0)
    complete = not numbers.size or numbers[-1] == 0
    largest = max(numbers.max(initial=0), -numbers.min(initial=0))
    beyond = largest > min(num_variables, _LARGEST)
    if not complete or beyond or len(ends) != num_clauses:
        _complain(data, source)
    return _from_flat(num_variables, numbers, ends)


def _numbers(text: bytes) -> NDArray[np.int32] | None:
    """The whole numbers in a text; None if it has anything else, or a number beyond int32."""
    parts = []
    start = 0
    while start < len(text):
        # A piece that fits into the CPU cache and ends with a line.
        stop = text.find(b"\n", start + _PIECE) + 1 or len(text)
        numbers = _numbers_of_piece(text[start:stop] + b"\n")
        if numbers is None:
            return None
        parts.append(numbers)
        start = stop
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)


def _numbers_of_piece(text: bytes) -> NDArray[np.int32] | None:
    kinds = np.frombuffer(text.translate(_KINDS), dtype=np.uint8)
    digit, sign = kinds == _DIGIT, kinds == _SIGN
    alone = sign[:-1] & ~digit[1:]
    glued = sign[1:] & (kinds[:-1] != _BLANK)
    if (kinds == _OTHER).any() or alone.any() or glued.any():
        return None
    numbers = np.fromstring(text, dtype=np.int64, sep=" ") if digit.any() else np.zeros(0, np.int64)
    # Not by its absolute value, which the least of all integers does not have.
    if numbers.max(initial=0) > _LARGEST or numbers.min(initial=0) < -_LARGEST:
        return None
    return numbers.astype(np.int32)


def _from_flat(num_variables: int, flat: NDArray[np.int32], ends: NDArray[np.intp]) -> CNF:
    """The formula in a buffer of 0-terminated clauses; adjacent ones of one width are a block."""
    widths = np.diff(ends, prepend=-1) - 1
    first_of_block = np.flatnonzero(np.diff(widths, prepend=-1))
    rows = np.diff(first_of_block, append=len(widths))
    cnf = CNFBuilder(num_main=0)
    cnf.fresh(num_variables)
    start = 0
    for count, width in zip(rows.tolist(), widths[first_of_block].tolist(), strict=True):
        stop = start + count * (width + 1)
        cnf.add(flat[start:stop].reshape(count, width + 1)[:, :width])
        start = stop
    return cnf.build()


def _clauses(body: bytes) -> bytes:
    """The text after a header, without comments and without the ending of SATLIB."""
    if b"c" in body:
        body = _COMMENT.sub(b"", body)
    end = _SATLIB_END.search(body) if b"%" in body else None
    return body[: end.start()] if end else body


def _complain(data: bytes, source: str) -> NoReturn:
    """Raise an `InputError` that names the wrong line. It is slow, but only called on errors."""
    declared: tuple[int, int] | None = None
    clauses = 0
    last = b"0"
    number = 0
    for number, line in enumerate(data.split(b"\n"), start=1):
        text = line.strip()
        where = f"{source}, line {number}"
        if not text or text.startswith(b"c"):
            continue
        if text.startswith(b"%"):
            break
        if declared is None:
            header = _HEADER.fullmatch(line)
            if header is None:
                raise InputError(f"{where}: expected 'p cnf VARIABLES CLAUSES' before the clauses")
            declared = int(header[1]), int(header[2])
            continue
        for last in text.split():
            if re.fullmatch(rb"-?\d{1,18}", last) is None:
                shown = last[:20].decode(errors="replace")
                raise InputError(f"{where}: '{shown}' is not a literal")
            if abs(int(last)) > min(declared[0], _LARGEST):
                raise InputError(
                    f"{where}: literal {int(last)}, but the header says {declared[0]} variables"
                )
            clauses += int(last) == 0
    where = f"{source}, line {number}"
    if declared is None:
        raise InputError(f"{where}: the file ends without 'p cnf VARIABLES CLAUSES'")
    if int(last) != 0:
        raise InputError(f"{where}: the last clause does not end with 0")
    raise InputError(f"{where}: {clauses} clauses, but the header says {declared[1]}")
