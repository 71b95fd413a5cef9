"""Spellings of OPB and WBO, large numbers: what both readers make of them, against brute force."""

import random

import numpy as np
import pytest
from stated_sums import choices, meets, total

from nqbench.clauses import constraint_files
from nqbench.clauses.constraints import Constraints
from nqbench.measure.readings import compare

HEADER = "* #variable= 3 #constraint= 1\n"


def meanings(text, name="a.opb"):
    """For each choice of the file's variables: whether the rows allow it, and its cost, as encoders
    and as the judge see it.
    """
    data = text.encode()
    stated = constraint_files.statement(data, name)
    formula = constraint_files.read(data, name)
    judged = compare(data, name)
    formula.check()
    packed = b"".join(bytes(piece) for piece in formula.pack())
    if isinstance(formula, Constraints):
        assert Constraints.unpack(memoryview(packed)).digest() == formula.digest()
    objective = formula.objective if isinstance(formula, Constraints) else None
    for values in map(np.array, choices(judged.num_variables)):
        model = stated.extended(values)
        is_allowed = formula.broken_by(model) is None
        cost = None if objective is None else objective.stated(objective.value(model))
        yield (
            (is_allowed, cost),
            (judged.broken_by(values) is None, judged.value(values)),
            tuple(values.tolist()),
        )


@pytest.mark.parametrize(
    ("text", "rows", "objective"),
    [
        ("2*x1 +3 * x2 -1*~x3 >= 2;", [([(2, 1), (3, 2), (-1, -3)], ">=", 2)], None),
        ("x1 - x2 + -2 x3 <= 0;", [([(1, 1), (-1, 2), (-2, 3)], "<=", 0)], None),
        ("+1x1+4x2-2x3>=+2;", [([(1, 1), (4, 2), (-2, 3)], ">=", 2)], None),
        ("1 x1 x2 >= 1; x3 = 1;", [([(1, 1, 2)], ">=", 1), ([(1, 3)], "=", 1)], None),
        ("3 x1 ~x2 x3 -2 x1 ~x2 +1 x1 ~x1 <= 0;", [([(3, 1, -2, 3), (-2, 1, -2)], "<=", 0)], None),
        ("2 x1 x1 1 ~x3 >= 2; x2 >= 0;", [([(2, 1), (1, -3)], ">=", 2)], None),
        ("C1: x1 + x2 >= 1; /* x3\n ; */ x3 = 0;", [([(1, 1), (1, 2)], ">=", 1),
                                                    ([(1, 3)], "=", 0)], None),
        (">= -1; +1 x1 +1 x2 +1 x3 >= 1; = 0;", [([(1, 1), (1, 2), (1, 3)], ">=", 1)], None),
        ("<= -1; +1 x3 >= 0;", [([], "<=", -1)], None),
        ("x1 + x2 >= 1; max: 2 x1 x3 - 3 x2; x3 >= 0;", [([(1, 1), (1, 2)], ">=", 1)],
         [(2, 1, 3), (-3, 2)]),
        ("min: apple 2 pear -1 x1; apple -pear >= 0;", [([(1, 1), (-1, 2)], ">=", 0)],
         [(1, 1), (2, 2), (-1, 3)]),
        ("1 x0 2 x_1 1 a[1]-b >= 2;", [([(1, 1), (2, 2), (1, 3)], ">=", 2)], None),
        ("1 x1-2 x2 1 x3 >= 0;", [([(1, 1), (-2, 2), (1, 3)], ">=", 0)], None),
        (f"{2**64} x1 -{2**64 - 1} x2 >= 1; x3 >= 0;", [([(2**64, 1), (1 - 2**64, 2)], ">=", 1)],
         None),
        (f"min: {2**70} x1 -{2**70} x2 +1 x3; +1 x1 +1 x2 >= 1;", [([(1, 1), (1, 2)], ">=", 1)],
         [(2**70, 1), (-(2**70), 2), (1, 3)]),
        (f"{3**50} x1 {5**40} x2 {7**30} x3 >= {3**50};",
         [([(3**50, 1), (5**40, 2), (7**30, 3)], ">=", 3**50)], None),
        (f"{3**50} x1 {5**40} x2 {7**30} x3 = {3**50 + 7**30};",
         [([(3**50, 1), (5**40, 2), (7**30, 3)], "=", 3**50 + 7**30)], None),
        (f"+1 x1 +1 x2 +1 x3 >= -{10**40};", [], None),
        (f"+1 x1 +1 x2 +1 x3 <= {10**40}; x1 >= {10**40};", [([], ">=", 1)], None),
    ],
)  # fmt: skip
def test_spellings_mean_what_they_say(text, rows, objective):
    """Variables of the expected rows are numbered as they occur first."""
    seen = 0
    for encoded, judged, values in meanings(text):
        expected = meets(rows, values)
        assert encoded[0] == judged[0] == expected, values
        if expected:
            cost = None if objective is None else total(objective, values)
            assert encoded[1] == judged[1] == cost
        seen += 1
    assert seen == 8


@pytest.mark.parametrize("top", ["6", ""])
def test_soft_rows_cost_what_is_broken(top):
    text = f"soft: {top};\n[2] +1 x1 +2 x2 >= 2;\n[3] x1 + x3 = 1;\n[4] x2 <= 0;\n-1 x1 >= -1;\n"
    soft = [
        (2, ([(1, 1), (2, 2)], ">=", 2)),
        (3, ([(1, 1), (1, 3)], "=", 1)),
        (4, ([(1, 2)], "<=", 0)),
    ]
    for encoded, judged, values in meanings(text, "a.wbo"):
        cost = sum(weight for weight, row in soft if not meets([row], values))
        is_allowed = not top or cost < int(top)
        assert encoded[0] == judged[0] == is_allowed
        assert encoded[1] == judged[1] == cost


def test_random_rows_of_large_numbers_mean_what_they_say():
    rng = random.Random(5)
    for _ in range(60):
        row = (
            [(rng.choice([-1, 1]) * rng.choice([1, 3, 2**53, 2**62, 2**63, 10**20]),
              rng.choice([-1, 1]) * rng.randrange(1, 4)) for _ in range(rng.randrange(1, 6))],
            rng.choice([">=", "<=", "="]),
            rng.choice([0, 1, -1, 2**53, -(2**63), 10**20 + 3]),
        )  # fmt: skip
        terms = " ".join(f"{w:+} {'~' if x < 0 else ''}x{abs(x)}" for w, x in row[0])
        text = f"{HEADER}min: {terms} ;\n{terms} {row[1]} {row[2]} ;\n"
        for encoded, judged, values in meanings(text):
            assert encoded[0] == judged[0] == meets([row], values), text
            assert encoded[1] == judged[1] == total(row[0], values), text


def test_bounds_may_be_large_only_together():
    """Each fits in 53 bits, and their sum does not."""
    bound = 2**52 + 1
    text = f"a + 2 b >= -{bound};\n{bound} a + b >= {bound};\na + 3 b >= -{bound};\n"
    for encoded, judged, values in meanings(text):
        assert encoded[0] == judged[0] == values[0], text


def test_a_clause_over_lines_and_large_weights_of_wcnf():
    text = f"h 1 2\n0\nh -1 -3 0 4 -1 0\n{2**64} -2 0\n2 3 0\n"
    for encoded, judged, (x, y, z) in meanings(text, "a.wcnf"):
        assert encoded[0] == judged[0] == ((x or y) and not (x and z))
        assert encoded[1] == judged[1] == 4 * x + 2**64 * y + 2 * (not z)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("* #variable= 1 #constraint= 1\n+1 x1 +1 x2 >= 1 ;\n", "the file holds 2 variables, but"),
        ("* #variable= 2 #constraint= 7\n+1 x1 +1 x2 >= 1 ;\n", "the file holds 1 constraint, but"),
        ("+1 x1 +1 x2 >= 1 ;\n", ""),
        ("* #variable= 4\n+1 x1 +1 x2 >= 1 ;\n", ""),
        ("p wcnf 1 1 4\n4 1 2 0\n", "the file holds 2 variables, but the header says 1"),
    ],
)
def test_wrong_counts_are_a_note(text, note):
    _, found = constraint_files.read_noting(text.encode(), "a")
    assert found.startswith(note)
    assert bool(found) == bool(note)
    assert compare(text.encode(), "a").num_variables == 2


def test_names_are_kept():
    data = b"min: +1 cost_a ~y ;\n+1 y +2 cost_a >= 1 ;\n"
    assert list(constraint_files.statement(data, "a.opb").names) == ["cost_a", "y"]
    assert list(compare(data, "a.opb").names) == ["cost_a", "y"]
    assert list(compare(b"+1 x7 >= 1 ;\n", "a.opb").names) == []
