"""Faults of encoders and of their readers, which the comparison with the file finds."""

from dataclasses import replace

import numpy as np
import pytest
from stated_rows import encoded, rows_of, with_clause

from nqbench.checking import stamping
from nqbench.clauses.cnf import CNF

FILE = """\
p cnf+ 9 5
1 -2 3 0
1 2 -3 4 5 6 <= 2
4 5 -6 7 8 9 <= 2
2 4 6 8 >= 2
-9 1 <= 1
"""
OPB = """\
* #variable= 6 #constraint= 3
+1 x1 +1 ~x2 +1 x3 +1 x4 +1 x5 = 2 ;
+2 x2 +2 x3 +2 x4 +2 x6 >= 4 ;
-1 x1 -1 x2 -1 x6 >= -1 ;
"""


@pytest.mark.parametrize("text", [FILE, OPB])
@pytest.mark.parametrize("scheme", ["totalizer", "sequential", "pairwise"])
def test_an_honest_encoder_has_no_flaw(text, scheme):
    assert stamping.flaw(*on(text, *encoded(text, scheme))) is None


def on(text, instance, stampings):
    return instance, rows_of(text), stampings


@pytest.mark.parametrize(
    ("text", "right", "wrong", "message"),
    [
        (FILE, "5 6 <= 2", "5 6 <= 3", "line 3 is for 0 to 2 literals, its template for 0 to 3"),
        (FILE, "5 6 <= 2", "5 6 <= 1", "line 3 is for 0 to 2 literals, its template for 0 to 1"),
        (FILE, "8 >= 2", "8 <= 2", "line 5 is for 2 to 4 literals, its template for 0 to 2"),
        (FILE, "2 -3 4", "2 3 4", "line 3 has other literals"),  # a negation lost
        (FILE, "1 -2 3 0", "1 2 3 0", "the instance has the clause 1 2 3, which is of no row"),
        (FILE, "7 8 9 <=", "7 8 <=", "line 4 has 6 literals, its template 5"),
        (FILE, "-9 1 <= 1", "-9 1 <= 2", "the instance lacks the clause -1 9"),
        (FILE, "4 5 -6 7 8 9", "4 5 -6 7 9 3", "line 4 has other literals"),
        (OPB, "x5 = 2", "x5 >= 2", "line 2 is not stated"),
        (OPB, "+1 ~x2", "+1 x2", "line 2 has other literals"),
        (OPB, "+2 x2 +2 x3 +2 x4 +2 x6 >= 4", "+1 x2 +1 x3 +1 x4 +1 x6 >= 4", "line 3"),
        (OPB, "-1 x1 -1 x2 -1 x6", "+1 x1 +1 x2 +1 x6", "line 4 is not stated"),
    ],
)
def test_a_row_that_was_read_wrong_is_found(text, right, wrong, message):
    assert right in text
    found = stamping.flaw(*on(text, *encoded(text.replace(right, wrong))))
    assert found is not None
    assert message in found


def test_a_weight_that_is_dropped_is_found():
    """Weights that differ are not compared yet; a model that breaks them is found."""
    model = np.array([True, False, False])
    assert "it has 2" in rows_of("+2 x1 +1 x2 +1 x3 >= 3 ;").broken_by(model)
    assert rows_of("+1 x1 +1 x2 +1 x3 >= 1 ;").broken_by(model) is None


@pytest.mark.parametrize("row", [0, 1, 2, 3, 4])
def test_a_row_that_is_dropped_is_found(row):
    lines = FILE.splitlines()
    left = [*lines[: row + 1], *lines[row + 2 :]]
    instance, stampings = encoded("\n".join(left).replace("9 5", "9 4"))
    numbers = np.delete(np.arange(5), row)
    moved = [replace(each, rows=numbers[each.rows]) for each in stampings]
    found = stamping.flaw(*on(FILE, instance, moved))
    assert found is not None
    assert found.startswith((f"line {row + 2} is not stated", "the instance lacks the clause"))


def test_auxiliaries_that_two_rows_share_are_found():
    instance, stampings = encoded(FILE)
    wide = next(each for each in stampings if len(each.rows) == 2)
    shared = wide.auxiliaries.copy()
    shared[1] = shared[0]
    # The instance has the copies as they are described.
    blocks = [
        block
        for each in stampings
        for block in stamping.placed(
            each.template, each.literals, shared if each is wide else each.auxiliaries
        )
    ]
    cnf = CNF(instance.num_variables, 9, (*clauses_of_file(), *blocks))
    described = [replace(each, auxiliaries=shared) if each is wide else each for each in stampings]
    assert "has two meanings" in stamping.flaw(*on(FILE, cnf, described))
    # The instance has them, and they are described as if they were not shared.
    assert stamping.flaw(*on(FILE, cnf, stampings)) == "the instance lacks the clause -46"


def clauses_of_file():
    return np.array([[1, -2, 3]], np.int32), np.array([[9, -1]], np.int32)


@pytest.mark.parametrize("moved", [9, 10**6])
def test_auxiliaries_of_the_file_or_of_nobody_are_found(moved):
    instance, stampings = encoded(FILE)
    auxiliaries = stampings[0].auxiliaries.copy()
    auxiliaries[0, 0] = moved
    changed = [replace(stampings[0], auxiliaries=auxiliaries), *stampings[1:]]
    found = stamping.flaw(*on(FILE, instance, changed))
    assert found == "an auxiliary variable is one of the file, or none of the instance"


def test_a_wrong_offset_of_variables_is_found():
    instance, stampings = encoded(FILE)
    moved = CNF(instance.num_variables + 1, 9, tuple(np.sign(b) + b for b in instance.blocks))
    assert "which is of no row" in stamping.flaw(*on(FILE, moved, stampings))
    offset = [replace(each, literals=np.sign(each.literals) + each.literals) for each in stampings]
    assert "has other literals" in stamping.flaw(*on(FILE, instance, offset))


def test_a_clause_more_or_less_is_found():
    instance, stampings = encoded(FILE)
    assert stamping.flaw(*on(FILE, with_clause(instance, 1, -2, 3), stampings)) is None
    assert stamping.flaw(*on(FILE, with_clause(instance, 4, -4), stampings)) is None
    found = stamping.flaw(*on(FILE, with_clause(instance, -1, 2), stampings))
    assert found == "the instance has the clause -1 2, which is of no row"
    for at, block in enumerate(instance.blocks):
        blocks = (*instance.blocks[:at], block[1:], *instance.blocks[at + 1 :])
        fewer = CNF(instance.num_variables, 9, blocks)
        found = stamping.flaw(*on(FILE, fewer, stampings))
        clause = sorted(block[0].tolist())
        assert found == f"the instance lacks the clause {' '.join(map(str, clause))}"


def test_a_wrong_order_of_literals_in_one_copy_is_found():
    """The order may be any, but has to be that of all clauses of the copy."""
    instance, stampings = encoded(FILE)
    turned = replace(stampings[0], literals=stampings[0].literals[:, ::-1])
    assert stamping.flaw(*on(FILE, instance, [turned, *stampings[1:]])) is not None


@pytest.mark.parametrize("bounds", [(-1, 2), (0, 7), (3, 2)])
def test_bounds_that_no_template_has_are_found(bounds):
    instance, stampings = encoded(FILE)
    least, most = bounds
    changed = [*stampings[:-1], replace(stampings[-1], least=least, most=most)]
    assert stamping.flaw(*on(FILE, instance, changed)).startswith("a template is for")


def test_a_row_that_cannot_be_met_is_left_to_the_rows():
    text = "p knf 2 1\nk 3 1 2 0\n"
    found = stamping.flaw(CNF(2, 2, ()), rows_of(text), [])
    assert found == "line 2 cannot be met, which needs no encoding"
