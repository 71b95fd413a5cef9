"""Parts of a campaign: fixed, balanced, and the same as one campaign when they are merged."""

from dataclasses import replace
from itertools import pairwise

import polars as pl
import pytest
from places import ROOT

import nqbench
from nqbench.campaign import sharding
from nqbench.campaign.execution import Execution
from nqbench.campaign.grid import Campaign
from nqbench.campaign.job import Campaigns
from nqbench.common.errors import InputError
from nqbench.common.metrics import COUNTERS
from nqbench.common.parsing import Shard
from nqbench.common.vocabulary import Outcome
from nqbench.problems.queens import Queens
from nqbench.records.record import Record
from nqbench.records.store import Store
from nqbench.results import Results

RECORDED = ROOT / "results/reference/hard/records.csv"
SPENT = ("encode_s", "wall_s", "verify_s")


def grid(machine="here", sizes=range(4, 10), repeat=3):
    backends = ["minisat22", "glucose4"]
    problems = [Queens(n) for n in sizes]
    campaign = Campaign(
        problems=problems, encodings=["pairwise", "product"], backends=backends, repeat=repeat
    )
    return campaign.runs(machine)


def parts_of(runs, parts, times=None, **how):
    execution = Execution.usual(times=times, **how)
    shares = [
        sharding.share(runs, execution, Shard(number, parts)) for number in range(1, parts + 1)
    ]
    assert sorted(run.id for part, _ in shares for run in part) == sorted(run.id for run in runs)
    assert len({share.plan for _, share in shares}) == 1
    return [part for part, _ in shares]


def test_recorded_times_balance_the_parts_of_a_suite():
    """The times are added up here from the records, not taken from the share."""
    job = Campaigns.in_suite("hard", {}, ()).job(Execution.usual())
    keys = ["family", "instance", "n", "encoding", "backend"]
    recorded = pl.read_csv(RECORDED, infer_schema_length=None)
    rows = recorded.with_columns(pl.col("instance").fill_null("")).select(*keys, *SPENT).rows()
    spent_s = {tuple(row[:5]): sum(s or 0.0 for s in row[5:]) for row in rows}
    assert len(spent_s) == len(job.runs) == 370
    seconds = [
        sum(
            spent_s[(p := run.problem).family, p.instance, p.n, run.encoding, run.backend]
            for run in part
        )
        for part in parts_of(job.runs, 20, times=RECORDED)
    ]
    assert max(seconds) <= 1.15 * min(seconds)


def test_without_times_parts_have_the_same_number_of_runs():
    sizes = [len(part) for part in parts_of(grid(repeat=1), 5)]
    assert sorted(sizes) == [4, 5, 5, 5, 5]


def test_parts_do_not_depend_on_the_machine_and_keep_repeats_together():
    here, there = grid("here"), grid("there")
    place_of = {run.id: place for place, run in enumerate(here)}
    for part, other in zip(parts_of(here, 4), parts_of(there, 4), strict=True):
        names = [(run.problem, run.encoding, run.backend, run.repeat) for run in part]
        assert names == [(r.problem, r.encoding, r.backend, r.repeat) for r in other]
        assert len(names) == 3 * len({name[:3] for name in names})
        places = [place_of[run.id] for run in part]
        assert all(before < after for before, after in pairwise(places))


def test_repeats_are_divided_if_there_are_more_parts_than_runs_without_them():
    parts = parts_of(grid(sizes=(4, 5), repeat=6), 20)
    assert sorted(map(len, parts)) == [2] * 12 + [3] * 8


def test_runs_whose_order_decides_what_is_skipped_stay_together():
    by_combination = parts_of(grid(), 3, give_up_after=2)
    combinations = [{run.components for run in part} for part in by_combination]
    assert sum(map(len, combinations)) == len(set().union(*combinations)) == 4
    by_problem = parts_of(grid(), 3, budget_s=9.0)
    problems = [{run.problem for run in part} for part in by_problem]
    assert sum(map(len, problems)) == len(set().union(*problems)) == 6


def test_times_of_other_sizes_say_more_than_the_mean(tmp_path):
    """Nine runs of one solver take as long as one run of the other, which was measured at n = 9."""
    runs = [run for run in grid(sizes=range(4, 13), repeat=1) if run.encoding == "pairwise"]
    with Store(tmp_path / "nqbench.db") as store:
        for run in runs:
            if run.problem.n == 9:
                wall_s = 9.0 if run.backend == "minisat22" else 1.0
                record = Record.of(run, "here")
                store.add(replace(record, outcome=Outcome.TIMEOUT, wall_s=wall_s))
    parts = parts_of(runs, 2, times=tmp_path)
    assert sorted(sum(run.backend == "minisat22" for run in part) for part in parts) == [4, 5]
    some = [run for run in runs if run.problem.n == 9 or run.backend == "glucose4"]
    assert sorted(map(len, parts_of(some, 2, times=tmp_path))) == [1, 9]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"shard": (4, 3)}, "there is no part 4 of 3"),
        ({"shard": 3}, r"shard is 3: write for instance \(3, 20\)"),
        ({"shard": "1/5"}, "5 parts are too many: the campaign has 4 runs"),
        ({"times": RECORDED}, "add `shard`"),
        ({"shard": (1, 2), "times": "some", "results": "some"}, "which this part changes"),
        ({"shard": (1, 2), "budget": 9, "give_up_after": 1}, "leave out one of the two"),
        ({"shard": (1, 2), "times": "nowhere"}, "no results at nowhere"),
    ],
)
def test_a_part_that_cannot_be_measured_is_refused(options, says):
    with pytest.raises(InputError, match=says):
        nqbench.run([4, 5], encodings="pairwise", backends="minisat22", repeat=2, **options)


def test_merged_parts_equal_one_campaign(tmp_path):
    what = {"encodings": "pairwise,product", "backends": "minisat22", "repeat": 2}
    whole = nqbench.run("4..6", **what)
    folders = [tmp_path / str(number) for number in (1, 2, 3)]
    for number, folder in enumerate(folders, 1):
        nqbench.run("4..6", **what, shard=(number, 3), results=folder)
    Results(tmp_path / "all").merge(*folders)
    same = ["run_id", "outcome", "answer", "verdict", "queens", "instance_digest", *COUNTERS]
    merged = Results(tmp_path / "all").records
    assert merged.select(same).sort("run_id").equals(whole.select(same).sort("run_id"))
    with pytest.warns(match="All runs were merged from 1, 2 and 3"):
        again = nqbench.run("4..6", **what, results=tmp_path / "all")
    assert set(again["merged_from"]) == {"1", "2", "3"}
