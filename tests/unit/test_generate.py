"""Random boards: the guarantees of each model, and sweeps over the density."""

import random

import pytest

from nqbench.checking import oracle
from nqbench.common.errors import InputError
from nqbench.problems.excluded_diagonals import squares
from nqbench.problems.families.base import Family, LeftOut
from nqbench.problems.families.excluded_diagonals import FREE_SQUARES

FAMILIES = ["blocked", "completion", "excluded-diagonals"]


def drawn(family, n, densities, instances=5, seed=0):
    return list(Family.named(family).drawn([n], densities, instances, seed))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_seed_draws_the_same_boards_and_another_seed_others(family):
    first = drawn(family, 8, [0.25, 0.5])
    assert drawn(family, 8, [0.25, 0.5]) == first
    assert len(set(first)) == 10
    assert not set(drawn(family, 8, [0.25, 0.5], seed=1)) & set(first)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_denser_board_holds_all_that_is_on_a_thinner_one(family):
    for thin, dense in zip(drawn(family, 9, [0.3]), drawn(family, 9, [0.6]), strict=True):
        assert set(thin.placed) <= set(dense.placed)
        assert set(thin.blocked) <= set(dense.blocked)
        assert thin != dense


def test_the_density_counts_what_the_family_says():
    (completion,) = drawn("completion", 10, [0.32], 1)
    assert (len(completion.placed), completion.density) == (3, 0.3)
    (blocked,) = drawn("blocked", 10, [0.255], 1)
    assert (len(blocked.blocked), blocked.density) == (26, 0.26)
    (excluded,) = drawn("excluded-diagonals", 10, [0.7], 1)
    assert (excluded.instance, excluded.density) == ("0-1 d=7", 0.7)


def test_placed_queens_do_not_attack_each_other_until_every_square_is_attacked():
    for problem in drawn("completion", 8, [0, 0.5, 0.6]):
        if not isinstance(problem, LeftOut):
            assert problem.attack(problem.placed) is None


@pytest.mark.parametrize("n", [4, 5, 8, 12])
def test_excluded_diagonals_leave_four_squares_in_each_line_and_cannot_be_more(n):
    """As in CSPLib's sixty instances: no list can be longer, and the minimum is 4."""
    model = Family.named("excluded-diagonals")
    for seed in range(10):
        listed = model.parts(n, random.Random(seed))
        blocked = {square for diagonal in listed for square in squares(n, diagonal)}
        assert min_free(n, blocked) >= FREE_SQUARES
        others = {(k, kind) for k in range(2 * n - 1) for kind in (0, 1)}.difference(listed)
        for diagonal in others:
            assert min_free(n, blocked | set(squares(n, diagonal))) < FREE_SQUARES


def min_free(n, blocked):
    lines = [[(i, j) for j in range(n)] for i in range(n)]
    lines += [[(i, j) for i in range(n)] for j in range(n)]
    return min(sum(square not in blocked for square in line) for line in lines)


def test_the_share_of_satisfiable_boards_falls_as_diagonals_are_excluded():
    """The published transition is near d = n (JAIR 59, 2017); test well away from it."""
    shares = [
        sum(map(oracle.has_solution, drawn("excluded-diagonals", 12, [density], 30))) / 30
        for density in (0.25, 0.75, 1.25)
    ]
    assert shares[0] > 0.9
    assert shares[0] > shares[1] > shares[2]
    assert shares[2] < 0.1


@pytest.mark.parametrize(
    ("family", "parts"),
    [("completion", "8 queens"), ("blocked", "32 squares"), ("excluded-diagonals", "8")],
)
def test_what_cannot_be_drawn_is_told(family, parts):
    *_, told = drawn(family, 4, [0.25, 2.0], 3)
    assert isinstance(told, LeftOut)
    assert f"{family} n=4: 3 of the random problems hold fewer than {parts}" in str(told)


def test_families_without_random_boards_are_refused():
    with pytest.raises(InputError, match=r"family 'torus' has no random problems"):
        drawn("torus", 5, [0.5])
    with pytest.raises(InputError, match=r"a density of -1 is below 0"):
        drawn("blocked", 5, [-1.0])
