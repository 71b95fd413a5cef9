"""The order of runs, and which runs are skipped."""

from dataclasses import replace
from random import Random

import pytest
from made_records import RUN

from nqbench.campaign.execution import Execution
from nqbench.campaign.preview import Estimate
from nqbench.campaign.schedule import Schedule
from nqbench.common.vocabulary import Outcome
from nqbench.problems.families.cnf import formulas
from nqbench.problems.queens import Queens
from nqbench.records.record import Record


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


def test_without_a_execution_everything_is_run_in_the_order_given():
    order = [9, 4, 7]
    ran, skipped = play(Schedule(runs(order)), {("a", 4): Outcome.TIMEOUT})
    assert [n for _, n in ran] == order
    assert skipped == []


def test_after_timeouts_in_a_row_larger_boards_of_that_pair_are_skipped():
    schedule = Schedule(runs([9, 4, 8, 5, 6, 7], ["a", "b"]), Execution.usual(give_up_after=2))
    outcomes = {("a", n): Outcome.TIMEOUT for n in (5, 7, 8)}
    ran, skipped = play(schedule, outcomes | {("b", 6): Outcome.MEMOUT})
    assert [n for name, n in ran if name == "a"] == [4, 5, 6, 7, 8]
    assert [n for name, n in ran if name == "b"] == [4, 5, 6, 7, 8, 9]
    assert skipped == [("a", 9)]


def test_a_family_that_is_hard_skips_nothing_of_another():
    """Boards of 4, 6 and 8 rows time out on the torus, and queens of 5, 7 and 9 rows do not."""
    torus = [replace(RUN, problem=Queens(n, "torus"), backend="a") for n in (4, 6, 8)]
    schedule = Schedule([*torus, *runs([5, 7, 9])], Execution.usual(give_up_after=2))
    ran, skipped = play(schedule, {("a", n): Outcome.TIMEOUT for n in (4, 6, 8)})
    assert [n for _, n in ran] == [4, 5, 6, 7, 9]
    assert skipped == [("a", 8)]


def test_repeats_of_the_size_that_failed_are_still_run():
    """Their size has been tried; only larger boards are given up."""
    schedule = Schedule(runs([4, 5], repeat=3), Execution.usual(give_up_after=1))
    ran, skipped = play(schedule, {("a", 4): Outcome.TIMEOUT})
    assert ran == [("a", 4)] * 3
    assert skipped == [("a", 5)] * 3


@pytest.mark.parametrize("outcome", [Outcome.CRASHED, Outcome.UNAVAILABLE, Outcome.FINISHED])
def test_only_limits_count_as_a_sign_of_size(outcome):
    schedule = Schedule(runs([4, 5, 6]), Execution.usual(give_up_after=1))
    assert play(schedule, {("a", 4): outcome})[1] == []


def test_what_is_recorded_already_counts():
    known = [record(run, Outcome.TIMEOUT) for run in runs([5, 6])]
    schedule = Schedule(runs([7, 8]), Execution.usual(give_up_after=2), known)
    assert play(schedule, {}) == ([], [("a", 7), ("a", 8)])
    (run,) = runs([7])
    assert schedule.why_skipped(run) == "skipped: 2 runs in a row reached a limit, the last at n=6"


def test_with_a_budget_small_boards_come_first_and_the_rest_waits(monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr("nqbench.campaign.execution.time.monotonic", lambda: next(clock))
    schedule = Schedule(runs([9, 4, 7, 5]), Execution.usual(budget_s=3))
    ran, skipped = play(schedule, {})
    assert [n for _, n in ran] == [4, 5]
    assert skipped == []
    assert [run.problem.n for run in schedule.waiting] == [7, 9]
    assert schedule.is_out_of_time


def blocks(taken):
    """The runs, as (repeat, problem), without neighbours that are the same."""
    each = [(run.repeat, str(run.problem)) for run in taken]
    return [one for one, last in zip(each, [None, *each], strict=False) if one != last]


def taken(schedule):
    return list(iter(lambda: schedule.take()[1], None))


def test_with_a_budget_each_problem_is_measured_with_every_combination_first():
    """In a random order, no formula was measured by all solvers when the time was over."""
    shuffled = runs([9, 4, 7], "abc", repeat=2)
    Random(1).shuffle(shuffled)
    assert blocks(taken(Schedule(shuffled, Execution.usual(budget_s=60)))) == [
        (repeat, f"queens n={n}") for repeat in (0, 1) for n in (4, 7, 9)
    ]


def test_with_a_budget_small_formulas_come_first(tmp_path):
    for name, clauses in (("a", 30), ("b", 10), ("c", 20)):
        (tmp_path / f"{name}.cnf").write_text(f"p cnf 1 {clauses}\n" + "1 0\n" * clauses)
    asked = [
        replace(RUN, problem=formula, backend=backend)
        for backend in "xy"
        for formula in formulas(tmp_path)
    ]
    order = blocks(taken(Schedule(asked, Execution.usual(budget_s=60))))
    assert order == [(0, "b.cnf"), (0, "c.cnf"), (0, "a.cnf")]


def test_a_resumed_campaign_goes_on_with_the_block_that_is_not_complete():
    first, *rest = runs([4, 5], "ab", repeat=2)
    assert blocks(taken(Schedule(reversed(rest), Execution.usual(budget_s=60))))[0] == (
        0,
        "queens n=4",
    )
    assert first.repeat == 0


def test_the_estimate_says_that_a_budget_is_too_short():
    def last(estimate, jobs):
        return list(estimate.sentences(jobs, 60.0))[-1]

    assert "60 s: the runs do not all fit" in last(Estimate(10, 300.0, 5, 600.0), 2)
    assert "under way" in last(Estimate(10, 300.0, 5, 600.0), 2)
    assert "60 s: the runs may not all fit" in last(Estimate(10, 100.0, 5, 600.0), 2)
    assert "budget" not in last(Estimate(10, 100.0, 0, 0.0), 2)
