import re
from itertools import combinations, product

import pytest

from nqbench.common.errors import InputError
from nqbench.problems.base import title
from nqbench.problems.queens import Queens
from nqbench.testing import solutions


@pytest.mark.parametrize("n", range(1, 8))
def test_permutations_that_pass_the_check_are_as_many_as_published(n, known_values):
    found = list(solutions(Queens(n)))
    assert len(found) == known_values["solutions"]["values"][n]
    assert all(Queens(n).violation(solution) is None for solution in found)


def test_theory_agrees_with_the_published_counts(known_values):
    counts = known_values["solutions"]["values"]
    for n in range(1, len(counts)):
        assert Queens(n).satisfiable == (counts[n] > 0)


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
    assert broken in Queens(4).violation(placement)


def test_a_solution_may_be_listed_in_any_order():
    assert Queens(4).violation([(3, 2), (0, 1), (2, 0), (1, 3)]) is None


@pytest.mark.parametrize(("family", "n"), [("queens", 5), ("torus", 6)])
def test_every_pair_of_attacking_queens_is_noticed(family, n):
    """Compared with the moves of a queen: equal steps, which may lead around a torus."""
    squares = [*product(range(n), repeat=2)]
    directions = [*product((-1, 0, 1), repeat=2)]
    for a in squares:
        reached = {
            (a[0] + k * down, a[1] + k * right) for k in range(n) for down, right in directions
        }
        if family == "torus":
            reached = {(row % n, column % n) for row, column in reached}
        for b in squares:
            if a != b:
                noticed = "share a" in Queens(n, family).violation([a, b])
                assert noticed == (b in reached)


def test_a_solution_keeps_placed_queens_and_leaves_blocked_squares_empty():
    solution = [(0, 1), (1, 3), (2, 0), (3, 2)]
    kept = Queens(4, "completion", placed=((1, 3), (0, 1)), blocked=((0, 0), (3, 3)))
    assert kept.violation(solution) is None
    assert "placed on (0, 2) is missing" in Queens(4, placed=((0, 2),)).violation(solution)
    assert "queen on (2, 0), which is blocked" in Queens(4, blocked=((2, 0),)).violation(solution)


def test_theory_agrees_with_the_published_counts_of_the_torus(known_values):
    counts = {int(n): count for n, count in known_values["toroidal_solutions"]["values"].items()}
    for n in range(1, 32):
        assert Queens(n, "torus").satisfiable == (counts.get(n, 0) > 0)
    assert Queens(5, "torus", blocked=((0, 0),)).satisfiable is None
    assert Queens(6, "torus", blocked=((0, 0),)).satisfiable is False


def test_a_problem_is_the_same_in_whatever_order_its_squares_are_listed():
    there = Queens(5, placed=((0, 1), (2, 2)), blocked=((4, 4), (0, 0)))
    back = Queens(5, placed=((2, 2), (0, 1)), blocked=((0, 0), (4, 4), (4, 4)))
    assert there == back


@pytest.mark.parametrize("n", [4, 5])
@pytest.mark.parametrize("family", ["completion", "blocked"])
def test_a_board_is_mirror_symmetric_if_its_solutions_are(n, family):
    """For single squares and pairs of mirrored squares, compared with a mirrored picture."""
    squares = [(row, column) for row in range(n) for column in range(n)]
    for some in [(square,) for square in squares] + [((1, 0), (1, n - 1)), ((1, 0), (1, n - 2))]:
        name = "placed" if family == "completion" else "blocked"
        picture = [[(row, column) in some for column in range(n)] for row in range(n)]
        mirrored = [list(reversed(row)) for row in picture] == picture
        assert Queens(n, family, **{name: some}).mirror_symmetric == mirrored
    assert Queens(n).mirror_symmetric


def test_only_an_empty_board_with_edges_is_plain():
    assert Queens(4).is_plain
    for other in (
        Queens(4, "torus"),
        Queens(4, "completion", placed=((0, 1),)),
        Queens(4, "blocked", blocked=((0, 1),)),
    ):
        assert not other.is_plain


def test_a_problem_cannot_be_changed_and_is_a_key():
    problem = Queens(4)
    with pytest.raises(AttributeError):
        problem.n = 5
    assert {problem: 1}[Queens(4)] == 1


def test_names():
    assert str(Queens(8)) == "queens n=8"
    assert str(Queens(8, "blocked", instance="b7")) == "blocked b7 n=8"
    assert title("cnf", None, "holes.cnf") == "holes.cnf"


@pytest.mark.parametrize(
    ("placed", "blocked", "message"),
    [
        ([(0, 4)], [], "square (0, 4) is outside the 4 x 4 board"),
        ([], [(-1, 0)], "square (-1, 0) is outside"),
        ([(1, 1)], [(1, 1)], "square (1, 1) holds a queen and is blocked as well"),
    ],
)
def test_a_board_that_cannot_be_is_refused(placed, blocked, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Queens(4, placed=tuple(placed), blocked=tuple(blocked))


@pytest.mark.parametrize(
    ("words", "message"),
    [((0,), "n is 0"), ((-1,), "n is -1"), ((8, "bishops"), "unknown family 'bishops'")],
)
def test_what_is_no_board_is_refused(words, message):
    with pytest.raises(InputError, match=message):
        Queens(*words)


def test_theory_knows_the_number_of_solutions_only_where_there_is_none():
    assert (Queens(3).num_solutions, Queens(8).num_solutions) == (0, None)
    assert Queens(9, "torus").num_solutions == 0


@pytest.mark.parametrize("family", ["queens", "torus"])
@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_the_rules_are_the_lines_of_the_board(n, family):
    """Written down here as the lines that go through a square."""
    squares = list(product(range(n), range(n)))

    def lines(square):
        row, column = square
        diagonals = {("falling", row - column), ("rising", row + column)}
        if family == "torus":
            diagonals = {(kind, number % n) for kind, number in diagonals}
        return {("row", row), ("column", column), *diagonals}

    rules = Queens(n, family).rules()
    found = {tuple(pair) for block in rules.clashing() for pair in block.tolist()}
    assert found == {
        (one + 1, other + 1)
        for one, other in combinations(range(n * n), 2)
        if lines(squares[one]) & lines(squares[other])
    }
    needed = {tuple(squares[v - 1] for v in group) for group in rules.needed_literals()}
    assert needed == {
        tuple(square for square in squares if square[axis] == at)
        for axis in (0, 1)
        for at in range(n)
    }
    assert len(rules.needed) == 2 * n


def test_the_mirror_image_of_a_solution_is_one_unless_a_square_forbids_it():
    solution = ((0, 1), (1, 3), (2, 0), (3, 2))
    (image,) = Queens(4).images(solution)
    assert set(image) == {(0, 2), (1, 0), (2, 3), (3, 1)}
    assert not list(Queens(4, "completion", placed=((0, 1),)).images(solution))
    assert not list(Queens(4, "blocked", blocked=((0, 0),)).images(solution))
    assert len(list(Queens(4, "blocked", blocked=((0, 0), (0, 3))).images(solution))) == 1
