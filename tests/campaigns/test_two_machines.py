"""Stores of two machines, merged and compared."""

import json
from dataclasses import replace

from nqbench.campaign.grid import Campaign
from nqbench.machine import environment
from nqbench.problems.queens import Queens
from nqbench.records.record import Record
from nqbench.records.store import Store
from nqbench.vocabulary import Answer, CheckedBy, Outcome, Verdict

FAST, SLOW = "fast, 8 CPUs", "slow, 2 CPUs"


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
