"""Backends that take covers conform, and agree with exhaustion."""

import numpy as np
import pytest
from hypothesis import given
from strategies import any_covers

from nqbench.campaign import runner
from nqbench.campaign.grid import Campaign
from nqbench.checking import exhaustive
from nqbench.instances.base import broken_by
from nqbench.plugins import load_backend
from nqbench.problems.queens import Queens
from nqbench.testing import check_backend
from nqbench.vocabulary import Answer, Outcome, Task, Verdict

NAMES = ["cp-sat-cover", "xcover"]


def found(name, cover):
    """All models, as sets of options, each as often as it is found."""
    models = load_backend(name).load(cover).models()
    return sorted(tuple(np.flatnonzero(model) + 1) for model in models)


def assert_solved(name, problem, expected):
    cover = problem.cover()
    solver = load_backend(name).load(cover)
    assert solver.solve() is (Answer.SAT if expected else Answer.UNSAT)
    if expected:
        assert solver.model().shape == (cover.num_options,)
        assert broken_by(cover, solver.model()) is None
    assert found(name, cover) == expected


@pytest.mark.parametrize("name", [*NAMES, "cp-sat-cover:threads=2"])
def test_conformance(name):
    check_backend(load_backend(name))


@pytest.mark.parametrize("name", NAMES)
@given(problem=any_covers())
def test_any_cover_is_solved_as_by_exhaustion(name, problem):
    assert_solved(name, problem, sorted(map(tuple, exhaustive.solutions(problem))))


@pytest.mark.parametrize("name", NAMES)
def test_runs_are_checked_with_the_default_encoding(name):
    campaign = Campaign(
        problems=[Queens(n) for n in (3, 6)], backends=[name], task=Task.ALL, repeat=1
    )
    records = runner.measured(campaign.runs())
    assert {(record.n, record.solutions) for record in records} == {(3, 0), (6, 4)}
    for record in records:
        assert record.outcome is Outcome.FINISHED, record.message
        assert record.verdict is Verdict.VERIFIED, record.message
        assert record.encoding == "cover"
