"""Records of several machines: what is compared, and what is reported."""

import json
from dataclasses import replace

import polars as pl
import pytest
from made_records import campaign

from nqbench import plots, summary
from nqbench.machine import environment
from nqbench.plan.campaign import Campaign
from nqbench.problems.queens import Queens
from nqbench.records.record import Record
from nqbench.records.store import Store
from nqbench.report.caveats import caveats
from nqbench.summary import compare
from nqbench.vocabulary import Answer, CheckedBy, Outcome, Verdict

FAST, SLOW = "fast, 8 CPUs", "slow, 2 CPUs"


def measured_on(machine, **times):
    return campaign(**times).with_columns(machine=pl.lit(machine))


def test_pairs_are_compared_on_one_machine_at_a_time():
    """`a` is a fifth faster than `b` on each machine, but not in medians over both machines."""
    fast = measured_on(FAST, a=[0.10, 0.20, 0.40], b=[0.12, 0.24, 0.48])
    slow = measured_on(SLOW, a=[1.0, 2.0, 4.0], b=[1.2, 2.4, 4.8])
    uneven = pl.concat([fast, slow.filter(backend="a"), slow.filter(backend="b").head(1)])
    (row,) = summary.comparisons(uneven).iter_rows(named=True)
    assert (row["boards"], row["faster"], row["slower"]) == (4, 4, 0)
    assert row["median_ratio"] == pytest.approx(1 / 1.2)


def test_pairs_that_never_met_on_a_machine_are_not_compared():
    apart = pl.concat([measured_on(FAST, a=[1, 2, 3]), measured_on(SLOW, b=[1, 2, 3])])
    assert summary.common(apart).is_empty()
    assert not {"portfolio", "ranks"} & set(plots.kinds_of(apart))
    assert "2 machines are mixed" in caveats(apart, (), ())[0]


def test_pairs_that_never_met_under_a_limit_are_not_compared():
    """`b` was stopped earlier: what it would cost under the limit of `a` is not known."""
    long, short = (
        campaign(a=[1, 2, 3], b=[4, 5, 6]).with_columns(time_limit_s=pl.lit(limit))
        for limit in (30.0, 10.0)
    )
    apart = pl.concat([long.filter(backend="a"), short.filter(backend="b")])
    assert summary.common(apart).is_empty()
    met = summary.on_common(pl.concat([long, short.filter(backend="b")]))
    assert met["time_limit_s"].unique().to_list() == [30.0]
    assert len(met) == len(long)
    assert summary.time_limits(apart) == {30.0: 3, 10.0: 3}
    assert "2 time limits are mixed" in caveats(apart, (), ())[0]


def test_campaigns_that_share_a_machine_are_compared_there():
    old = pl.concat([measured_on(FAST, a=[1, 2, 3, 4]), measured_on(SLOW, a=[7, 7, 7, 7])])
    new = measured_on(FAST, a=[1, 2, 3, 4])
    assert compare.times(old, new).common == pytest.approx(1)


def test_campaigns_of_two_machines_are_compared_board_by_board():
    times = compare.times(measured_on(FAST, a=[1, 2, 3]), measured_on(SLOW, a=[2, 4, 6]))
    assert times.common == pytest.approx(2)


def stored(folder, machine, seconds):
    """A store of a small campaign that another machine measured."""
    runs = Campaign(
        problems=[Queens(n) for n in range(4, 8)],
        encodings=["pairwise"],
        backends=["glucose4", "minisat22"],
    ).runs(machine)
    here = replace(environment.current(), cpu_model=machine.partition(",")[0])
    with Store(folder / "nqbench.db") as store:
        store.add_environment(here)
        for run in runs:
            store.add(
                replace(
                    Record.of(run, here.id),
                    outcome=Outcome.FINISHED,
                    answer=Answer.SAT,
                    verdict=Verdict.VERIFIED,
                    checked_by=CheckedBy.BOARD,
                    solve_s=seconds * run.problem.n,
                )
            )
    return folder / "nqbench.db", len(runs)


def test_stores_of_two_machines_are_merged_and_compared(nqbench, tmp_path):
    fast, count = stored(tmp_path / "fast", FAST, 0.01)
    slow, _ = stored(tmp_path / "slow", SLOW, 0.02)
    merged = nqbench("merge", "--results", "all", fast, slow, fast)
    assert merged.returncode == 0
    assert f"{count} records from {slow}\n" in merged.stderr
    assert f"0 records from {fast}; {count} were recorded already" in merged.stderr
    with Store(tmp_path / "all" / "nqbench.db") as store:
        assert len(store.frame()) == 2 * count
        assert len(store.environments()) == 2
    told = nqbench("summary", "--results", "all")
    assert "2 machines are mixed: fast, 8 CPUs (24 runs); slow, 2 CPUs (24 runs)" in told.stderr
    one = nqbench("summary", "--results", "all", "--where", f"machine = '{FAST}'", "--json")
    assert one.stderr == ""
    assert {row["runs"] for row in json.loads(one.stdout)} == {12}
    across = nqbench("compare", "fast", "slow")
    assert "2.00 x as slow overall" in across.stdout
    assert f"times of {FAST} are compared with times of {SLOW}" in across.stderr
    shared = nqbench("compare", "all", "fast")
    assert "1.00 x as slow overall" in shared.stdout
    assert f"times are compared on {FAST} only" in shared.stderr
