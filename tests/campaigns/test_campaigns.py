"""Campaigns that follow each other in one folder."""

import pytest

from nqbench.campaign.grid import Campaign
from nqbench.campaign.runner import measured
from nqbench.common.vocabulary import Verdict
from nqbench.problems.queens import Queens

JOB = ("--encoding", "pairwise", "--backend", "minisat22,cadical195", "--repeat", 1)


def test_the_plots_are_of_all_that_the_report_covers(nqbench, drawn, tmp_path):
    """A small campaign that follows a large one does not replace its plots."""
    folder = drawn / "results" / "plots"
    (folder / "mine.png").write_bytes(b"")
    assert (folder / "time-over-n.png").exists()
    done = nqbench("--n", 6, *JOB)
    assert {"mine", "time-over-n", "heatmap"} < {path.stem for path in folder.glob("[!.]*")}
    assert "(all 6 runs in results)" in done.stderr
    assert "(6 runs in results, " in done.stderr
    both = (folder / "time-over-n.svg").read_bytes()
    nqbench("plot", "--kind", "time-over-n", "--output", tmp_path / "again")
    assert (tmp_path / "again" / "time-over-n.svg").read_bytes() == both


def test_plots_that_other_records_have_no_data_for_do_not_stay(nqbench, drawn):
    (drawn / "results" / "nqbench.db").unlink()
    nqbench("--n", 6, *JOB)
    folder = drawn / "results" / "plots"
    assert {path.stem for path in folder.glob("[!.]*")} == {"phases", "heatmap"}


pytestmark = pytest.mark.usefixtures("faulty_plugin")


def test_two_jobs_do_all_runs_once():
    runs = Campaign(
        problems=[Queens(n) for n in range(4, 9)], backends=["minisat22", "glucose4"]
    ).runs()
    records = measured(runs, jobs=2)
    assert sorted(record.run_id for record in records) == sorted(run.id for run in runs)
    assert all(record.verdict is Verdict.VERIFIED for record in records)
