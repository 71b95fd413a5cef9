"""Many runs by number: the same runs and ids as one by one, and none is made before it is due."""

from dataclasses import replace

import pytest
from made_records import RUN

from nqbench.campaign.execution import Execution
from nqbench.campaign.grid import Campaign
from nqbench.campaign.preview import describe
from nqbench.campaign.schedule import Schedule
from nqbench.problems.queens import Queens
from nqbench.records import record, runs
from nqbench.records.record import Run
from nqbench.records.runs import Runs

BACKENDS = ["minisat22", "glucose4", "cadical195"]


def grid(sizes=(4, 5, 6), **options):
    settings = {"encodings": ["pairwise", "product"], "backends": BACKENDS} | options
    return Campaign(problems=[Queens(n) for n in sizes], **settings).runs("a machine", 1)


@pytest.fixture
def counted(monkeypatch):
    """How many runs are made, and how many ids are hashed."""
    counts = {"runs": 0, "ids": 0}

    def made(*values, **facts):
        counts["runs"] += 1
        return replace(*values, **facts)

    def hashed(*parts):
        counts["ids"] += 1
        return record.id_of(*parts)

    monkeypatch.setattr(runs, "replace", made)
    monkeypatch.setattr(runs, "id_of", hashed)
    return counts


@pytest.mark.parametrize("options", [{}, {"seeds": 4, "seed": 2**31 - 2}, {"shuffle": 3}])
def test_ids_and_runs_are_the_same_one_by_one(options):
    planned = grid(**options)
    alone = [replace(run) for run in planned]
    assert list(planned.ids()) == [run.id for run in alone]
    assert len({run.id for run in alone}) == len(planned)
    assert Runs.of(alone) == planned
    assert list(Runs.of(alone).ids()) == list(planned.ids())
    if "seeds" in options:
        seeds = {run.solver_seed for run in planned if run.backend == "cadical195"}
        assert seeds == {2**31 - 2, 2**31 - 1, 0, 1}


def test_many_runs_are_planned_ordered_and_counted_without_making_them(counted):
    planned = grid(range(4, 31), repeat=620)
    assert len(planned) == 100_440
    assert describe(planned).startswith("100,440 runs: n 4..30 (27 boards) x 6 combinations")
    for execution in (None, Execution.usual(budget_s=9.0), Execution.usual(give_up_after=2)):
        schedule = Schedule(planned, execution)
        assert sum(count for _, count in schedule.left) == len(schedule.not_given_up) == 100_440
        schedule.take()
        assert sum(count for _, count in schedule.left) == len(schedule.waiting) == 100_439
    assert counted["runs"] < 200
    assert counted["ids"] == 0


def test_places_are_those_of_the_ids():
    planned = grid()
    wanted = [planned[7].id, planned[3].id, "0" * 32]
    assert planned.places(set(wanted)) == {planned[3].id: 3, planned[7].id: 7}


def test_nothing_is_hashed_if_nothing_is_recorded(counted):
    assert grid().places(()) == {}
    assert counted["ids"] == 0


def test_of_two_runs_with_one_id_the_last_is_at_the_place_of_the_first():
    first, second = grid((4, 5), repeat=1), grid((5, 6), repeat=1, keep_output=True)
    joined = Runs.joined([first, second])
    places = {run.id: run for run in [*first, *second]}
    assert list(joined) == list(places.values())
    assert len(joined) == 18


def test_parts_of_runs_are_the_runs_at_these_places():
    planned = grid()
    every = list(planned)
    assert planned[2:5] == every[2:5]
    assert planned.chosen([4, 1]) == [every[4], every[1]]
    assert planned.chosen([]) == []
    assert planned.where(lambda run: run.backend == "glucose4") == [
        run for run in every if run.backend == "glucose4"
    ]
    assert planned.chosen(planned.repeat == 1) == [run for run in every if run.repeat == 1]
    assert planned.problems == list(dict.fromkeys(run.problem for run in every))
    assert {(r.encoding, r.backend) for r in planned.kinds} == {
        (r.encoding, r.backend) for r in every
    }
    assert len(planned.kinds) == 6


def test_runs_that_differ_in_much_are_counted(counted):
    """Each is of another problem and template: these pairs are a million, of which few occur."""
    runs_of_all: list[Run] = [replace(RUN, problem=Queens(n), seed=n) for n in range(4, 1004)]
    planned = Runs.of(runs_of_all)
    assert [count for _, count in planned.counted(lambda problem: problem.n)] == [1] * 1000
    assert planned == runs_of_all
