"""Reads and writes CNF+: clauses, and rows of which at most or at least k literals are true.

    p cnf+ 5 2
    1 2 3 <= 1
    1 -2 0

MiniCard, clasp and PySAT read it as well. M. Liffiton, J. Maglalang, "A cardinality solver: more
expressive constraints for free", SAT 2012. PySAT's rows with weights (`w`) are not read.
"""

import re
from typing import BinaryIO, Final

import numpy as np

from nqbench.clauses.comment_lines import NO_ANNOTATIONS, Annotations
from nqbench.clauses.constraints import Formula
from nqbench.clauses.dimacs_flaws import (
    LARGEST,
    has_weights,
    second_header,
    shown,
    unended,
    word_flaw,
)
from nqbench.clauses.row_format import (
    ParsedRows,
    RowFormat,
    WordError,
    check_literals,
    ends_and_starts,
)
from nqbench.clauses.rows import AT_LEAST, AT_MOST, CLAUSE
from nqbench.clauses.stated_rows import StatedRows
from nqbench.clauses.words import EQUALS, LESS, NEWLINE, Words, kinds_of
from nqbench.clauses.written_rows import write_clauses


def write_cnf_plus(
    formula: Formula, file: BinaryIO, annotations: Annotations = NO_ANNOTATIONS
) -> None:
    """Write the formula with its clauses first, one per line, and exact counts in the header. A row
    with two bounds is two lines. Annotations stand before and after the header, as they did.

    >>> import io
    >>> from nqbench.clauses.constraints import Constraints
    >>> from nqbench.clauses.rows import Rows
    >>> file = io.BytesIO()
    >>> write_cnf_plus(Constraints.of(3, Rows.exactly(np.array([[1, 2, 3]], np.int32), 1)), file)
    >>> print(file.getvalue().decode().rstrip())
    p cnf+ 3 2
    1 2 3 >= 1
    1 2 3 <= 1
    """
    spelled, rows = write_clauses("cnf+", formula, file, annotations)
    for each in rows:
        bound = f">= {each.least}" if each.least > 0 else f"<= {each.most}"
        spelled.write([each.literals], file, ending=f"{bound}\n".encode())


def _parse(words: Words, _header: re.Match[bytes] | None) -> ParsedRows:
    kinds, values = words.kinds, words.values
    is_relation = (kinds >= LESS) & (kinds <= EQUALS)
    is_newline = kinds == NEWLINE
    is_number = ~is_relation & ~is_newline
    is_bound = np.zeros(len(values), bool)
    is_bound[1:] = is_relation[:-1]
    ends_line = np.ones(len(values), bool)
    ends_line[:-1] = is_newline[1:]
    if (wrong := kinds == EQUALS).any():
        raise WordError(np.argmax(wrong), "'=' is no relation of CNF+: write rows with <= and >=")
    lacks_bound = is_bound & ~is_number
    lacks_bound[-1:] |= is_relation[-1:]
    if lacks_bound.any():
        at = np.argmax(lacks_bound)
        raise WordError(at - bool(is_bound[at]), "'{line}' has no bound after '{word}'")
    if (wrong := is_bound & ~ends_line).any():
        raise WordError(np.argmax(wrong), "'{line}' does not end after its bound, {word}")
    if (wrong := is_bound & (np.abs(values) > LARGEST)).any():
        raise WordError(np.argmax(wrong), f"the bound {{word}} is beyond {LARGEST}")
    is_end = (is_number & ~is_bound & (values == 0)) | is_bound
    is_literal = is_number & ~is_end
    check_literals(values, is_literal)

    places = np.flatnonzero(~is_newline)
    if len(places) and not is_end[places[-1]]:
        raise WordError(places[-1], unended("row"))
    ends, starts = ends_and_starts(is_end[places])
    is_row = is_bound[places[ends]]
    lengths = ends - starts - is_row
    if (wrong := is_row & (lengths == 0)).any():
        raise WordError(places[starts[np.argmax(wrong)]], "'{line}' has no literals")
    # A clause without its 0 must not become a part of the row in the next line.
    lines = np.cumsum(is_newline, dtype=np.int32)
    broken = is_row & (lines[places[starts]] != lines[places[ends]])
    if broken.any():
        raise WordError(
            places[starts[np.argmax(broken)]],
            "'{line}' ends neither with 0 nor with a bound: write a row with a bound on one line",
        )
    at_most = is_row & (kinds[places[ends - is_row]] == LESS)
    relations = np.where(at_most, AT_MOST, np.where(is_row, AT_LEAST, CLAUSE))
    rows = StatedRows(
        values[is_literal].astype(np.int32),
        None,
        lengths,
        relations.astype(np.uint8),
        np.where(is_row, values[places[ends]], 1),
    )
    return ParsedRows(rows, places[starts], is_literal)


def _explain(word: bytes, line: bytes) -> str:
    if line.startswith(b"p"):
        return second_header(line)
    if line.startswith(b"w"):
        return has_weights(line)
    if re.search(rb"[<>]", word):
        return f"'{shown(line)}' is not a row: write 'LITERALS <= BOUND' or 'LITERALS >= BOUND'"
    return word_flaw(word, line)


CNF_PLUS: Final = RowFormat(
    name="CNF+",
    expected="p cnf+ VARIABLES ROWS",
    header=re.compile(rb"\s*p[ \t\v\f]+cnf\+[ \t\v\f]+(\d+)[ \t\v\f]+(\d+)\s*"),
    table=kinds_of("-<>=\n"),
    parse=_parse,
    explain=_explain,
    write=write_cnf_plus,
)
