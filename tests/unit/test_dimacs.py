import io

import numpy as np
import pytest
from hypothesis import given, settings
from pysat.formula import CNF as PySATFormula
from strategies import formulas

from nqbench.clauses import dimacs
from nqbench.clauses.cnf import CNF
from nqbench.encodings.base import Encoding
from nqbench.problems.queens import Queens


def text_of(cnf):
    file = io.BytesIO()
    dimacs.write(cnf, file)
    return file.getvalue()


@settings(max_examples=30)
@given(formulas())
def test_what_is_written_is_read_again(formula):
    clauses, cnf = formula
    again = dimacs.read(text_of(cnf), "memory")
    assert list(again.clauses()) == clauses
    assert again.num_variables == cnf.num_variables


@pytest.mark.parametrize("n", [1, 4, 12])
def test_pysat_reads_the_same_formula(n):
    cnf = Encoding.named("pairwise").encode(Queens(n))
    theirs = PySATFormula(from_string=text_of(cnf).decode())
    assert theirs.clauses == list(cnf.clauses())
    assert theirs.nv == cnf.num_variables


def test_pysats_text_is_read_as_the_same_formula():
    theirs = PySATFormula(from_clauses=[[1, -2], [3], [-1, 2, -3]])
    assert list(dimacs.read(theirs.to_dimacs().encode(), "pysat").clauses()) == theirs.clauses


def test_long_numbers_are_spelled_in_full():
    cnf = CNF(1_234_567, 0, (np.array([[1_234_567, -1_234_567, 1]], dtype=np.int32),))
    assert text_of(cnf) == b"p cnf 1234567 1\n1234567 -1234567 1 0\n"


def test_the_clauses_of_alo_row_begin_with_the_rows():
    lines = text_of(Encoding.named("alo-row").encode(Queens(4))).splitlines()
    assert lines[:5] == [b"p cnf 16 80", b"1 2 3 4 0", b"5 6 7 8 0", b"9 10 11 12 0",
                         b"13 14 15 16 0"]  # fmt: skip
    assert len(lines) == 81
