"""The clauses and rows of a formula as formats have them that state one bound for each row."""

from collections.abc import Iterator

import numpy as np

from nqbench.clauses.cnf import CNF
from nqbench.clauses.constraints import Formula
from nqbench.clauses.rows import Rows
from nqbench.common.errors import InputError


def one_sided(formula: Formula) -> tuple[CNF, list[Rows]]:
    """The clauses, and rows with one bound each: see `without_corner_cases`. Raises `InputError` if
    there are weights, which formats with one bound for each row do not have.
    """
    if not isinstance(formula, CNF) and formula.weighted:
        raise InputError("rows with weights need OPB: write FILE.opb")
    cnf, rows = without_corner_cases(formula)
    return cnf, [each for row in rows for each in _bounds(row)]


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
