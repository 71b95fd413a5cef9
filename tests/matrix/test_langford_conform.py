"""Langford pairs, pigeonholes and colourings conform, with every encoding."""

import pytest
from colourings import QUEEN_COLOURS, answers, colouring

from nqbench.encodings.base import Encoding
from nqbench.problems.families.base import Family
from nqbench.testing import check_family


@pytest.mark.parametrize("k", [2, 3, 4])
def test_mycielski_graphs_need_one_colour_more_than_their_number(k):
    few, enough = (colouring("mycielski", k, colours) for colours in (k, k + 1))
    assert (few.satisfiable, enough.satisfiable) == (False, True)
    assert answers([few])["answer"].to_list() == ["unsat"]
    assert answers([enough])["answer"].to_list() == ["sat"]


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7])
def test_queen_graphs_need_the_published_number_of_colours(n):
    colours = QUEEN_COLOURS[n - 1]
    assert answers([colouring("queen", n, colours)])["answer"].to_list() == ["sat"]
    assert not _has_colouring(n, colours - 1)


def _has_colouring(n, colours):
    """Whether there is a colouring whose first row has the colours in order: squares of a row have
    different colours.
    """
    from pysat.solvers import Solver

    if colours < n:
        return False
    cnf = Encoding.named("pairwise").clauses(colouring("queen", n, colours))
    with Solver("cadical195", bootstrap_with=cnf.clauses()) as solver:
        return solver.solve(assumptions=[c * colours + c + 1 for c in range(n)])


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("langford", (1, 2, 3, 4)),
        ("pigeonhole", (1, 2, 3, 4)),
        ("pigeonhole:more=0", (1, 2, 3)),
        # The check tries every value of every vertex as a CSP: 4^16 with four rows.
        ("colouring", (1, 2, 3)),
        ("colouring:graph=mycielski", (1, 2)),
        ("colouring:graph=mycielski:colours=2", (1, 2)),
    ],
)
def test_families_conform(name, sizes):
    family = Family.named(name)
    check_family(family, [family.of_size(n) for n in sizes])


def test_eight_rows_have_a_colouring_with_nine_colours():
    # Not with eight: a solver needs 17 s if the first row is coloured, and more than 100 s if not.
    assert answers([colouring("queen", 8, 9)])["answer"].to_list() == ["sat"]
