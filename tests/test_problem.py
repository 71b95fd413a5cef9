import pytest

from nqbench.errors import InputError
from nqbench.problem import Problem
from nqbench.testing import solutions


@pytest.mark.parametrize("n", range(1, 9))
def test_permutations_that_pass_the_check_are_as_many_as_published(n, known_values):
    found = list(solutions(n))
    assert len(found) == known_values["solutions"]["values"][n]
    assert all(Problem(n).violation(solution) is None for solution in found)


def test_theory_agrees_with_the_published_counts(known_values):
    counts = known_values["solutions"]["values"]
    for n in range(1, len(counts)):
        assert Problem(n).satisfiable == (counts[n] > 0)


@pytest.mark.parametrize(
    ("placement", "broken"),
    [
        ([(0, 0), (0, 2)], "row"),
        ([(0, 1), (3, 1)], "column"),
        ([(0, 0), (3, 3)], "falling diagonal"),
        ([(0, 3), (3, 0)], "rising diagonal"),
        ([(0, 1), (1, 3), (2, 0)], "3 queens on the board instead of 4"),
        ([(0, 1), (1, 3), (2, 0), (3, 2), (3, 2)], "row"),
        ([(0, 1), (1, 3), (2, 0), (4, 2)], "outside"),
        ([(0, 1), (1, 3), (2, 0), (3, -2)], "outside"),
        ([], "0 queens"),
    ],
)
def test_a_broken_rule_is_named(placement, broken):
    assert broken in Problem(4).violation(placement)


def test_a_solution_may_be_listed_in_any_order():
    assert Problem(4).violation([(3, 2), (0, 1), (2, 0), (1, 3)]) is None


def test_every_pair_of_attacking_queens_is_noticed():
    """Against the definition by moves: along a row, a column, or equally far in both."""
    squares = [(row, column) for row in range(5) for column in range(5)]
    for a in squares:
        for b in squares:
            if a != b:
                rows, columns = abs(a[0] - b[0]), abs(a[1] - b[1])
                attacking = 0 in (rows, columns) or rows == columns
                assert ("share a" in Problem(5).violation([a, b])) == attacking


@pytest.mark.parametrize("n", [0, -1])
def test_a_board_without_rows_is_refused(n):
    with pytest.raises(InputError, match=f"n is {n}"):
        Problem(n)


def test_an_unknown_family_is_refused():
    with pytest.raises(InputError, match="unknown family 'bishops'"):
        Problem(8, "bishops")
