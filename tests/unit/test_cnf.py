from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import formulas

from nqbench.clauses.cnf import CNF, CNFBuilder
from nqbench.encodings.base import Encoding
from nqbench.problems.queens import Queens

some = settings(max_examples=30)


def block(rows):
    return np.array(rows, dtype=np.int32)


@some
@given(formulas())
def test_clauses_come_out_as_they_went_in(formula):
    clauses, cnf = formula
    assert list(cnf.clauses()) == clauses
    assert cnf.num_clauses == len(clauses)
    assert cnf.num_literals == sum(map(len, clauses))
    assert cnf.flat().tolist() == [literal for clause in clauses for literal in [*clause, 0]]


@some
@given(formulas(), st.integers(0, 255))
def test_the_first_falsified_clause_is_found(formula, bits):
    clauses, cnf = formula
    values = np.array([bits >> i & 1 for i in range(cnf.num_variables)], dtype=np.bool_)
    false = [c for c in clauses if not any(values[abs(lit) - 1] == (lit > 0) for lit in c)]
    assert cnf.falsified(values) == (tuple(false[0]) if false else None)


@some
@given(formulas())
def test_packing_keeps_everything(formula):
    _, cnf = formula
    unpacked = CNF.unpack(memoryview(b"".join(cnf.pack())))
    assert list(unpacked.clauses()) == list(cnf.clauses())
    assert (unpacked.num_variables, unpacked.num_main) == (cnf.num_variables, cnf.num_main)
    assert unpacked.digest() == cnf.digest()


def test_bytes_of_something_else_are_not_unpacked():
    with pytest.raises(ValueError, match="not a packed CNF"):
        CNF.unpack(memoryview(bytes(64)))


def packed(cnf, **changed):
    """The formula as bytes, with other numbers in the header: by name, or by place."""
    content = bytearray(b"".join(cnf.pack()))
    places = {"num_variables": 1, "num_main": 2, "count": 3, "rows": 4, "width": 5}
    for name, value in changed.items():
        at = 8 * places[name]
        content[at : at + 8] = np.int64(value).tobytes()
    return memoryview(bytes(content))


@pytest.mark.parametrize(
    "changed",
    [
        {"num_main": -1},
        {"num_main": 4},
        {"num_variables": -1, "num_main": -1},
        {"num_variables": 2**31, "num_main": 0},
        {"count": -1},
        {"count": 1000},
        {"rows": -1},
        {"width": -1},
        {"rows": -2, "width": -2},
        {"rows": 60, "width": 2},
        {"rows": 2**62, "width": 4},
    ],
)
def test_a_header_that_cannot_be_is_refused(changed):
    cnf = CNF(3, 1, (block([[1, 2], [-1, 3]]),))
    assert list(CNF.unpack(packed(cnf)).clauses()) == [[1, 2], [-1, 3]]
    with pytest.raises(ValueError, match=r"not a packed CNF|a block of|buffer"):
        CNF.unpack(packed(cnf, **changed))


@pytest.mark.parametrize(
    "cnf",
    [
        CNF(0, 0, ()),
        CNF(3, 0, (block([[1, 2]]),)),
        CNF(3, 3, (block([[1, 2]]),)),
        CNF(1, 1, (np.zeros((2, 0), np.int32),)),
        CNF(2, 1, (np.zeros((0, 2), np.int32), block([[1]]))),
        CNF(2**31 - 1, 2**31 - 1, (block([[2**31 - 1]]),)),
    ],
)
def test_a_formula_at_the_bounds_is_unpacked(cnf):
    unpacked = CNF.unpack(packed(cnf))
    assert (unpacked.num_variables, unpacked.num_main) == (cnf.num_variables, cnf.num_main)
    assert [each.tolist() for each in unpacked.blocks] == [each.tolist() for each in cnf.blocks]


def test_a_long_block_is_cut_into_chunks_that_keep_the_order():
    clauses = np.arange(1, 300_001, dtype=np.int32).reshape(-1, 3)
    cnf = CNF(300_000, 0, (clauses,))
    chunks = list(cnf.chunks())
    assert {len(chunk) for chunk in chunks[:-1]} == {2**16 // 3}
    assert np.array_equal(np.concatenate(chunks), clauses)
    assert [len(chunk) for chunk in cnf.chunks(2)][:2] == [1, 1]


def test_a_change_anywhere_changes_the_digest():
    digests = {
        CNF(3, 0, (block([[1, 2], [2, 3]]),)).digest(),
        CNF(3, 0, (block([[2, 3], [1, 2]]),)).digest(),
        CNF(3, 0, (block([[1, 2], [2, -3]]),)).digest(),
        CNF(3, 0, (block([[1, 2, 2, 3]]),)).digest(),
        CNF(4, 0, (block([[1, 2], [2, 3]]),)).digest(),
        CNF(3, 1, (block([[1, 2], [2, 3]]),)).digest(),
    }
    assert {len(digest) for digest in digests} == {32}
    assert len(digests) == 6


def test_fresh_variables_follow_those_of_the_board():
    cnf = CNFBuilder(num_main=9)
    assert [cnf.fresh(2), cnf.fresh(1)] == [10, 12]
    assert cnf.fresh_array(3).tolist() == [13, 14, 15]
    assert cnf.build().num_variables == 15


def test_clauses_of_several_widths_are_sorted_by_width():
    cnf = CNFBuilder(num_main=4)
    cnf.add_without_zeros(block([[0, 1, 0], [2, 3, 4], [0, -1, -2], [0, 0, 4]]))
    assert list(cnf.build().clauses()) == [[2, 3, 4], [-1, -2], [1], [4]]
    assert cnf.num_variables == 4
    long = CNFBuilder(num_main=4)
    long.add_without_zeros(block([[1, 2, 3, 4]]))
    assert list(long.build().clauses()) == [[1, 2, 3, 4]]


def test_a_clause_without_literals_is_written_as_a_contradiction():
    cnf = CNFBuilder(num_main=2)
    cnf.add_without_zeros(block([[1, -2], [0, 0]]))
    assert list(cnf.build().clauses()) == [[1, -2], [3], [-3]]
    assert cnf.num_variables == 3


def test_a_formula_by_width_has_a_block_for_each_width():
    cnf = CNFBuilder(num_main=3)
    for clauses in ([[1, 2]], [[3]], [[2, 3]], [[1, 2, 3]], [[1]]):
        cnf.add(clauses)
    built = cnf.build_by_width()
    assert [b.tolist() for b in built.blocks] == [[[3], [1]], [[1, 2], [2, 3]], [[1, 2, 3]]]
    assert len(cnf.build().blocks) == 5  # in the order in which they were added


def test_neighbours_of_one_width_become_one_block():
    cnf = CNFBuilder(num_main=3)
    for clauses in ([[1, 2]], [[2, 3]], [[3]], [[1, 3]]):
        cnf.add(clauses)
    assert [b.tolist() for b in cnf.build().blocks] == [[[1, 2], [2, 3]], [[3]], [[1, 3]]]


@pytest.mark.parametrize(
    ("num_main", "clause", "message"),
    [
        (-1, [1, 2], "-1 main variables, but 3 variables"),
        (4, [1, 2], "4 main variables, but 3 variables"),
        (0, [1, 0], "beyond the 3 variables"),
        (0, [1, 4], "beyond the 3 variables"),
        (3, [-4, 1], "beyond the 3 variables"),
        (0, [3, -3], None),
        (3, [1, -2], None),
    ],
)
def test_a_formula_beyond_its_variables_is_noticed(num_main, clause, message):
    cnf = CNF(3, num_main, (block([clause]), np.empty((0, 2), dtype=np.int32)))
    with pytest.raises(ValueError, match=message) if message else nullcontext():
        cnf.check()


@pytest.mark.parametrize("length", [2, 4])
def test_a_model_of_the_wrong_length_is_refused(length):
    with pytest.raises(ValueError, match=r"got values of shape .*, expected \(3,\)"):
        CNF(3, 0, ()).falsified(np.ones(length, dtype=np.bool_))


@pytest.mark.parametrize(
    ("clauses", "message"),
    [
        (np.ones((1, 1, 1), dtype=int), r"shape \(clauses, width\), not \(1, 1, 1\)"),
        ([1, 2, 3], r"shape \(clauses, width\), not \(3,\)"),
        ([[1.5, 2]], "whole numbers as literals, not float64"),
        ([[True, False]], "whole numbers as literals, not bool"),
    ],
)
def test_clauses_that_are_no_block_are_refused(clauses, message):
    with pytest.raises(ValueError, match=message):
        CNFBuilder(3).add(clauses)


def test_literals_of_a_clause_that_are_missing_are_noticed():
    with pytest.raises(ValueError, match=r"arrays of one shape \(clauses,\), not \(2,\), \(3,\)"):
        CNFBuilder(3).add_each(np.array([1, 2]), np.array([1, 2, 3]))


@some
@given(formulas(), st.randoms(use_true_random=False))
def test_the_digest_of_clauses_does_not_depend_on_their_order(formula, random):
    clauses, cnf = formula
    mixed = [random.sample(clause, len(clause)) for clause in clauses]
    random.shuffle(mixed)
    builder = CNFBuilder(cnf.num_main)
    builder.fresh(cnf.num_variables - cnf.num_main)
    for clause in mixed:
        builder.add([clause])
    assert builder.build().clauses_digest() == cnf.clauses_digest()
    if clauses:
        fewer = CNF(cnf.num_variables, cnf.num_main, tuple(block[1:] for block in cnf.blocks))
        assert fewer.clauses_digest() != cnf.clauses_digest()


def test_long_clauses_are_hashed_in_few_steps(monkeypatch):
    monkeypatch.setattr("nqbench.clauses.cnf._mixed", None)
    long, other = np.arange(1, 40_001, dtype=np.int32).reshape(2, -1)
    digests = {
        CNF(40_000, 0, (np.array(rows, np.int32),)).clauses_digest()
        for rows in ([long, other], [other, long[::-1]], [long, long], [long], [other])
    }
    assert len(digests) == 4


@pytest.mark.parametrize("n", [4, 8, 20])
def test_pyeda_makes_the_clauses_of_pairwise(n):
    first, second = (
        Encoding.named(name).clauses(Queens(n)) for name in ("pairwise", "pyeda-onehot")
    )
    assert {frozenset(c) for c in first.clauses()} == {frozenset(c) for c in second.clauses()}
    assert first.clauses_digest() == second.clauses_digest()
    assert first.digest() != second.digest()
