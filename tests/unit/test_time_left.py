"""The estimate of the time that a campaign still takes."""

import itertools
from dataclasses import replace

import pytest
from made_records import RUN

from nqbench.campaign import progress
from nqbench.campaign.progress import Remaining
from nqbench.campaign.schedule import Schedule
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome
from nqbench.records.record import Record

LIMIT_S = 10.0


class Clock:
    now_s = 100.0

    def monotonic(self):
        return self.now_s


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(progress, "time", made := Clock())
    return made


def follow(clock, times, besides_s=0.0, start_s=0.0):
    """After each run of a serial campaign: the estimate, whether it is a bound, and the truth."""
    runs = [replace(RUN, repeat=at, limits=Limits(time_s=LIMIT_S)) for at in range(len(times))]
    schedule = Schedule(runs)
    remaining, rest_s = Remaining(schedule), sum(times) + besides_s * len(times)
    clock.now_s += start_s
    for wall_s in times:
        _, run = schedule.take()
        clock.now_s += wall_s + besides_s
        rest_s -= wall_s + besides_s
        remaining.note(replace(Record.of(run, "here"), outcome=Outcome.FINISHED, wall_s=wall_s), [])
        yield (*remaining.seconds(), rest_s)


def test_few_runs_give_no_estimate_and_more_one_without_the_start(clock):
    """Starting the first worker takes 60 times as long as a run."""
    states = [*follow(clock, [0.02] * 100, besides_s=0.02, start_s=1.2)]
    assert all(left_s is None for left_s, _, _ in states[:9])
    for left_s, is_bound, rest_s in states[9:-30]:
        assert not is_bound
        assert left_s == pytest.approx(rest_s, rel=0.1)


def test_few_long_runs_give_a_bound_by_their_limits(clock):
    states = [*follow(clock, [LIMIT_S] * 30)]
    assert [is_bound for _, is_bound, _ in states] == [True] * 9 + [False] * 21
    assert all(left_s == pytest.approx(rest_s) for left_s, _, rest_s in states)


def test_a_run_at_its_limit_at_most_doubles_what_is_shown(clock):
    states = [*follow(clock, [0.01] * 60 + [LIMIT_S] + [0.01] * 300)]
    estimates = [left_s for left_s, _, _ in states if left_s is not None]
    grown = [later / max(1, sooner) for sooner, later in itertools.pairwise(estimates)]
    assert 1.5 < max(grown) <= 2
    assert estimates[-1] == 0
