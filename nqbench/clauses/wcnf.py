"""Reads and writes WCNF: clauses, and soft clauses with weights, in both forms.

    p wcnf 3 3 10      since the first MaxSAT evaluations: a weight before each clause
    10 1 2 0           a clause, since its weight is the last number of the header
    4 -1 3 0           a soft clause
    1 -2 0

    h 1 2 0            since the MaxSAT Evaluation 2022: without a header
    4 -1 3 0
    1 -2 0

A word h marks a hard clause below a header as well. Without the last number in the header, all
other clauses are soft. Soft clauses become an objective: see `definitions`. A file called .wcnf
may have neither a header nor a line with h: all clauses are soft then. If it has lost the header of
the first form, those with the largest weight were hard, and that weight is larger than all others
together: so a note says that it was read as soft.

Files are written in the first form, whose header has the number of variables.

MaxSAT Evaluation 2022, "Rules".
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import BinaryIO, Final

import numpy as np

from nqbench.clauses.cnf import CNF
from nqbench.clauses.comment_lines import NO_ANNOTATIONS, Annotations
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.definitions import SoftClauses
from nqbench.clauses.dimacs_flaws import second_header, shown, unended, word_flaw
from nqbench.clauses.row_format import (
    HEADER,
    ParsedRows,
    RowFormat,
    WordError,
    check_literals,
    ends_and_starts,
)
from nqbench.clauses.rows import CLAUSE, Integers, Objective, whole_numbers
from nqbench.clauses.stated_rows import StatedRows
from nqbench.clauses.words import CARDINALITY, Words, kinds_of
from nqbench.clauses.written_rows import without_corner_cases
from nqbench.common.errors import InputError

Clause = Sequence[int]


def _parse(words: Words, header: re.Match[bytes] | None) -> ParsedRows:
    values, is_mark = words.values, words.kinds == CARDINALITY
    top = int(header[3]) if header is not None and header[3] else None
    if top == 0:
        raise WordError(
            HEADER,
            "a top of 0 does not say which clauses are hard: leave it out if all are soft, or mark "
            "hard ones with h",
        )
    is_end = (values == 0) & ~is_mark
    if len(values) and not is_end[-1]:
        raise WordError(len(values) - 1, unended("clause"))
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
    is_soft = ~is_mark[starts]
    if top is not None:
        is_soft &= weights < top
    if (wrong := is_soft & (weights < 0)).any():
        raise WordError(starts[np.argmax(wrong)], "the weight {word} is negative")
    may_lack_header = header is None and not is_mark.any()
    note = _note_on_all_soft(weights) if may_lack_header else ""
    is_literal = ~(is_end | is_weight)
    check_literals(values, is_literal)
    lengths = (ends - starts - 1).astype(np.int64)
    of_soft = np.repeat(is_soft, lengths)
    literals = values[is_literal].astype(np.int32)
    hard = lengths[~is_soft]
    rows = StatedRows(
        literals[~of_soft], None, hard, np.full(len(hard), CLAUSE, np.uint8), np.ones_like(hard)
    )
    costs = whole_numbers(weights[is_soft].tolist())
    soft = SoftClauses(literals[of_soft], lengths[is_soft], costs)
    return ParsedRows(rows, starts[~is_soft], is_literal, soft, note)


def _note_on_all_soft(weights: Integers) -> str:
    """What to know if the largest weight may be that of hard clauses; empty if it cannot be."""
    largest = weights.max(initial=0)
    smaller = weights[weights < largest]
    if smaller.size and largest > sum(smaller.tolist()):
        return (
            f"no clause is marked with h, so those of weight {largest} are soft: if they are hard, "
            "write h in its place"
        )
    return ""


def write_wcnf(formula: Formula, file: BinaryIO, annotations: Annotations = NO_ANNOTATIONS) -> None:
    """Write clauses as hard ones, and an objective as soft ones, with exact counts in the header.
    A clause that has a new variable of `SoftClauses` is written without it, as it was read. What
    the costs lack of the objective follows the header as a comment.

    Raises `InputError` for rows, which WCNF does not have.

    >>> import io
    >>> cnf = CNF(2, 2, (np.array([[1, 2]], np.int32),))
    >>> file = io.BytesIO()
    >>> write_wcnf(Constraints(cnf, objective=Objective.of([1, 2], [3, 4])), file)
    >>> print(file.getvalue().decode().rstrip())
    p wcnf 2 3 8
    8 1 2 0
    3 -1 0
    4 -2 0
    """
    constraints = formula if isinstance(formula, Constraints) else Constraints(formula)
    cnf, rows = without_corner_cases(constraints)
    if rows or constraints.weighted:
        raise InputError(
            "WCNF has clauses only, no rows: encode these with "
            "`nqbench encode FILE --encoding adder -o FILE.wcnf`"
        )
    objective = constraints.objective or Objective.of([], [])
    variables, hard, soft = _divided(cnf, objective, constraints.num_fresh)
    top = sum(weight for weight, _ in soft) + 1
    file.writelines(line + b"\n" for line in annotations.before)
    file.write(f"p wcnf {variables} {len(hard) + len(soft)} {top}\n".encode())
    file.writelines(line + b"\n" for line in annotations.after)
    if objective.is_maximised:
        file.write(b"c the objective is to be maximised: its opposite is written\n")
    if objective.constant:
        file.write(f"c to be added to the costs: {objective.constant}\n".encode())
    file.writelines(
        f"{' '.join(map(str, (weight, *clause, 0)))}\n".encode()
        for weight, clause in (*((top, clause) for clause in hard), *soft)
    )


def _divided(
    cnf: CNF, objective: Objective, num_fresh: int
) -> tuple[int, list[Clause], list[tuple[int, Clause]]]:
    """The number of variables, the hard clauses, and the soft ones with their weights."""
    clauses: list[Clause] = list(cnf.clauses())
    pairs = zip(objective.literals.tolist(), objective.weights.tolist(), strict=True)
    weight_of = dict(pairs)
    last = cnf.num_variables - num_fresh
    uses = Counter(literal for clause in clauses for literal in clause if abs(literal) > last)
    if any(uses[v] != 1 or uses[-v] or v not in weight_of for v in uses):
        last = cnf.num_variables
    hard: list[Clause] = []
    soft: list[tuple[int, Clause]] = []
    for clause in clauses:
        if fresh := [literal for literal in clause if literal > last]:
            soft.append((weight_of.pop(fresh[0]), [x for x in clause if x != fresh[0]]))
        else:
            hard.append(clause)
    return last, hard, soft + [(weight, [-literal]) for literal, weight in weight_of.items()]


def _explain(word: bytes, line: bytes) -> str:
    if line.startswith(b"p"):
        return second_header(line)
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
    table=kinds_of("-h"),
    parse=_parse,
    explain=_explain,
    write=write_wcnf,
    needs_header=False,
    is_counted=False,
)
