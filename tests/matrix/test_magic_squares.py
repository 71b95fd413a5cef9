"""Magic squares: there are 1, 0 and 8 of order 1, 2 and 3, the latter images of one."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from addons import needs_addon

import nqbench
from nqbench.checking import automorphisms, exhaustive
from nqbench.common.errors import InputError
from nqbench.encodings.base import Encoding
from nqbench.problems.families.base import Family
from nqbench.problems.families.magic_square import MagicSquare
from nqbench.testing import check_family, full_placements

pytestmark = pytest.mark.usefixtures("called_directly")

FAMILY = Family.named("magic-square")
SYMMETRIES = ("none", "eight")

LO_SHU = np.array([[4, 9, 2], [3, 5, 7], [8, 1, 6]])


def written(square):
    """The options of a square."""
    n = len(square)
    for (row, column), own in np.ndenumerate(square):
        yield 0, int(own) - 1, row, column
        for k in range(1, n * n + 1):
            yield (1 if own >= k else 2), k - 1, row, column


def turned():
    """The square of order 3 with its turns and reflections."""
    return [np.rot90(each, turns) for each in (LO_SHU, LO_SHU.T) for turns in range(4)]


def judged(problem, solution):
    """Whether cover, rules and violation each accept it."""
    model = np.zeros(len(problem.options), dtype=np.bool_)
    model[[problem.options.index(option) for option in solution]] = True
    said = (
        problem.constraints().broken_by(model),
        problem.rules().violation(solution),
        problem.violation(solution),
    )
    return {why is None for why in said}


def test_exactly_these_are_counted():
    assert [exhaustive.count(FAMILY.of_size(n)) for n in (1, 2)] == [1, 0]
    problem = FAMILY.of_size(3)
    options = problem.options
    found = {frozenset(options[v - 1] for v in each) for each in exhaustive.solutions(problem)}
    assert found == {frozenset(written(each)) for each in turned()}


def test_small_squares_conform():
    for symmetry in SYMMETRIES:
        family = Family.named(f"magic-square:symmetry={symmetry}")
        check_family(family, [family.of_size(n) for n in (1, 2, 3)])


def test_cover_rules_and_violation_agree_near_a_square():
    """On each choice with one option more or less, and on each square with two numbers swapped."""
    problem = FAMILY.of_size(3)
    right = set(written(LO_SHU))
    assert judged(problem, sorted(right)) == {True}
    for option in problem.options:
        assert judged(problem, sorted(right ^ {option})) == {False}, option
    for one, other in combinations(range(9), 2):
        square = LO_SHU.copy().ravel()
        square[[one, other]] = square[[other, one]]
        assert judged(problem, sorted(written(square.reshape(3, 3)))) == {False}


@pytest.mark.parametrize("encoding", ["sequential", "totalizer", "parallel-counter"])
def test_encodings_allow_exactly_the_squares(encoding):
    expected = {frozenset(written(each)) for each in turned()}
    scheme = Encoding.named(encoding)
    assert set(map(frozenset, full_placements(scheme, FAMILY.of_size(3)))) == expected
    one = full_placements(scheme, Family.named("magic-square:symmetry=eight").of_size(3))
    assert len(one) == 1
    assert frozenset(one[0]) in expected


def test_the_square_with_the_greatest_corner_is_kept():
    problem = Family.named("magic-square:symmetry=eight").of_size(3)
    (kept,) = full_placements(Encoding.named("sequential"), problem)
    assert problem.drawing(kept) == "8 3 4\n1 5 9\n6 7 2"
    assert automorphisms.flaw(problem.rules(), problem.lex_leader()) is None
    assert len({kept, *problem.images(kept)}) == 8


@needs_addon("certify")
def test_it_is_certified():
    problems = [Family.named(f"magic-square:symmetry={each}").of_size(3) for each in SYMMETRIES]
    assert {each.result for each in nqbench.certify("sequential", problems)} == {"certified"}


def without_a_diagonal(constraints):
    *rows, lines = constraints.rows
    return replace(constraints, rows=(*rows, replace(lines, literals=lines.literals[:-1])))


def without_relations(constraints):
    """The options of a line have the right number, but say nothing about the numbers in it."""
    at_most_one = [rows for rows in constraints.rows if rows.bounds == (0, 1)]
    left = [rows for rows in constraints.rows if not any(rows is each for each in at_most_one[:2])]
    return replace(constraints, rows=tuple(left))


@needs_addon("certify")
@pytest.mark.parametrize("change", [without_a_diagonal, without_relations])
def test_constraints_that_forget_something_are_refuted(change, monkeypatch):
    right = MagicSquare.constraints
    monkeypatch.setattr(MagicSquare, "constraints", lambda self: change(right(self)))
    (found,) = nqbench.certify("sequential", [FAMILY.of_size(3)])
    assert found.result == "refuted"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda right: right - {(0, 3, 0, 0)}, "(0, 0) has 0 numbers"),
        (lambda right: right | {(0, 0, 0, 0)}, "(0, 0) has 2 numbers"),
        (lambda right: right | {(3, 0, 0, 0)}, "no option (3, 0, 0, 0)"),
        (lambda right: right - {(0, 3, 0, 0)} | {(0, 8, 0, 0)}, "4 is missing"),
        (lambda right: right - {(1, 3, 0, 0)}, "(0, 0) is not compared to 4"),
        (lambda right: right | {(2, 3, 0, 0)}, "(0, 0) is compared to 4 wrongly"),
        (
            lambda _: set(written(np.arange(1, 10).reshape(3, 3))),
            "row 0 has the sum 6 instead of 15",
        ),
        (
            lambda _: set(written(LO_SHU[[1, 0, 2]])),
            "the falling diagonal has the sum 18 instead of 15",
        ),
    ],
)
def test_a_violation_is_named(change, message):
    found = FAMILY.of_size(3).violation(change(set(written(LO_SHU))))
    assert found == message


def test_a_square_is_drawn_with_equal_widths():
    problem = FAMILY.of_size(4)
    square = np.array([[16, 3, 2, 13], [5, 10, 11, 8], [9, 6, 7, 12], [4, 15, 14, 1]])
    assert problem.violation(written(square)) is None
    assert problem.drawing(written(square)).splitlines()[:2] == ["16  3  2 13", " 5 10 11  8"]
    assert problem.drawing([]).splitlines()[0] == " .  .  .  ."


def test_sizes_have_bounds():
    with pytest.raises(InputError, match="n is 13: expected 1 to 12"):
        FAMILY.of_size(13)
