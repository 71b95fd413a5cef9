"""Backends that take CSPs conform, and find every solution once."""

import pytest
from searches import BACKTRACKING, search

from nqbench.backends.base import Backend
from nqbench.problems.queens import Queens
from nqbench.testing import check_backend, solutions


@pytest.mark.usefixtures("called_directly")
@pytest.mark.parametrize("name", [*BACKTRACKING[1:], "cp-sat:threads=2"])
def test_conformance_with_parameters(name):
    check_backend(Backend.named(name))


@pytest.mark.parametrize("name", BACKTRACKING)
def test_all_92_solutions_each_once_and_in_order_if_static(name):
    placements = [found.solution for found in search(name, Queens(8)).all()]
    assert sorted(placements) == sorted(solutions(Queens(8)))
    if "mrv" not in name:
        assert placements == sorted(placements)
