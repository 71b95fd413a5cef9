"""Reads and writes files of constraints: DIMACS CNF, KNF, CNF+, OPB and WCNF.

What a file holds says its first line, not its name; how it is written says the suffix. Only what no
first line shows is known by its suffix: OPB with names, and WCNF without a header (see `wcnf`).
"""

import io
import pkgutil
import re
from pathlib import Path, PurePath
from typing import BinaryIO, Final

from nqbench.clauses import dimacs
from nqbench.clauses.cnf import CNF
from nqbench.clauses.cnf_plus_text import write_cnf_plus
from nqbench.clauses.comment_lines import NO_ANNOTATIONS, Annotations
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.file_formats import FORMATS, ROW_SUFFIXES, FileFormat
from nqbench.clauses.opb import OPB
from nqbench.clauses.opb_spellings import SpelledText
from nqbench.clauses.row_format import RowFormat, RowText
from nqbench.clauses.stated_text import StatedText
from nqbench.clauses.wcnf import WCNF
from nqbench.common import compression, files
from nqbench.common.errors import InputError

_ROW_FORMATS: Final[dict[str, RowFormat]] = {
    form.name: pkgutil.resolve_name(f"nqbench.clauses.{form.place}") for form in FORMATS[1:]
}
"""How each format with more than clauses is read and written."""

_OF_HEADER: Final = {form.header: _ROW_FORMATS[form.name] for form in FORMATS[1:] if form.header}

_FIRST_LINE: Final = re.compile(rb"\A(?:[ \t\v\f\r]*(?:c[^\n]*)?\n)*[ \t\v\f]*([^\n]*)")
_HEADER: Final = re.compile(rb"p[ \t\v\f]+(\S+)")
_SOFT: Final = re.compile(rb"\d+(?:[ \t]+-?\d+)+")
_HARD: Final = re.compile(rb"^[ \t\v\f]*h[ \t\v\f]+-?\d", re.MULTILINE)
_OPB_LINE: Final = re.compile(
    rb"\*|(?:[+-]?\d+[ \t]*\*?[ \t]*)?~?x\d|(?:min|max|soft)[ \t]*:"
    rb"|[^\n]*[<>]?=[ \t]*[+-]?[ \t]*\d+[ \t]*;"
)
_WEIGHT: Final = re.compile(rb"h(?!\S)|\d+(?!\S)")


def read(data: bytes, source: str, lenient: bool = False) -> Formula:
    """Return the formula in a text: a `CNF` if no rows are left, once those that are clauses are.
    Its main variables are unknown, and therefore none.

    Variables and constraints of a `lenient` text are counted anew: its header may state other
    numbers, or be missing. Raises `InputError` with `source` and the line if the text is in none of
    the formats, or has what is not supported.
    """
    data = _with_newlines(data)
    form = format_of(data, source)
    if form is None:
        return dimacs.read(data, source, lenient=lenient)
    text = _read_text(form, data, source)
    if isinstance(text, RowText) and form.is_counted and text.is_miscounted and not lenient:
        raise text.miscounted()
    return text.statement().formula()


def statement(data: bytes, source: str) -> StatedText | None:
    """What a text with rows states, before anything is normalised; None for DIMACS. Raises
    `InputError` as `read` does, but not for wrong counts.
    """
    data = _with_newlines(data)
    form = format_of(data, source)
    return None if form is None else _read_text(form, data, source).statement()


def _read_text(form: RowFormat, data: bytes, source: str) -> RowText | SpelledText:
    """The text in its format, or of OPB in another spelling."""
    try:
        return RowText(form, data, source)
    except InputError:
        if form is not OPB:
            raise
    return SpelledText(data, source)


def read_clauses(data: bytes, source: str, lenient: bool = False) -> CNF:
    """Return the formula in a text, as `read` does. Raises `InputError` if it has rows, too."""
    formula = read(data, source, lenient=lenient)
    if not isinstance(formula, CNF):
        raise InputError(
            f"{source} has rows already, and constraints are found in clauses: encode the rows "
            "with `nqbench encode FILE --encoding totalizer -o FILE.cnf`"
        )
    return formula


def miscounted(data: bytes, source: str) -> str:
    """How the header differs from what the text holds, in words; empty if it is right. Raises
    `InputError` if the text is in none of the formats. Rows that need weights are counted here.
    """
    data = _with_newlines(data)
    form = format_of(data, source)
    if form is None:
        return dimacs.miscounted(data, source)
    text = _read_text(form, data, source)
    return text.difference() if text.is_miscounted else ""


def read_noting(data: bytes, source: str) -> tuple[Formula, str]:
    """The formula in a text whatever its header says, and what to know of how it was read, in
    words: its header has wrong counts, in a format in which that is no error, or soft clauses may
    be hard. Raises `InputError` as `read` does.
    """
    data = _with_newlines(data)
    form = format_of(data, source)
    if form is None:
        return dimacs.read(data, source, lenient=True), ""
    text = _read_text(form, data, source)
    formula = text.statement().formula()
    if form.is_counted:
        return formula, ""
    is_wrong = text.is_miscounted and text.stated is not None
    notes = [text.difference() if is_wrong else "", text.note]
    return formula, "; ".join(filter(None, notes))


def annotations_of(data: bytes) -> Annotations:
    """The lines of a text in any of the formats that model counters and samplers read."""
    data = _with_newlines(data)
    return Annotations.of_opb(data) if format_of(data) is OPB else Annotations.of(data)


def format_of(data: bytes, source: str = "") -> RowFormat | None:
    """The format that the first line of a text shows which is no comment, or if it has no header,
    the suffix of its `source`; None for DIMACS, or if nothing shows one.
    """
    match = _FIRST_LINE.match(data)
    first = match[1] if match else b""
    header = _HEADER.match(first)
    if header:
        return _OF_HEADER.get(header[1].decode("latin-1").lower())
    named = _named_format(source)
    suffix_format = _ROW_FORMATS[named.name] if named and first else None
    if _OPB_LINE.match(first) or suffix_format is OPB:
        return OPB
    # Without a header, what is hard says so; soft clauses may come first.
    is_weighted = _SOFT.match(first) and _HARD.search(data)
    is_named = suffix_format is WCNF and _WEIGHT.match(first)
    return WCNF if _HARD.match(first) or is_weighted or is_named else None


def has_header(data: bytes) -> bool:
    """Whether a text begins like one of the formats."""
    return format_of(data) is not None or dimacs.has_header(data)


def text(formula: Formula, suffix: str) -> str:
    """Return the formula as a file of this suffix has it, without the last newline."""
    file = io.BytesIO()
    write(formula, f"text{suffix}", file)
    return file.getvalue().decode().rstrip()


def states_rows(name: str) -> bool:
    """Whether files of this name are written with rows, whatever they hold."""
    form = _named_format(name)
    return form is not None and form.has_rows


def holds_objective(name: str) -> bool:
    """Whether files of this name are written with an objective, if there is one."""
    form = _named_format(name)
    return form is not None and form.has_objective


def check_name(name: str) -> None:
    """Raise `InputError` if a file of this name would be something else than constraints, which may
    be packed.
    """
    compression.check_name(name)
    if _named_format(name) is None:
        dimacs.check_name(name)


def write(
    formula: Formula, name: str, file: BinaryIO, annotations: Annotations = NO_ANNOTATIONS
) -> None:
    """Write the formula in the format, and packed, as the suffix of this name says. With one of no
    format, it is DIMACS, or CNF+ if there are rows.

    Raises `InputError` if there is no package for that.
    """
    with compression.writer(name, file) as packed:
        form = _named_format(name)
        writer = _ROW_FORMATS[form.name].write if form else write_text
        writer(formula, packed, annotations)


def write_text(formula: Formula, file: BinaryIO, annotations: Annotations = NO_ANNOTATIONS) -> None:
    """Write clauses as DIMACS, and clauses with rows as CNF+, which many solvers read as well."""
    if isinstance(formula, CNF):
        dimacs.write(formula, file, annotations)
    else:
        write_cnf_plus(formula, file, annotations)


def write_file(formula: Formula, path: Path, annotations: Annotations = NO_ANNOTATIONS) -> None:
    """Write the formula to this file as `write` does; its folder is made if missing. Raises
    `InputError` if the file cannot be written, or has the suffix of something else.
    """
    check_name(str(path))
    is_optimised = isinstance(formula, Constraints) and formula.objective is not None
    if is_optimised and not holds_objective(path.name):
        raise InputError(f"{path.name} cannot hold an objective: write OPB or WCNF, as in FILE.opb")
    with files.written(path, folders=True) as file:
        write(formula, path.name, file, annotations)


def _named_format(name: str) -> FileFormat | None:
    """The format of files of this name; None for DIMACS."""
    suffix = PurePath(_unpacked_name(name)).suffix.lower()
    if suffix not in ROW_SUFFIXES:
        return None
    return next(form for form in FORMATS if suffix in form.suffixes)


def _unpacked_name(name: str) -> str:
    packing = compression.of_suffix(name)
    suffixes = packing.suffixes if packing else ()
    length = next((len(each) for each in suffixes if name.lower().endswith(each)), 0)
    return name[: len(name) - length]


def _with_newlines(data: bytes) -> bytes:
    """The text with newlines, if it has the line endings of old Macs."""
    return data.replace(b"\r", b"\n") if b"\n" not in data and b"\r" in data else data
