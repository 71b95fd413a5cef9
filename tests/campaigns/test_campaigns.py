"""Campaigns that follow each other in one folder."""

import polars as pl
import pytest
from databases import records

import nqbench
from nqbench.campaign.grid import Campaign
from nqbench.campaign.runner import measured
from nqbench.checking.verify import PROOF_HOLDS
from nqbench.common.vocabulary import Verdict
from nqbench.problems.queens import Queens


def test_the_plots_are_of_all_that_the_report_covers(nqbench, tmp_path):
    """A small campaign that follows a large one does not replace its plots."""
    job = ["--encoding", "pairwise", "--backend", "minisat22,cadical195", "--repeat", 1]
    nqbench("--n", "4..5", *job)
    folder = tmp_path / "results" / "plots"
    (folder / "mine.png").write_bytes(b"")
    assert (folder / "time-over-n.png").exists()
    done = nqbench("--n", 6, *job)
    assert {"mine", "time-over-n", "heatmap"} < {path.stem for path in folder.glob("[!.]*")}
    assert "(all 6 runs in results)" in done.stderr
    assert "(6 runs in results, " in done.stderr
    both = (folder / "time-over-n.svg").read_bytes()
    nqbench("plot", "--kind", "time-over-n", "--output", tmp_path / "again")
    assert (tmp_path / "again" / "time-over-n.svg").read_bytes() == both


def test_plots_that_other_records_have_no_data_for_do_not_stay(nqbench, tmp_path):
    job = ["--encoding", "pairwise", "--backend", "minisat22,cadical195", "--repeat", 1]
    nqbench("--n", "4..5", *job)
    (tmp_path / "results" / "nqbench.db").unlink()
    nqbench("--n", 6, *job)
    folder = tmp_path / "results" / "plots"
    assert {path.stem for path in folder.glob("[!.]*")} == {"phases", "heatmap"}


def test_other_conditions_are_measured_anew(nqbench, tmp_path):
    same = (
        "--n",
        "4",
        "--repeat",
        1,
        "--encoding",
        "pairwise",
        "--backend",
        "minisat22",
        "--no-plots",
    )
    nqbench(*same)
    nqbench(*same, "--time-limit", "10s")
    nqbench(*same, "--memory-limit", "2GiB")
    nqbench(*same, "--seed", 1)
    nqbench(*same, "--no-pin")
    assert len(records(tmp_path)) == 5


def test_boards_without_solution_are_unsat_everywhere(nqbench, tmp_path):
    encodings = "pairwise,alo-row,level1,level2,pyeda-onehot"
    assert (
        nqbench("--n", "2..3", "--encoding", encodings, "--repeat", 1, "--no-plots").returncode == 0
    )
    assert records(tmp_path, "DISTINCT answer, verdict") == [("unsat", "verified")]
    by_proof, otherwise = "backend = 'glucose4'", "backend != 'glucose4'"
    assert records(tmp_path, "DISTINCT checked_by, message", by_proof) == [("theorem", PROOF_HOLDS)]
    assert records(tmp_path, "DISTINCT checked_by, message", otherwise) == [("theorem", "")]


pytestmark = pytest.mark.usefixtures("faulty_plugin")


def test_two_jobs_do_all_runs_once():
    runs = Campaign(
        problems=[Queens(n) for n in range(4, 9)], backends=["minisat22", "glucose4"]
    ).runs()
    records = measured(runs, jobs=2)
    assert sorted(record.run_id for record in records) == sorted(run.id for run in runs)
    assert all(record.verdict is Verdict.VERIFIED for record in records)


@pytest.fixture(scope="module")
def seeded():
    return nqbench.run(
        [16, 20], encodings="pairwise", backends="minisat22,cadical195,pyeda", seeds=12
    )


def test_seeds_give_other_searches(seeded):
    searches = seeded.group_by("backend", "n").agg(pl.col("decisions").n_unique())
    assert (searches["decisions"] > 3).all()
    assert set(seeded["outcome"]) == {"finished"}
    assert set(seeded["verdict"]) == {"verified"}
