"""Reads and writes DIMACS CNF files, a block at a time.

Format: "Satisfiability: Suggested Format", DIMACS Challenge, 1993. Common variants are accepted:
comments anywhere, clauses over several lines, the '%' ending of SATLIB. The page
`docs/reference/formulas.md` has a table of what is accepted, and what is not.

What has rows as well is in other formats: see `constraint_files`.
"""

import io
import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import BinaryIO, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import CNF, CNFBuilder
from nqbench.clauses.comment_lines import NO_ANNOTATIONS, Annotations
from nqbench.clauses.dimacs_flaws import LARGEST, correct_header, dimacs_error, first_beyond
from nqbench.clauses.file_formats import FORMATS, ROW_SUFFIXES
from nqbench.clauses.written_rows import SpelledLiterals
from nqbench.common import compression
from nqbench.common.errors import InputError, Place
from nqbench.common.units import counted

_HEADER: Final = re.compile(
    rb"^[ \t\v\f]*p[ \t\v\f]+cnf[ \t\v\f]+(\d{1,18})[ \t\v\f]+(\d{1,18})[ \t\v\f\r]*$",
    re.MULTILINE,
)
_COMMENT: Final = re.compile(rb"^[ \t\v\f]*c.*$", re.MULTILINE)
_SATLIB_END: Final = re.compile(rb"^[ \t\v\f]*%", re.MULTILINE)
_OTHER_FORMATS: Final = (
    *ROW_SUFFIXES,
    *(".wbo", ".qdimacs", ".qcir", ".aag", ".aig", ".smt2", ".lp"),
    *(".csv", ".html", ".json", ".md", ".pdf", ".png", ".svg", ".tex", ".toml", ".xml"),
)
"""Suffixes of files that hold something else than DIMACS."""

_NAMES: Final = " and ".join(", ".join(form.name for form in FORMATS).rsplit(", ", 1))
_PIECE: Final = 1 << 16
_BLANK, _DIGIT, _SIGN, _OTHER = range(4)
_KINDS: Final = bytes(
    _DIGIT
    if chr(c).isdecimal() and c < 128
    else _SIGN
    if c == ord("-")
    else _BLANK
    if c in b" \t\v\f\r\n"
    else _OTHER
    for c in range(256)
)
"""The kind of each character, as a table for `bytes.translate`."""


def text(cnf: CNF) -> str:
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
    write(cnf, file)
    return file.getvalue().decode().rstrip()


def check_name(name: str) -> None:
    """Raise `InputError` if a file of this name would be something else than DIMACS, which may be
    packed.
    """
    compression.check_name(name)
    suffix = PurePath(name).suffix
    if suffix.lower() in _OTHER_FORMATS:
        raise InputError(
            f"cannot write {suffix}: nqbench writes {_NAMES}: name the file for instance "
            f"{PurePath(name).stem}.cnf"
        )


def write(cnf: CNF, file: BinaryIO, annotations: Annotations = NO_ANNOTATIONS) -> None:
    """Write the formula with its clauses in order, one per line, and exact counts in the header.
    Annotations stand before and after the header, as they did.
    """
    file.writelines(line + b"\n" for line in annotations.before)
    file.write(f"p cnf {cnf.num_variables} {cnf.num_clauses}\n".encode())
    file.writelines(line + b"\n" for line in annotations.after)
    SpelledLiterals(cnf.num_variables).write(cnf.chunks(), file, ending=b"0\n")


def is_plain(data: bytes, cnf: CNF) -> bool:
    """Whether the text of a formula is as `write` writes it, but for comment lines, so that every
    program reads it.
    """
    lines = (line for line in data.removesuffix(b"\n").split(b"\n") if line[:1] != b"c")
    return b"\n".join(lines) == text(cnf).encode()


def has_header(data: bytes) -> bool:
    """Whether a text has the line that every DIMACS text has before its clauses."""
    return _HEADER.search(data) is not None


class Counts(NamedTuple):
    """The numbers of variables and clauses that a header states, or that a text holds."""

    variables: int
    clauses: int


@dataclass(frozen=True, slots=True)
class _Text:
    """What a text holds: the counts in its header, None without one, and those of its clauses; the
    clauses, each ended by 0, and where each ends.
    """

    stated: Counts | None
    held: Counts
    flat: NDArray[np.int32]
    ends: NDArray[np.intp]

    @property
    def is_miscounted(self) -> bool:
        """Whether there is no header, or its counts are not those of the clauses."""
        if self.stated is None:
            return True
        variables, clauses = self.stated
        return self.held.variables > variables or self.held.clauses != clauses

    def formula(self) -> CNF:
        """The formula, with the variables of the header, and all that occur."""
        variables = self.held.variables
        if self.stated:
            variables = max(variables, self.stated.variables)
        return from_flat(variables, self.flat, self.ends)


def read(data: bytes, source: str, *, lenient: bool = False) -> CNF:
    """Return the formula in a DIMACS text; its main variables are unknown, and therefore none.

    Variables and clauses of a `lenient` text are counted anew: its header may state other numbers,
    or be missing. Raises `InputError` with `source` and the line if the text is not DIMACS.
    """
    text = _parse(data, source)
    if text.is_miscounted and not lenient:
        raise _count_error(data, source, text)
    return text.formula()


def miscounted(data: bytes, source: str) -> str:
    """How the header differs from what the text holds, in words; empty if it is right. Raises
    `InputError` if the text is not DIMACS even if it is `lenient`.
    """
    text = _parse(data, source)
    return difference(text.stated, text.held) if text.is_miscounted else ""


def _parse(data: bytes, source: str) -> _Text:
    if b"\n" not in data and b"\r" in data:  # the lines of old Macs
        data = data.replace(b"\r", b"\n")
    header = _HEADER.search(data)
    if header is not None and _COMMENT.sub(b"", data[: header.start()]).strip():
        raise dimacs_error(data, source)
    numbers = _numbers(_clauses(data[header.end() :] if header else data))
    if numbers is None or (numbers.size and numbers[-1] != 0):
        raise dimacs_error(data, source)
    header_counts = Counts(int(header[1]), int(header[2])) if header else None
    if not numbers.size if header_counts is None else header_counts.variables > LARGEST:
        raise dimacs_error(data, source)
    ends = np.flatnonzero(numbers == 0)
    largest = max(numbers.max(initial=0), -numbers.min(initial=0))
    return _Text(header_counts, Counts(int(largest), len(ends)), numbers, ends)


def _count_error(data: bytes, source: str, text: _Text) -> InputError:
    if text.stated is None:
        return dimacs_error(data, source)
    header = _HEADER.search(data)
    line = data.count(b"\n", 0, header.start()) + 1 if header else 1
    about = ""
    if text.held.variables > text.stated.variables:
        about = f" ({first_beyond(data, text.stated.variables)})"
    remedy = correct_header(is_short=text.held.clauses < text.stated.clauses)
    reason = f"{difference(text.stated, text.held)}{about}: {remedy}"
    return InputError(reason, place=Place(source, line))


def difference(stated: Counts | None, held: Counts, noun: str = "clause") -> str:
    """How a header differs from what the text holds, in words; the noun is what it counts."""
    every = counted(held.variables, "variable"), counted(held.clauses, noun)
    if stated is None:
        return f"the header is missing, and the file holds {every[0]} and {every[1]}"
    numbers = [
        (stated.variables, every[0], held.variables > stated.variables),
        (stated.clauses, every[1], held.clauses != stated.clauses),
    ]
    holds = " and ".join(what for _, what, is_wrong in numbers if is_wrong)
    says = " and ".join(str(number) for number, _, is_wrong in numbers if is_wrong)
    return f"the file holds {holds}, but the header says {says}"


def _numbers(text: bytes) -> NDArray[np.int32] | None:
    """The whole numbers in a text; None if it has anything else, or a number beyond int32."""
    pieces = []
    start = 0
    while start < len(text):
        # A piece that fits into the CPU cache and ends with a line.
        stop = text.find(b"\n", start + _PIECE) + 1 or len(text)
        numbers = _numbers_of_piece(text[start:stop] + b"\n")
        if numbers is None:
            return None
        pieces.append(numbers)
        start = stop
    return np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.int32)


def _numbers_of_piece(text: bytes) -> NDArray[np.int32] | None:
    kinds = np.frombuffer(text.translate(_KINDS), dtype=np.uint8)
    digit, sign = kinds == _DIGIT, kinds == _SIGN
    alone = sign[:-1] & ~digit[1:]
    glued = sign[1:] & (kinds[:-1] != _BLANK)
    if (kinds == _OTHER).any() or alone.any() or glued.any():
        return None
    numbers = np.fromstring(text, dtype=np.int64, sep=" ") if digit.any() else np.zeros(0, np.int64)
    # Not by its absolute value, which the least of all integers does not have.
    if numbers.max(initial=0) > LARGEST or numbers.min(initial=0) < -LARGEST:
        return None
    return numbers.astype(np.int32)


def from_flat(num_variables: int, flat: NDArray[np.int32], ends: NDArray[np.intp]) -> CNF:
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
