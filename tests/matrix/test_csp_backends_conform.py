"""Backends that take CSPs conform, and find every solution once."""

import pytest

from nqbench.measure.search import Search
from nqbench.plugins import load_backend, load_encoding
from nqbench.problems.queens import Queens
from nqbench.testing import check_backend, solutions

BACKTRACKING = [
    "backtracking",
    "backtracking:forward=on",
    "backtracking:order=mrv",
    "backtracking:forward=on:order=mrv",
]
CSP_BACKENDS = [*BACKTRACKING, "constraint2"]
ALL = [*CSP_BACKENDS, "cp-sat", "cp-sat:threads=2", "pycosat"]


def search(backend, problem):
    loaded = load_backend(backend)
    encoding = load_encoding(loaded.default_encoding or "pairwise")
    return Search(problem, encoding, loaded, encoding.encode(problem))


@pytest.mark.parametrize("name", ALL)
def test_conformance(name):
    check_backend(load_backend(name))


@pytest.mark.parametrize("name", BACKTRACKING)
def test_all_92_solutions_each_once_and_in_order_if_static(name):
    placements = [found.solution for found in search(name, Queens(8)).all()]
    assert sorted(placements) == sorted(solutions(Queens(8)))
    if "mrv" not in name:
        assert placements == sorted(placements)
