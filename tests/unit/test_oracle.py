"""The exhaustive count, compared with published values and brute force."""

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import boards

from nqbench.checking import oracle
from nqbench.common.errors import InputError
from nqbench.problems import symmetry
from nqbench.problems.published_counts import published_count
from nqbench.problems.queens import Queens
from nqbench.testing import solutions


@pytest.mark.parametrize("n", range(1, 14))
def test_the_count_is_the_published_one(n, known_values):
    assert oracle.count(Queens(n)) == known_values["solutions"]["values"][n]


@pytest.mark.parametrize("n", range(1, 14))
def test_the_count_on_a_torus_is_the_published_one(n, known_values):
    published = known_values["toroidal_solutions"]["values"]
    assert oracle.count(Queens(n, "torus")) == published.get(str(n), 0)


@given(problem=boards(largest=6))
@settings(max_examples=60)
def test_solutions_of_any_board_are_those_of_brute_force(problem):
    expected = list(solutions(problem))
    found = [tuple(enumerate(c)) for part in oracle.solutions(problem) for c in part.tolist()]
    assert sorted(found) == expected
    assert oracle.count(problem) == len(expected)
    assert oracle.has_solution(problem) == bool(expected)


def test_more_placements_than_one_array_holds_are_counted_too(monkeypatch):
    monkeypatch.setattr(oracle, "_CHUNK", 7)
    assert oracle.count(Queens(8)) == 92
    assert sum(len(part) for part in oracle.solutions(Queens(7))) == 40


def test_a_search_beyond_its_budget_says_so():
    with pytest.raises(oracle.OutOfBudget):
        oracle.count(Queens(10), budget=1000)
    with pytest.raises(oracle.OutOfBudget):
        oracle.has_solution(Queens(31, placed=((0, 0), (1, 1))), budget=0)
    assert oracle.count(Queens(10), budget=10**6) == 724


def test_a_board_too_large_for_it_is_refused():
    with pytest.raises(InputError, match="up to 31"):
        oracle.count(Queens(32))


def test_the_largest_board_uses_every_bit():
    """Columns 1, 3, 5, ... and then 0, 2, 4, ... are a solution if n leaves 1 when divided
    by 6 (E. Pauls, 1874); here its first half is placed.
    """
    solution = tuple(enumerate([*range(1, 31, 2), *range(0, 31, 2)]))
    assert Queens(31).violation(solution) is None
    assert oracle.has_solution(Queens(31, placed=solution[:16]), budget=10**6)
    assert not oracle.has_solution(Queens(31, placed=((0, 0), (30, 30))))


def fundamental(n):
    every = symmetry.of_problem(Queens(n))
    return sum(int(symmetry.fundamental(c, every).sum()) for c in oracle.solutions(Queens(n)))


@pytest.mark.parametrize(
    ("kind", "problem", "fundamental"),
    [
        ("solutions", Queens, False),
        ("fundamental_solutions", Queens, True),
        ("toroidal_solutions", partial(Queens, family="torus"), False),
    ],
)
def test_what_is_printed_in_place_of_a_long_count_is_published(
    kind, problem, fundamental, known_values
):
    published = known_values[kind]["values"]
    if isinstance(published, list):
        published = dict(enumerate(published, start=1 if fundamental else 0))
    expected = {int(n): number for n, number in published.items() if int(n) >= 17}
    counts = {n: published_count(problem(n), fundamental) for n in range(1, 35)}
    assert {n: count.number for n, count in counts.items() if count} == expected
    assert all(
        count.source.split()[1] in known_values[kind]["source"]
        for count in counts.values()
        if count
    )


def test_a_board_with_squares_has_no_published_count():
    for squares in ({"placed": [(0, 0)]}, {"blocked": [(0, 0)]}):
        assert published_count(Queens(20, **squares), fundamental=False) is None


@pytest.mark.parametrize("n", range(1, 13))
def test_fundamental_solutions_are_as_many_as_published(n, known_values):
    assert fundamental(n) == known_values["fundamental_solutions"]["values"][n - 1]


def test_the_eight_symmetries_take_every_solution_to_a_solution():
    every = {*solutions(Queens(6)), *solutions(Queens(5))}
    for solution, one in itertools.product(every, symmetry.SYMMETRIES):
        n = len(solution)
        image = tuple(sorted(one.image(row, column, n) for row, column in solution))
        assert image in every


def test_of_each_class_exactly_one_solution_is_fundamental():
    every = list(solutions(Queens(7)))
    classes = {
        frozenset(
            tuple(sorted(one.image(row, column, 7) for row, column in solution))
            for one in symmetry.SYMMETRIES
        )
        for solution in every
    }
    chosen = {s for s in every if symmetry.is_fundamental(s, symmetry.SYMMETRIES)}
    assert len(classes) == 6
    assert all(len(one & chosen) == 1 for one in classes)


def test_a_board_has_the_symmetries_that_leave_it_as_it_is():
    assert len(symmetry.of_problem(Queens(8))) == 8
    assert len(symmetry.of_problem(Queens(8, blocked=((0, 0), (7, 7))))) == 4
    assert len(symmetry.of_problem(Queens(8, placed=((0, 1),)))) == 1
    assert len(symmetry.of_problem(Queens(5, placed=((2, 2),)))) == 8


def test_lexicographic_order_decides_at_the_first_difference():
    columns = np.array([[1, 3, 0, 2], [2, 0, 3, 1]])
    assert symmetry.fundamental(columns, symmetry.SYMMETRIES).tolist() == [True, False]
