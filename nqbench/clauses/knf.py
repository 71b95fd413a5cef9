"""Reads and writes KNF: clauses, and rows of which at least k literals are true.

    p knf 5 2
    k 3 1 -2 4 5 0
    1 2 0

The first row says that at least 3 of the literals are true; the second is a clause. At most k of n
literals is at least n - k of their negations.

J. Reeves, "Cardinality constraints in satisfiability solving", CMU-CS-25-147, 2025. J. Reeves, M.
Heule, R. Bryant, "From clauses to klauses", CAV 2024. Guarded rows (`g`) and rows with weights are
not read.
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
from nqbench.clauses.rows import AT_LEAST, CLAUSE
from nqbench.clauses.stated_rows import StatedRows
from nqbench.clauses.words import CARDINALITY, Words, kinds_of
from nqbench.clauses.written_rows import write_clauses


def write_knf(formula: Formula, file: BinaryIO, annotations: Annotations = NO_ANNOTATIONS) -> None:
    """Write the formula with its clauses first, one per line, and exact counts in the header. A row
    with two bounds is two lines. Annotations stand before and after the header, as they did.

    >>> import io
    >>> from nqbench.clauses.constraints import Constraints
    >>> from nqbench.clauses.rows import Rows
    >>> file = io.BytesIO()
    >>> write_knf(Constraints.of(3, Rows.exactly(np.array([[1, 2, 3]], np.int32), 1)), file)
    >>> print(file.getvalue().decode().rstrip())
    p knf 3 2
    k 1 1 2 3 0
    k 2 -1 -2 -3 0
    """
    spelled, rows = write_clauses("knf", formula, file, annotations)
    for each in rows:
        is_least = each.least > 0
        k = each.least if is_least else each.length - each.most
        literals = each.literals if is_least else -each.literals
        spelled.write([literals], file, beginning=f"k {k} ".encode(), ending=b"0\n")


def _parse(words: Words, _header: re.Match[bytes] | None) -> ParsedRows:
    values = words.values
    is_mark = words.kinds == CARDINALITY
    is_bound = np.zeros(len(values), bool)
    is_bound[1:] = is_mark[:-1]
    is_end = (values == 0) & ~is_mark & ~is_bound
    after_end = np.ones(len(values), bool)
    after_end[1:] = is_end[:-1]
    if (wrong := is_mark & is_bound).any():
        raise WordError(np.argmax(wrong), "k needs a bound: write 'k BOUND LITERALS 0'")
    if (wrong := is_mark & ~after_end).any():
        raise WordError(np.argmax(wrong), "k in the middle of a row: end the row before with 0")
    if (wrong := is_bound & ((values < 0) | (values > LARGEST))).any():
        raise WordError(
            np.argmax(wrong), f"the bound {{word}} is not a whole number from 0 to {LARGEST}"
        )
    if len(values) and not is_end[-1]:
        raise WordError(len(values) - 1, unended("row"))
    is_literal = ~(is_mark | is_bound | is_end)
    check_literals(values, is_literal)
    ends, starts = ends_and_starts(is_end)
    is_row = is_mark[starts]
    lengths = ends - starts - 2 * is_row
    if (wrong := is_row & (lengths == 0)).any():
        raise WordError(
            starts[np.argmax(wrong)], "a row without literals: write 'k BOUND LITERALS 0'"
        )
    rows = StatedRows(
        values[is_literal].astype(np.int32),
        None,
        lengths,
        np.where(is_row, AT_LEAST, CLAUSE).astype(np.uint8),
        np.where(is_row, values[np.minimum(starts + 1, ends)], 1),
    )
    return ParsedRows(rows, starts, is_literal)


def _explain(word: bytes, line: bytes) -> str:
    if line.startswith(b"g"):
        return (
            f"'{shown(line)}' is a guarded row, which nqbench does not read: encode it as clauses"
        )
    if line.startswith(b"p"):
        return second_header(line)
    if line.startswith(b"w"):
        return has_weights(line)
    if line.startswith(b"k") and not re.match(rb"k\s", line):
        return f"'{shown(line)}' is not a row: write 'k BOUND LITERALS 0'"
    return word_flaw(word, line.removeprefix(b"k").strip())


KNF: Final = RowFormat(
    name="KNF",
    expected="p knf VARIABLES ROWS",
    header=re.compile(rb"\s*p[ \t\v\f]+knf[ \t\v\f]+(\d+)[ \t\v\f]+(\d+)\s*"),
    table=kinds_of("-k"),
    parse=_parse,
    explain=_explain,
    write=write_knf,
)
