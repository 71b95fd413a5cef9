"""Backends that take covers conform, and agree with exhaustion."""

import pytest
from hypothesis import given, settings
from searches import COVER_BACKENDS, assert_solved
from strategies import any_covers

from nqbench.backends.base import Backend
from nqbench.campaign import runner
from nqbench.campaign.grid import Campaign
from nqbench.checking import exhaustive
from nqbench.common.vocabulary import Outcome, Task, Verdict
from nqbench.problems.queens import Queens
from nqbench.testing import check_backend


@pytest.mark.usefixtures("called_directly")
def test_conformance_on_two_threads():
    check_backend(Backend.named("cp-sat-cover:threads=2"))


@pytest.mark.parametrize("name", COVER_BACKENDS)
@settings(max_examples=30)
@given(problem=any_covers())
def test_any_cover_is_solved_as_by_exhaustion(name, problem):
    assert_solved(name, problem, sorted(map(tuple, exhaustive.solutions(problem))))


@pytest.mark.parametrize("name", COVER_BACKENDS)
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
