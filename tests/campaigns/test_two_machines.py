"""Stores of two machines, merged and compared."""

import itertools
import json
import shutil
from dataclasses import replace
from pathlib import Path

from addons import needs_addon

from nqbench import summary
from nqbench.campaign.grid import Campaign
from nqbench.common.machine import environment
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Verdict
from nqbench.problems.queens import Queens
from nqbench.records.record import Record
from nqbench.records.store import Store
from nqbench.results import Results

FAST, SLOW = "fast, 8 CPUs", "slow, 2 CPUs"

TOLD = "12 runs with several records, measured at different times on machines of the same kind"


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


@needs_addon("compare")
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
    assert "2.00 x as slow;" in across.stdout
    assert f"times of {FAST} are compared with times of {SLOW}" in across.stderr
    shared = nqbench("compare", "all", "fast")
    assert "1.00 x as slow;" in shared.stdout
    assert f"times are compared on {FAST} only" in shared.stderr


def merged(path, *stores):
    """What merging these into a store returns, and the store's records."""
    path.mkdir(exist_ok=True)
    results = Results(path)
    return results.merge(*stores), results.records


def test_both_laboratories_with_one_cpu_model_keep_their_measurements(nqbench, tmp_path):
    """Their runs have the same ids. Both count, as repeats; and the times of each are there."""
    alice, count = stored(tmp_path / "alice", FAST, 0.01)
    bob, _ = stored(tmp_path / "bob", FAST, 0.03)
    done = nqbench("merge", "--results", "both", alice, bob)
    assert f"{count} records from {bob}\n" in done.stderr
    assert TOLD.replace("12", str(count)) in done.stderr
    records = Results(tmp_path / "both").records
    assert records["merged_from"].value_counts(sort=True)["count"].to_list() == [count, count]
    assert records["run_id"].n_unique() == 2 * count
    own = Results(tmp_path / "bob").records["solve_s"].sort().to_list()
    assert records.filter(merged_from="bob")["solve_s"].sort().to_list() == own
    (row,) = summary.comparisons(records).iter_rows(named=True)
    assert row["problems"] == 4
    again = nqbench("merge", "--results", "both", bob, alice)
    assert f"0 records from {bob}; {count} were recorded already" in again.stderr


def test_stores_can_be_merged_in_any_order_and_twice(tmp_path):
    """However they are put together, each measurement is there once."""
    three = {
        name: stored(tmp_path / name, machine, 0.01)[0]
        for name, machine in (("alice", FAST), ("bob", FAST), ("carol", SLOW))
    }
    count = len(Results(tmp_path / "alice").records)
    times = sorted(
        time for name in three for time in Results(tmp_path / name).records["started_at"]
    )
    for number, order in enumerate(itertools.permutations(three)):
        first, second, third = (three[name] for name in order)
        some, all_ = tmp_path / f"some {number}", tmp_path / f"all {number}"
        merged(some, first, second)
        told, records = merged(all_, third, some / "nqbench.db", second)
        assert told == [(count, 0), (2 * count, 0), (0, count)]
        assert sorted(records["started_at"]) == times
        told, records = merged(all_, first, some / "nqbench.db", all_.parent / "alice")
        assert {added for added, _ in told} == {0}
        assert sorted(records["started_at"]) == times


def test_a_copy_that_went_on_does_not_double_its_runs(tmp_path):
    """Copied, continued and merged back: only what is new is added."""
    store, count = stored(tmp_path / "here", FAST, 0.01)
    (tmp_path / "copy").mkdir()
    copy = shutil.copy(store, tmp_path / "copy")
    run = Campaign(problems=[Queens(9)], encodings=["pairwise"], backends=["pyeda"]).runs(FAST)[0]
    with Store(Path(copy)) as going_on:
        going_on.add(replace(Record.of(run, "e" * 16), outcome=Outcome.TIMEOUT))
    assert Results(tmp_path / "here").merge(copy) == [(1, count)]
    assert Results(tmp_path / "here").merge(copy) == [(0, count + 1)]
