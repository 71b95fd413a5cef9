import io

import numpy as np
import pytest
from hypothesis import given
from pysat.formula import CNF as PySATFormula
from strategies import formulas

from nqbench.errors import InputError
from nqbench.instances import dimacs
from nqbench.instances.cnf import CNF
from nqbench.plugins import load_encoding
from nqbench.problems.queens import Queens


def text_of(cnf):
    file = io.BytesIO()
    dimacs.write(cnf, file)
    return file.getvalue()


@given(formulas())
def test_what_is_written_is_read_again(formula):
    clauses, cnf = formula
    again = dimacs.read(text_of(cnf), "memory")
    assert list(again.clauses()) == clauses
    assert again.num_variables == cnf.num_variables


@pytest.mark.parametrize("n", [1, 4, 12])
def test_pysat_reads_the_same_formula(n):
    cnf = load_encoding("pairwise").encode(Queens(n))
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
    lines = text_of(load_encoding("alo-row").encode(Queens(4))).splitlines()
    assert lines[:5] == [b"p cnf 16 80", b"1 2 3 4 0", b"5 6 7 8 0", b"9 10 11 12 0",
                         b"13 14 15 16 0"]  # fmt: skip
    assert len(lines) == 81


@pytest.mark.parametrize(
    "text",
    [
        b"c first\np cnf 3 2\n1 -2 0\n3 0\n",
        b"p cnf 3 2\nc between\n1 -2 0\nc and\n3 0\nc last",
        b"p cnf 3 2\n1\n-2 0 3\n0\n",
        b"p  cnf\t3   2 \r\n1 -2 0\r\n3 0\r\n",
        b"p cnf 3 2\n1 -2 0\n3 0\n%\n0\n",
        b"\n\np cnf 3 2\n\n1 -2 0 3 0",
    ],
)
def test_what_the_field_writes_is_read(text):
    assert list(dimacs.read(text, "file").clauses()) == [[1, -2], [3]]


def test_empty_formula_and_empty_clause():
    assert list(dimacs.read(b"p cnf 0 0\n", "file").clauses()) == []
    assert list(dimacs.read(b"p cnf 1 2\n0\n1 0\n", "file").clauses()) == [[], [1]]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b"", "line 1: the file ends without"),
        (b"c nothing\n", "the file ends without"),
        (b"1 2 0\np cnf 2 1\n", "line 1: expected 'p cnf"),
        (b"p cnf x 1\n1 0\n", "line 1: expected 'p cnf"),
        (b"p cnf " + b"9" * 5000 + b" 1\n1 0\n", "line 1: expected 'p cnf"),
        (b"p cnf 2 1\n1 two 0\n", "line 2: 'two' is not a literal"),
        (b"p cnf 2 1\n1-2 0\n", "line 2: '1-2' is not a literal"),
        (b"p cnf 2 1\n1 --2 0\n", "line 2: '--2' is not a literal"),
        (b"p cnf 2 1\n1 - 2 0\n", "line 2: '-' is not a literal"),
        (b"p cnf 2 1\n1 3 0\n", "line 2: literal 3, but the header says 2 variables"),
        (
            b"p cnf 2 1\n1 99999999999999999999999 0\n",
            "line 2: '99999999999999999999' is not a literal",
        ),
        (b"p cnf 2 1\n1 -9223372036854775808 0\n", "is not a literal"),  # 0 in 32 bits
        (b"p cnf 2 1\n1 -9223372036854775807 0\n", "is not a literal"),
        (b"p cnf 2 1\n1 -4294967296 0\n", "line 2: literal -4294967296, but the header"),
        (b"p cnf 2 2\n1 2 0\n", "1 clauses, but the header says 2"),
        (b"p cnf 2 1\n1 2 0\n1 0\n", "2 clauses, but the header says 1"),
        (b"p cnf 2 1\n1 2\n", "the last clause does not end with 0"),
        (b"\x00\x01\x02", "line 1: expected 'p cnf"),
    ],
)
def test_anything_else_is_refused_with_its_line(text, complaint):
    with pytest.raises(InputError) as error:
        dimacs.read(text, "bad.cnf")
    assert str(error.value).startswith("bad.cnf, line ")
    assert complaint in str(error.value)
