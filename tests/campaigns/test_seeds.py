"""Seeds repeat a run with other searches, and statistics show how they differ."""

import polars as pl
import pytest

import nqbench
from nqbench.campaign.grid import Campaign
from nqbench.common.errors import InputError
from nqbench.problems.queens import Queens
from nqbench.summary import distribution, overview


def planned(backend, **how):
    campaign = Campaign(problems=[Queens(8)], encodings=["pairwise"], backends=[backend], **how)
    return sorted(campaign.runs(), key=lambda run: run.repeat)


@pytest.mark.parametrize("backend", ["pyeda", "cadical195", "minisat22"])
def test_each_repeat_gets_another_seed_or_another_order_of_the_clauses(backend):
    runs = planned(backend, seeds=3, seed=7)
    given = {"pyeda": (True, False), "cadical195": (True, True), "minisat22": (False, True)}
    seeded, shuffled = given[backend]
    assert [run.solver_seed for run in runs] == ([7, 8, 9] if seeded else [None] * 3)
    assert {run.shuffle for run in runs} == ({7} if shuffled else {None})
    assert [run.repeat for run in runs] == [0, 1, 2]


def test_a_given_seed_of_shuffling_stays():
    assert {run.shuffle for run in planned("pyeda", seeds=3, shuffle=5)} == {5}


@pytest.mark.parametrize(
    ("backend", "words"),
    [("cadical195:seed=4", "has a seed"), ("backtracking", "neither a seed nor clauses")],
)
def test_what_seeds_cannot_vary_is_refused(backend, words):
    with pytest.raises(InputError, match=words):
        Campaign(problems=[Queens(8)], backends=[backend], seeds=3).runs()


def test_runs_without_seeds_keep_their_identity():
    """Stores of earlier versions are reused: the id covers new fields only if they are set."""
    (run,) = planned("minisat22", repeat=1)
    (seeded,) = planned("pyeda", seeds=1)
    assert run.solver_seed is None
    assert seeded.id != planned("pyeda", repeat=1)[0].id


@pytest.fixture(scope="module")
def records():
    return nqbench.run(
        [16, 20], encodings="pairwise", backends="minisat22,cadical195,pyeda", seeds=12
    )


def test_seeds_give_other_searches(records):
    searches = records.group_by("backend", "n").agg(pl.col("decisions").n_unique())
    assert (searches["decisions"] > 3).all()
    assert set(records["outcome"]) == {"finished"}
    assert set(records["verdict"]) == {"verified"}


def test_the_summary_has_quartiles_and_tails(records):
    one = records.filter((pl.col("backend") == "minisat22") & (pl.col("n") == 16))
    row = overview(one, "conflicts").row(0, named=True)
    conflicts = one["conflicts"].clip(1)
    for column, share in (("q1_s", 0.25), ("median_s", 0.5), ("q3_s", 0.75), ("p95_s", 0.95)):
        assert row[column] == pytest.approx(conflicts.quantile(share, "linear"))
    # The third and the tenth of twelve: Conover, section 3.2.
    ordered = conflicts.sort().to_list()
    assert (row["median_low_s"], row["median_high_s"]) == (ordered[2], ordered[9])


def test_the_distribution_is_that_of_all_runs(records):
    lost = (pl.col("backend") == "minisat22") & (pl.col("repeat") < 3)
    outcome = pl.when(lost).then(pl.lit("timeout")).otherwise("outcome")
    table = distribution(records.with_columns(outcome=outcome))
    ends = table.group_by("backend").agg(pl.col("share").max())
    assert dict(ends.iter_rows()) == {"minisat22": 9 / 12, "cadical195": 1.0, "pyeda": 1.0}
    assert (table.group_by("backend", "n").agg(pl.col("time_s").is_sorted())["time_s"]).all()


def test_the_distribution_is_drawn_only_from_many_repeats(records):
    axes = nqbench.plot(records, "distribution", "decisions").axes
    assert len(axes) == 2
    with pytest.raises(InputError, match="ten or more solved runs of one problem"):
        nqbench.plot(records.filter(pl.col("repeat") < 3), "distribution")
