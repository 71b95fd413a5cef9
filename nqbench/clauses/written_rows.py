"""The clauses and rows of a formula as formats have them that state one bound for each row."""

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from nqbench.clauses.annotations import Annotations
from nqbench.clauses.cnf import CNF
from nqbench.clauses.constraints import Formula
from nqbench.clauses.literal_text import SpelledLiterals
from nqbench.clauses.rows import Rows
from nqbench.common.errors import InputError


def write_clauses(
    word: str, formula: Formula, file: BinaryIO, annotations: Annotations
) -> tuple[SpelledLiterals, list[Rows]]:
    """Write the clauses below a header with this word, and return what is to be written below
    them: rows with one bound each (see `without_corner_cases`), and what writes literals.

    Raises `InputError` if there are weights, which formats with one bound for each row do not have.
    """
    if not isinstance(formula, CNF) and formula.weighted:
        raise InputError("rows with weights need OPB: write FILE.opb")
    cnf, two_sided = without_corner_cases(formula)
    rows = [each for row in two_sided for each in _bounds(row)]
    count = cnf.num_clauses + sum(each.count for each in rows)
    spelled = SpelledLiterals(cnf.num_variables)
    file.writelines(line + b"\n" for line in annotations.before)
    file.write(f"p {word} {cnf.num_variables} {count}\n".encode())
    file.writelines(line + b"\n" for line in annotations.after)
    spelled.write(cnf.chunks(), file, ending=b"0\n")
    return spelled, rows


def without_corner_cases(formula: Formula) -> tuple[CNF, list[Rows]]:
    """The clauses, and the rows that some but not all values satisfy. Empty clauses stand in place
    of rows that never hold.
    """
    if isinstance(formula, CNF):
        return formula, []
    cnf, rows = formula.cnf, []
    for each in formula.counted:
        if each.least > each.length or each.most < 0 or each.least > each.most:
            cnf = cnf.with_clauses(np.zeros((each.count, 0), np.int32))
        elif not each.is_free:
            rows.append(each)
    return cnf, rows


def _bounds(rows: Rows) -> Iterator[Rows]:
    if rows.least > 0:
        yield Rows.at_least(rows.literals, rows.least)
    if rows.most < rows.length:
        yield Rows.at_most(rows.literals, rows.most)
