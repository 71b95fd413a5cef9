"""Reads WCNF: clauses, and soft clauses with weights, in both forms.

    p wcnf 3 3 10      since the first MaxSAT evaluations: a weight before each clause
    10 1 2 0           a clause, since its weight is the last number of the header
    4 -1 3 0           a soft clause
    1 -2 0

    h 1 2 0            since the MaxSAT Evaluation 2022: without a header
    4 -1 3 0
    1 -2 0

Without the last number in the header, all clauses are soft. Soft clauses become an objective: see
`soft_clauses`. MaxSAT Evaluation 2022, "Rules".
"""

import re
from typing import Final

import numpy as np

from nqbench.clauses.dimacs_flaws import shown, word_flaw
from nqbench.clauses.row_format import (
    ParsedRows,
    RowFormat,
    WordError,
    check_literals,
    ends_and_starts,
)
from nqbench.clauses.soft_clauses import SoftClauses
from nqbench.clauses.stated_rows import CLAUSE, StatedRows
from nqbench.clauses.weighted import LARGEST_SUM
from nqbench.clauses.words import CARDINALITY, Words, kinds_of

_LARGEST: Final = 2**63 - 1
"""The largest weight that is read exactly."""


def _parse(words: Words, header: re.Match[bytes] | None) -> ParsedRows:
    values, is_mark = words.values, words.kinds == CARDINALITY
    top = int(header[3]) if header is not None and header[3] else None
    if top is not None and top > _LARGEST:
        raise WordError(0, "the header has a weight beyond 2^63 - 1, which is not supported")
    if header is not None and is_mark.any():
        raise WordError(np.argmax(is_mark), "'{line}': h is for files without a header")
    is_end = (values == 0) & ~is_mark
    if len(values) and not is_end[-1]:
        raise WordError(
            len(values) - 1, "the last clause does not end with 0: is the file cut off?"
        )
    ends, starts = ends_and_starts(is_end)
    if (wrong := ends == starts).any():
        raise WordError(
            starts[np.argmax(wrong)], "'{line}' has a clause of weight 0, or without one"
        )
    is_weight = np.zeros(len(values), bool)
    is_weight[starts] = True
    if (wrong := is_mark & ~is_weight).any():
        raise WordError(np.argmax(wrong), "h in the middle of a clause: end it with 0")
    weights = values[starts]
    is_soft = ~is_mark[starts] if top is None else weights < top
    if (wrong := is_soft & (weights < 0)).any():
        raise WordError(starts[np.argmax(wrong)], "the weight {word} is negative")
    if (wrong := is_soft & (weights > LARGEST_SUM)).any():
        raise WordError(
            starts[np.argmax(wrong)], "the weight {word} is beyond 2^53, which is not supported"
        )
    _check_sum(weights[is_soft].tolist(), starts[is_soft].tolist())
    is_literal = ~(is_end | is_weight)
    check_literals(values, is_literal)
    lengths = (ends - starts - 1).astype(np.int64)
    of_soft = np.repeat(is_soft, lengths)
    literals = values[is_literal].astype(np.int32)
    hard = lengths[~is_soft]
    rows = StatedRows(
        literals[~of_soft], None, hard, np.full(len(hard), CLAUSE, np.uint8), np.ones_like(hard)
    )
    soft = SoftClauses(literals[of_soft], lengths[is_soft], weights[is_soft])
    return ParsedRows(rows, starts[~is_soft], is_literal, soft)


def _check_sum(weights: list[int], words: list[int]) -> None:
    total = 0  # of Python, which does not overflow
    for weight, word in zip(weights, words, strict=True):
        total += weight
        if total > LARGEST_SUM:
            raise WordError(word, "the weights up to {word} add up to more than 2^53")


def _explain(word: bytes, line: bytes) -> str:
    if line.startswith(b"p"):
        return f"'{shown(line)}' is a second header: are these several formulas?"
    if re.fullmatch(rb"[+-]?\d+\.\d*", word):
        return f"{shown(word)} is not a whole number"
    if line.startswith(b"h") and not re.match(rb"h\s", line):
        return f"'{shown(line)}' is not a clause: write 'h LITERALS 0'"
    return word_flaw(word, line.removeprefix(b"h").strip())


WCNF: Final = RowFormat(
    name="WCNF",
    expected="p wcnf VARIABLES CLAUSES TOP",
    header=re.compile(rb"\s*p[ \t\v\f]+wcnf[ \t\v\f]+(\d+)[ \t\v\f]+(\d+)(?:[ \t\v\f]+(\d+))?\s*"),
    any_header=re.compile(rb"\A(?:[ \t\v\f\r]*(?:c[^\n]*)?\n)*([ \t\v\f]*p\b[^\n]*)"),
    comment=b"c",
    table=kinds_of("-h"),
    parse=_parse,
    explain=_explain,
    needs_header=False,
)
