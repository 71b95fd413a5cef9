"""`nqbench race` and `nqbench.race`: what they measure, record, print, and leave for `run`."""

import json
import re
import signal
import subprocess
import sys
import time

import polars as pl
import pytest
from addons import needs_addon

import nqbench
from nqbench import summary
from nqbench.common.errors import InputError
from nqbench.records.sources import STORE_NAME
from nqbench.records.store import Store
from nqbench.results import Results

SMALL = ["--n", "4..12", "--encoding", "pairwise,alo-row", "--backend", "minisat22,cadical195"]
SLOW = "faulty-toils"
"""A solver that takes 0.3 s more than MiniSat."""

pytestmark = pytest.mark.usefixtures("faulty_plugin")


def test_the_answer_comes_first_and_the_runs_are_recorded(nqbench, tmp_path):
    done = nqbench("race", *SMALL, "--results", "r")
    assert done.returncode == 0
    leads = r"- \S+ x \S+ (wins|leads) with .* \(PAR-2; .* typically\) on \d problems"
    assert re.match(leads, done.stdout)
    with Store(tmp_path / "r" / STORE_NAME, read_only=True) as store:
        records = store.frame()
    assert records["repeat"].unique().to_list() == [0]
    assert set(records["outcome"]) <= {"finished", "capped"}
    again = nqbench("race", *SMALL, "--results", "r")
    assert again.stdout == done.stdout


def test_run_measures_what_a_race_left_and_capped_runs_again(nqbench, tmp_path):
    words = ["--n", "4..12", "--encoding", "pairwise", "--backend", f"minisat22,{SLOW}"]
    done = nqbench("race", *words, "--results", "r", "--budget", "60s")
    assert "minisat22" in done.stdout.split(" wins")[0]
    with Store(tmp_path / "r" / STORE_NAME, read_only=True) as store:
        raced = store.frame()
    capped = raced.filter(outcome="capped")
    assert len(capped) >= 7
    assert (capped["cap_s"] < 0.2).all()
    assert (capped["wall_s"] >= capped["cap_s"]).all()
    assert (capped["time_limit_s"] == 30).all()
    assert capped["answer"].null_count() == len(capped)
    after = nqbench("run", *words, "--repeat", "1", "--results", "r", "--no-plots")
    assert after.returncode in {0, 1}
    with Store(tmp_path / "r" / STORE_NAME, read_only=True) as store:
        whole = store.frame()
    assert "capped" not in set(whole["outcome"])
    assert len(whole) == 18
    before = dict(raced.filter(outcome="finished").select("run_id", "started_at").iter_rows())
    kept = dict(whole.select("run_id", "started_at").iter_rows())
    fast = raced.filter(backend="minisat22")["run_id"].to_list()
    assert all(before[run_id] == kept[run_id] for run_id in fast)


@pytest.fixture
def raced(tmp_path):
    return nqbench.race(
        "4..12", encodings=["pairwise"], backends=["minisat22", SLOW], results=tmp_path / "r"
    )


def test_capped_runs_are_neither_solved_nor_unsolved(raced, tmp_path):
    """In no table, finding or plot; the findings say how many were left out."""
    records = raced.records
    number = len(records.filter(outcome="capped"))
    table = summary.overview(records)
    (row,) = table.filter(pl.col("backend") != "minisat22").iter_rows(named=True)
    assert row["runs"] == len(records.filter(pl.col("backend") != "minisat22")) - number
    assert "timeout" not in row["unsolved"]
    found = " ".join(nqbench.findings(records)).replace("\N{NO-BREAK SPACE}", " ")
    assert f"A race stopped {number} runs early" in found
    assert "timed out" not in found
    assert number + summary.boards(records)["solved"].len() <= len(records)
    assert Results(tmp_path / "r").records["outcome"].to_list().count("capped") == number


@needs_addon("compare")
def test_compare_names_capped_runs_and_trips_its_gate(nqbench, raced, tmp_path):
    nqbench("run", "--n", "4..12", "--encoding", "pairwise", "--backend", "minisat22",
            "--repeat", "1", "--results", "whole", "--no-plots")  # fmt: skip
    done = nqbench("compare", "r", "whole", "--fail-above", "900%")
    assert done.returncode == 1
    assert "capped" in done.stdout + done.stderr


def test_a_standing_is_data_and_words(raced):
    assert raced.winner == raced.leader == "pairwise x minisat22"
    assert raced.left == ["pairwise x minisat22"]
    table = raced.table()
    assert table["combination"].to_list()[0] == raced.winner
    (gone,) = table.filter(pl.col("left").is_not_null()).iter_rows(named=True)
    assert gone["combination"] == f"pairwise x {SLOW}"
    assert gone["after"] == 8
    assert repr(raced) == str(raced)  # as a notebook shows it
    assert str(raced).startswith("pairwise x minisat22 wins with ")
    said = " ".join(raced.sentences())
    assert f"Next is pairwise x {SLOW}, which takes at least " in said
    assert f"they left: pairwise x {SLOW} after 8 problems" in said
    assert re.search(
        rf"{raced.runs} runs, of which {raced.capped} (was|were) capped, took .* of the", said
    )
    spent = raced.records["wall_s"].sum()
    assert sum(raced.spent_s) >= spent > 0
    assert len(raced.records) == raced.runs == len(raced.records.unique("run_id"))
    assert json.loads(table.write_json())


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--metric", "conflicts"], "'conflicts' is unknown"),
        (["--margin", "-1"], "the margin is -1: it must be"),
        (["--budget", "soon"], "'soon' is not a duration"),
    ],
)
def test_what_is_no_race_gets_one_line(nqbench, words, complaint):
    done = nqbench("race", "--n", "4..6", *words)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_metric_that_no_race_has_is_named_in_python():
    with pytest.raises(InputError, match="metric of a race 'conflicts'"):
        nqbench.race("4..6", metric="conflicts")


def test_a_combination_with_wrong_answers_leaves_at_once(nqbench):
    liar = "faulty-liar-unsat"
    done = nqbench("race", "--n", "4..12", "--encoding", "pairwise", "--backend",
                   f"minisat22,cadical195,{liar}", "--results", "r")  # fmt: skip
    assert done.returncode == 1
    assert f"{liar} left: a wrong answer" in " ".join(done.stdout.split())


def test_a_budget_ends_a_race_and_the_same_command_goes_on(nqbench, tmp_path):
    """The slow one is measured in full on the first problem if it comes first."""
    words = ["race", "--n", "4..12", "--encoding", "pairwise,product", "--average", "typical",
             "--backend", f"cadical195,minisat22,{SLOW}", "--results", "r"]  # fmt: skip
    first = nqbench(*words, "--budget", "0.5s")
    if first.returncode == 2:
        assert "give a larger budget" in first.stderr
    else:
        assert "the same command goes on" in " ".join(first.stdout.split())
    with Store(tmp_path / "r" / STORE_NAME, read_only=True) as store:
        before = set(store.frame().filter(outcome="finished")["run_id"])
    last = nqbench(*words)
    assert "the same command goes on" not in " ".join(last.stdout.split())
    with Store(tmp_path / "r" / STORE_NAME, read_only=True) as store:
        after = store.frame()
    assert before <= set(after["run_id"])
    assert after["run_id"].is_unique().all()


def test_an_interrupted_race_prints_the_answer_so_far(tmp_path):
    command = [sys.executable, "-m", "nqbench", "race", "--n", "4..60", "--encoding", "pairwise",
               "--backend", f"minisat22,{SLOW}", "--average", "typical", "--margin", "0",
               "--confidence", "0.999999999", "--results", str(tmp_path / "r")]  # fmt: skip
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    store = tmp_path / "r" / STORE_NAME
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if store.exists():
            with Store(store, read_only=True) as found:
                if len(found.frame()) >= 6:
                    break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "minisat22" in said.split(" leads")[0]


def test_jobs_and_both_executors_find_the_same_winner(capsys):
    for how in ({"jobs": 2, "pin": False, "progress": True}, {"ahead": False}):
        standing = nqbench.race(
            "4..12", encodings=["pairwise"], backends=["minisat22", SLOW], **how
        )
        assert standing.winner == "pairwise x minisat22"
        progress = capsys.readouterr().err
        first = "0 of 9 problems, 2 of 2 combinations are left\n"
        assert progress.startswith(first) if how.get("progress") else not progress


@pytest.mark.parametrize("seed", [0, 1])
def test_a_formula_that_cannot_be_read_is_left_out_of_a_race(nqbench, tmp_path, seed):
    folder = tmp_path / "formulas"
    folder.mkdir()
    for number in range(6):
        (folder / f"r{number}.cnf").write_text(f"p cnf 9 2\n{number + 1} 9 0\n-9 0\n")
    (folder / "wrong.cnf").write_text("p cnf 2 3\n1 2 0\n-1 0\n")
    words = ["--cnf", folder, "--backend", "minisat22,cadical195", "--no-plots", "-q"]
    done = nqbench("race", *words, "--seed", seed, "--results", "r")
    said = " ".join(done.stdout.split())
    assert re.search(r"(wins|leads) with .* on 6 problems", said)
    assert f"Left out, for bad input: {folder}/wrong.cnf, line 1: the file holds 2 clauses" in said
    assert "left: invalid" not in said
    assert done.returncode == 1
    again = nqbench("race", *words, "--seed", seed, "--results", "r", "--lenient")
    assert "on 7 problems" in " ".join(again.stdout.split())
    assert again.returncode == 0


def test_a_race_of_formulas_that_cannot_be_read_says_so(nqbench, tmp_path):
    (tmp_path / "wrong.cnf").write_text("p cnf 2 3\n1 2 0\n-1 0\n")
    done = nqbench("race", "--cnf", "wrong.cnf", "--backend", "minisat22,cadical195", "--no-plots")
    assert done.returncode == 2
    assert "none can be read" in done.stdout
    assert "budget" not in done.stdout + done.stderr
