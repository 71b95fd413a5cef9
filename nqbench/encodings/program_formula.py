"""Reads the formula that a program has printed or left in a file, with whatever is around it.

Programs that write DIMACS also print prompts, results of a solver or reports, and count wrongly.
All of that is accepted and noted. What is not: a line among the clauses that is none, a clause that
does not end with 0, and literals beyond int32, as an unsigned -1 is.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from nqbench.clauses import dimacs
from nqbench.clauses.cnf import CNF, Block, CNFBuilder
from nqbench.clauses.comment_lines import read_description
from nqbench.clauses.dimacs_flaws import shown
from nqbench.common.errors import InputError
from nqbench.common.printable import printable

_HEADER: Final = re.compile(rb"^[ \t]*p[ \t]+cnf\b", re.MULTILINE)
_HEADER_IN_LINE: Final = re.compile(rb"^(?!c[ \t])[^\n]*?\b(?=p[ \t]+cnf[ \t]+\d)", re.MULTILINE)
_COUNTS: Final = re.compile(rb"p[ \t]+cnf[ \t]+(\d{1,18})[ \t]+(\d{1,18})")
_OTHER_LINE: Final = re.compile(
    rb"^(?![ \t\r]*c)(?=[^\n]*(?:[^-\d\s]|-(?!\d)))[^\n]*", re.MULTILINE
)
_CLAUSE_LINE: Final = re.compile(rb"^[ \t]*-?\d[-\d \t]*\b0[ \t\r]*$", re.MULTILINE)
_CLAUSE_WITH_WORDS: Final = re.compile(rb"[ \t]*(?:[-+]?|[abekwx][ \t]*-?)\d.*[ \t]0[ \t\r]*")
_BEGINS_CLAUSE: Final = re.compile(rb"[ \t]*(?:-?\d|-(?!-))")
_IS_PART_OF_CLAUSE: Final = re.compile(
    rb"[ \t]*(?:-\d|-?\d+[ \t]+-?\d|(?:-?\d+[ \t]+)*-[ \t\r]*(?:\n|$))"
)
"""A clause that ends within its line: nothing else is a negative number, several numbers, or a
number without digits.
"""
_TEXT: Final = re.compile(rb"^[ \t\r]*(?!c\b)[^\s][^\n]*", re.MULTILINE)
_MOST_NAMES: Final = 3


@dataclass(frozen=True, slots=True)
class ProgramFormula:
    """A formula that a program made. `notes` say what was accepted, such as a wrong header; `text`
    is where it was found, with all comment lines, and `source` names that in messages.
    """

    cnf: CNF
    notes: tuple[str, ...]
    text: bytes
    source: str

    def with_options(self, options: Sequence[tuple[int, ...]]) -> CNF:
        """The formula with the variables of the options first, in their order, as its main ones.
        Which these are say its comment lines: see `clauses.comment_lines`. By default they are the
        first ones. Raises `InputError` if the lines do not fit.
        """
        description = read_description(self.text, self.source)
        count = len(options)
        if not description.has_map:
            return CNF(max(self.cnf.num_variables, count), count, self.cnf.blocks)
        literals = description.literals(options)
        variables = np.abs(literals)
        total = max(self.cnf.num_variables, int(variables.max(initial=0)))
        if literals.shape[1] == 1 and len(np.unique(variables)) == count:
            return _renumbered(self.cnf, literals[:, 0], total)
        return _with_definitions(self.cnf, literals, total)


def find_formula(
    printed: bytes, left: Callable[[], Mapping[str, bytes]], out: str = ""
) -> ProgramFormula:
    """Return the formula in the file `out`, if a program was given its name; or else in what it
    printed, from `p cnf` on; or else in the only file that it left with such a line.

    `left` returns the content of the files, by name. Raises an `InputError` that names the line if
    the formula cannot be read, or says that there is none.
    """
    if out:
        files = left()
        if out not in files:
            raise InputError("wrote no file {out}")
        return read_formula(files[out], "{out}")
    if _find_header(printed) is not None:
        return read_formula(printed, "its output")
    texts = {name: text for name, text in left().items() if _HEADER.search(text)}
    if not texts:
        raise InputError("printed no line 'p cnf VARIABLES CLAUSES', and left no file with one")
    if len(texts) > 1:
        names = ", ".join(printable(name, 40) for name in sorted(texts)[:_MOST_NAMES])
        raise InputError(
            f"left {len(texts)} files with a formula ({names}): leave one, or use {{out}}"
        )
    ((name, text),) = texts.items()
    return read_formula(text, f"its file {printable(name, 40)}")


def read_formula(text: bytes, source: str) -> ProgramFormula:
    """Return the formula in a text, from `p cnf` on. Raises `InputError` with `source` and the
    line.
    """
    start = _find_header(text)
    if start is None:
        raise InputError(f"{source} has no line 'p cnf VARIABLES CLAUSES'")
    before = text[:start]
    # Lines keep their numbers.
    whole = b"\n" * before.count(b"\n") + text[start:]
    notes = []
    if match := _TEXT.search(before):
        notes.append(f"text before the formula, '{shown(match[0].strip())}'")
    try:
        cnf = dimacs.read(whole, source, lenient=True)
    except InputError:
        end = _find_end(whole)
        if end is None:
            raise
        cnf = dimacs.read(whole[:end], source, lenient=True)
        after = whole[end:]
        if _IS_PART_OF_CLAUSE.match(after):
            raise
        if _is_short(whole, cnf) and (_BEGINS_CLAUSE.match(after) or _CLAUSE_LINE.search(after)):
            raise
        number = whole.count(b"\n", 0, end) + 1
        line = shown(after.lstrip().partition(b"\n")[0].strip())
        notes.append(f"text after it from line {number} on, '{line}'")
    return ProgramFormula(cnf, (*_header_notes(whole, cnf), *notes), text, source)


def _find_header(text: bytes) -> int | None:
    """Where the header begins: of a line, or else after a prompt."""
    if match := _HEADER.search(text):
        return match.start()
    match = _HEADER_IN_LINE.search(text)
    return match.end() if match else None


def _find_end(text: bytes) -> int | None:
    """Where the text after the clauses begins: a line with words. None if there is none, or if it
    looks like a clause.
    """
    header = _HEADER.search(text)
    newline = text.find(b"\n", header.end()) if header else -1
    match = _OTHER_LINE.search(text, newline + 1) if newline >= 0 else None
    if match is None or _CLAUSE_WITH_WORDS.fullmatch(match[0]):
        return None
    return match.start()


def _stated(text: bytes) -> dimacs.Counts | None:
    match = _COUNTS.search(text)
    return dimacs.Counts(int(match[1]), int(match[2])) if match else None


def _is_short(text: bytes, cnf: CNF) -> bool:
    """Whether there are fewer clauses than the header says."""
    stated = _stated(text)
    return stated is not None and cnf.num_clauses < stated.clauses


def _header_notes(text: bytes, cnf: CNF) -> list[str]:
    stated, held = _stated(text), dimacs.Counts(cnf.num_variables, cnf.num_clauses)
    if stated is None or (held.variables <= stated.variables and held.clauses == stated.clauses):
        return []
    return [dimacs.difference(stated, held)]


def _renumbered(cnf: CNF, literals: Block, total: int) -> CNF:
    """The same clauses with these literals as the first variables; the others follow."""
    count = len(literals)
    numbers = np.zeros(total + 1, np.int32)
    numbers[np.abs(literals)] = np.arange(1, count + 1, dtype=np.int32) * np.sign(literals)
    others = np.flatnonzero(numbers[1:] == 0) + 1
    numbers[others] = np.arange(count + 1, total + 1, dtype=np.int32)
    blocks = tuple(np.sign(block) * numbers[np.abs(block)] for block in cnf.blocks)
    return CNF(total, count, blocks)


def _with_definitions(cnf: CNF, literals: Block, total: int) -> CNF:
    """The clauses with a new variable for each option in front, defined by its literals."""
    count = len(literals)
    builder = CNFBuilder(num_main=count)
    builder.fresh(total)
    options = np.arange(1, count + 1, dtype=np.int32)
    shifted = literals + np.sign(literals) * np.int32(count)
    for column in shifted.T:
        builder.add_each(-options, column)
    builder.add(np.concatenate([options[:, np.newaxis], -shifted], axis=1))
    for block in cnf.blocks:
        builder.add(block + np.sign(block) * np.int32(count))
    return builder.build()
