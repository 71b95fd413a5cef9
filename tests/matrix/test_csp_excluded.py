"""CSPs with distances, as those of boards, and with excluded values of two variables."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searches import CSP_BACKENDS

from nqbench.backends.base import Backend
from nqbench.checking import exhaustive
from nqbench.clauses.csp import CSP
from nqbench.common.vocabulary import Answer
from nqbench.encodings.base import Encoding, decoded
from nqbench.testing.brute_force import SMALL_COVERS

pytestmark = pytest.mark.usefixtures("called_directly")


@st.composite
def csps(draw):
    variables, values = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    size = variables * values
    domains = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    two = list(itertools.permutations(range(variables), 2))
    value = st.integers(0, values - 1)
    distance = st.tuples(st.sampled_from(two), st.integers(0, values)) if two else st.nothing()
    distances = draw(st.lists(distance, max_size=8)) if two else []
    row = st.tuples(st.sampled_from(two), value, value) if two else st.nothing()
    excluded = draw(st.lists(row, max_size=12)) if two else []
    return CSP(
        np.array(domains, np.bool_).reshape(variables, values),
        np.array([(i, j, d) for (i, j), d in distances], np.int32).reshape(-1, 3),
        np.array([(i, a, j, b) for (i, j), a, b in excluded], np.int32).reshape(-1, 4),
    )


def by_brute_force(csp):
    variables, values = csp.domains.shape
    models = map(csp.assignment, map(np.array, itertools.product(range(values), repeat=variables)))
    return sorted(model.tobytes() for model in models if csp.broken_by(model) is None)


@pytest.mark.parametrize("name", CSP_BACKENDS)
@settings(max_examples=50)
@given(csp=csps())
def test_any_csp_is_solved_as_by_brute_force(name, csp):
    expected = by_brute_force(csp)
    solver = Backend.named(name).load(csp)
    assert solver.solve() is (Answer.SAT if expected else Answer.UNSAT)
    if expected:
        assert solver.model().tobytes() in expected
    found = sorted(model.tobytes() for model in Backend.named(name).load(csp).models())
    assert found == expected


@pytest.mark.parametrize("name", CSP_BACKENDS)
@pytest.mark.parametrize("problem", [p for p in SMALL_COVERS if p.has_choices], ids=str)
def test_covers_with_choices_are_solved_as_by_exhaustion(name, problem):
    encoding = Encoding.named("csp")
    models = Backend.named(name).load(encoding.encode(problem)).models()
    found = [decoded(encoding, problem, model) for model in models]
    options = problem.options
    expected = [tuple(options[v - 1] for v in chosen) for chosen in exhaustive.solutions(problem)]
    assert sorted(map(sorted, found)) == sorted(map(sorted, expected))


def test_a_check_looks_at_all_excluded_values_of_two_variables():
    """x0 = 0 leaves x1 only the value 2, after three checks of the one constraint."""
    excluded = np.array([(0, 0, 1, 0), (0, 0, 1, 1)], np.int32)
    csp = CSP(np.ones((2, 3), np.bool_), np.zeros((0, 3), np.int32), excluded)
    solver = Backend.named("backtracking").load(csp)
    assert solver.solve() is Answer.SAT
    counted = solver.counters()
    assert (counted.nodes, counted.checks, counted.backtracks) == (4, 3, 0)
