"""nqbench's own search backends conform, and find every solution once."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searches import ASTARS, enumerated

from nqbench.backends.base import Backend
from nqbench.encodings.base import Encoding
from nqbench.problems.queens import Queens
from nqbench.testing import check_backend, solutions


@pytest.mark.usefixtures("called_directly")
@pytest.mark.parametrize("name", [*ASTARS, "min-conflicts:seed=5:moves=3:restarts=400"])
def test_conformance_with_parameters(name):
    check_backend(Backend.named(name))


@pytest.mark.parametrize("name", ASTARS)
def test_astar_lists_each_of_the_92_boards_of_eight_queens_once(name, known_values):
    found, _ = enumerated(name, Queens(8))
    assert len(found) == known_values["solutions"]["values"][8]
    assert sorted(found) == list(solutions(Queens(8)))


LITERALS = st.integers(-25, 25).filter(bool)


@pytest.mark.parametrize("name", ASTARS)
@settings(max_examples=30)
@given(clauses=st.lists(st.lists(LITERALS, max_size=5), max_size=4))
def test_astar_heeds_clauses_of_any_kind_that_are_added(name, clauses):
    encoding = Encoding.named("level2")
    solver = Backend.named(name).load(encoding.encode(Queens(5)))
    for clause in clauses:
        solver.add(clause)

    def holds(placement):
        squares = {row * 5 + column + 1 for row, column in placement}
        return all(any((abs(v) in squares) == (v > 0) for v in clause) for clause in clauses)

    found = [encoding.decode(Queens(5), model) for model in solver.models()]
    assert sorted(found) == [placement for placement in solutions(Queens(5)) if holds(placement)]
