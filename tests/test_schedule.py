"""The order of runs, and which runs are skipped."""

from dataclasses import replace

import pytest
from test_store import RUN

from nqbench.plan.schedule import Policy, Schedule
from nqbench.problems.queens import Queens
from nqbench.records.record import Record
from nqbench.vocabulary import Outcome


def runs(sizes, backends=("a",), repeat=1):
    return [
        replace(RUN, problem=Queens(n), backend=backend, repeat=r)
        for r in range(repeat)
        for n in sizes
        for backend in backends
    ]


def record(run, outcome):
    return replace(Record.of(run, "here"), outcome=outcome)


def play(schedule, outcomes):
    """The runs that are done and skipped if runs of these (backend, n) fail."""
    ran, skipped = [], []
    while True:
        left_out, run = schedule.take()
        skipped += [(one.backend, one.problem.n) for one in left_out]
        if run is None:
            return ran, skipped
        key = run.backend, run.problem.n
        ran.append(key)
        schedule.note(record(run, outcomes.get(key, Outcome.FINISHED)))


def test_without_a_policy_everything_is_run_in_the_order_given():
    order = [9, 4, 7]
    ran, skipped = play(Schedule(runs(order)), {("a", 4): Outcome.TIMEOUT})
    assert [n for _, n in ran] == order
    assert skipped == []


def test_after_timeouts_in_a_row_larger_boards_of_that_pair_are_skipped():
    schedule = Schedule(runs([9, 4, 8, 5, 6, 7], ["a", "b"]), Policy(give_up_after=2))
    outcomes = {("a", n): Outcome.TIMEOUT for n in (5, 7, 8)}
    ran, skipped = play(schedule, outcomes | {("b", 6): Outcome.MEMOUT})
    assert [n for name, n in ran if name == "a"] == [4, 5, 6, 7, 8]
    assert [n for name, n in ran if name == "b"] == [4, 5, 6, 7, 8, 9]
    assert skipped == [("a", 9)]


def test_a_family_that_is_hard_skips_nothing_of_another():
    """Boards of 4, 6 and 8 rows time out on the torus, and queens of 5, 7 and 9 rows do not."""
    torus = [replace(RUN, problem=Queens(n, "torus"), backend="a") for n in (4, 6, 8)]
    schedule = Schedule([*torus, *runs([5, 7, 9])], Policy(give_up_after=2))
    ran, skipped = play(schedule, {("a", n): Outcome.TIMEOUT for n in (4, 6, 8)})
    assert [n for _, n in ran] == [4, 5, 6, 7, 9]
    assert skipped == [("a", 8)]


def test_repeats_of_the_size_that_failed_are_still_run():
    """Their size has been tried; only larger boards are given up."""
    schedule = Schedule(runs([4, 5], repeat=3), Policy(give_up_after=1))
    ran, skipped = play(schedule, {("a", 4): Outcome.TIMEOUT})
    assert ran == [("a", 4)] * 3
    assert skipped == [("a", 5)] * 3


@pytest.mark.parametrize("outcome", [Outcome.CRASHED, Outcome.UNAVAILABLE, Outcome.FINISHED])
def test_only_limits_count_as_a_sign_of_size(outcome):
    schedule = Schedule(runs([4, 5, 6]), Policy(give_up_after=1))
    assert play(schedule, {("a", 4): outcome})[1] == []


def test_what_is_recorded_already_counts():
    known = [record(run, Outcome.TIMEOUT) for run in runs([5, 6])]
    schedule = Schedule(runs([7, 8]), Policy(give_up_after=2), known)
    assert play(schedule, {}) == ([], [("a", 7), ("a", 8)])
    (run,) = runs([7])
    assert schedule.why_skipped(run) == "skipped: 2 runs in a row reached a limit, the last at n=6"


def test_with_a_budget_small_boards_come_first_and_the_rest_waits(monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr("nqbench.plan.schedule.time.monotonic", lambda: next(clock))
    schedule = Schedule(runs([9, 4, 7, 5]), Policy(budget_s=3))
    ran, skipped = play(schedule, {})
    assert [n for _, n in ran] == [4, 5]
    assert skipped == []
    assert [run.problem.n for run in schedule.waiting] == [7, 9]
    assert schedule.is_out_of_time
