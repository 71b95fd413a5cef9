"""Messages for new users."""

import signal
import subprocess
import sys
import time

import pytest
from addons import needs_addon

SMALL = ("--n", "4..5", "--encoding", "pairwise", "--repeat", 1)


def test_a_solver_that_is_not_there_has_no_times_and_is_tried_again(nqbench):
    for _ in range(2):
        told = nqbench("run", *SMALL, "--backend", "minisat22,exe:nosuch", "--no-plots")
        assert told.returncode == 1
        assert "exe:nosuch is unavailable: no program 'nosuch' on the PATH" in told.stderr
        (line,) = [line.split() for line in told.stdout.splitlines() if " 0/2 " in line]
        assert line == ["pairwise", "exe:nosuch", "0/2", "0", *"------", "2", "unavailable"]
    assert "2 of 4 runs are recorded already" in told.stderr


def test_a_campaign_of_nothing_that_works_is_bad_input(nqbench):
    told = nqbench("run", *SMALL, "--backend", "exe:nosuch")
    assert told.returncode == 2
    assert told.stderr.splitlines()[-1].startswith("nqbench: nothing was measured")


def test_the_plan_says_what_does_not_work_and_how_long_it_can_take(nqbench):
    told = nqbench("run", *SMALL, "--backend", "minisat22,exe:nosuch", "--dry-run").stdout
    assert "Nothing recorded yet.\n" in told
    assert "2 runs: not measured. exe:nosuch is unavailable: " in told
    nqbench("run", *SMALL, "--backend", "minisat22", "--no-plots")
    told = nqbench("run", *SMALL, "--backend", "minisat22,pyeda", "--dry-run").stdout
    assert "2 of 4 runs are recorded.\n2 runs of new combinations: at most 60 s" in told
    told = nqbench("run", "--n", "4..6", *SMALL[2:], "--backend", "minisat22", "--dry-run").stdout
    assert "2 of 3 runs are recorded.\n1 run of measured combinations: less than 1 s" in told


def test_only_the_plots_that_were_drawn_are_named(nqbench, drawn):
    one = nqbench("run", *SMALL, "--backend", "minisat22")
    named = "{cactus,heatmap,phases,sizes,time-over-n,total-over-n}.{png,svg} (all 4 runs"
    assert named in one.stderr


def test_a_plot_that_is_missing_or_was_drawn_otherwise_is_drawn_again(nqbench, drawn):
    campaign = ("run", *SMALL, "--backend", "minisat22")
    cactus = drawn / "results" / "plots" / "cactus.svg"
    picture = cactus.read_bytes()
    cactus.unlink()
    nqbench(*campaign)
    assert cactus.read_bytes() == picture
    cactus.write_text("an edited picture")
    nqbench(*campaign)
    assert cactus.read_bytes() == picture
    nqbench("plot", "--kind", "cactus", "--metric", "wall_s")
    assert cactus.read_bytes() != picture
    nqbench(*campaign)
    assert cactus.read_bytes() == picture


def test_pairs_of_different_boards_are_not_compared_in_silence(nqbench):
    nqbench("run", *SMALL, "--backend", "minisat22", "--no-plots")
    nqbench("run", "--n", 5, *SMALL[2:], "--backend", "pyeda", "--no-plots")
    told = " ".join(nqbench("summary").stdout.split())
    assert "of the 1 of 2 boards that every combination was measured on" in told
    assert "that every combination" not in nqbench("summary", "--where", "n = 5").stdout


@pytest.mark.parametrize(
    ("condition", "hint"),
    [("backen = 'pyeda'", "did you mean backend?"), ("backend = pyeda", "in single quotes")],
)
def test_a_condition_that_is_wrong_is_explained(typed, drawn, condition, hint):
    told = typed("summary", "--where", condition)
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert hint in told.stderr
    assert len(told.stderr) < 250


def test_whoever_interrupts_is_told_what_is_kept(tmp_path):
    command = [sys.executable, "-m", "nqbench", "--n", "4..64", "--no-plots"]
    campaign = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    store = tmp_path / "results" / "nqbench.db-wal"
    while not (store.exists() and store.stat().st_size > 100_000):
        time.sleep(0.05)
    campaign.send_signal(signal.SIGINT)
    _, said = campaign.communicate(timeout=60)
    assert campaign.returncode == 130
    assert "runs were measured and are recorded; the same command continues from there" in said


@needs_addon("compare")
def test_a_gate_that_cannot_trip_says_so(nqbench):
    for folder in ("before", "after"):
        nqbench("run", *SMALL, "--backend", "pyeda", "--no-plots", "--results", folder)
    told = nqbench("compare", "before", "after", "--fail-above", "10%")
    assert told.returncode == 2
    assert "nothing to compare: no combination can be found slower" in told.stderr


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("run --encoding pairwise,pro", ["pairwise,product"]),
        ("solve --backend minisat2", ["minisat22"]),
        ("plot --kind to", ["total-over-n"]),
    ],
)
def test_a_shell_completes_names(typed, monkeypatch, words, completed):
    monkeypatch.setenv("_NQBENCH_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", f"nqbench {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
    assert typed().stdout.split() == [f"plain,{name}" for name in completed]


def test_what_is_wrong_with_a_solver_is_said_above_the_table(tmp_path):
    for name, lines in (("liar", "echo s SATISFIABLE; echo v 1 2 3 0"), ("chatty", "echo hello")):
        script = tmp_path / name
        script.write_text(f"#!/bin/sh\n{lines}\n")
        script.chmod(0o755)
    asked = [*SMALL, "--backend", "minisat22,exe:./liar,exe:./chatty,exe:./nosuch", "--no-plots"]
    command = [sys.executable, "-m", "nqbench", "run", *map(str, asked)]
    told = subprocess.run(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert told.returncode == 1
    above = told.stdout[: told.stdout.index("encoding  backend")]
    assert "wrong answer: queens n=4 pairwise exe:./liar: " in above
    assert "exe:./chatty could not run: output of exe:./chatty: no answer" in above
    assert "exe:./nosuch could not run: no program" in above


@needs_addon("compare", "importing")
def test_what_was_meant_is_said_about_the_same_results(nqbench):
    nqbench("run", *SMALL, "--backend", "minisat22,pyeda", "--no-plots")
    nqbench("export", "--format", "jsonl", "--output", "bob.jsonl")
    for arguments, message in (
        (["summary", "--where", "solve_s > 1ms"], "write 0.001 instead of 1ms, in seconds"),
        (["summary", "--where", "n = 4 OR memory_limit_bytes > 2 GiB"], "write 2147483648 instead"),
        (["merge", "bob.jsonl"], "which merge cannot add: import it, and its runs are added"),
        (
            ["compare", "results", "bob.jsonl", "--reference", "pairwise"],
            "choose from pairwise x minisat22, pairwise x pyeda",
        ),
    ):
        told = nqbench(*arguments)
        assert (told.returncode, told.stderr.count("\n")) == (2, 1)
        assert message in told.stderr
    assert nqbench("import", "--results", "theirs", "bob.jsonl").returncode == 0
    texts = nqbench("summary", "--where", "backend <> 'a 5s' AND n <= 5")
    assert texts.returncode == 0, texts.stderr


def test_a_limit_of_memory_that_no_library_fits_into_is_said(nqbench):
    told = nqbench("solve", "--n", 6, "--memory-limit", "5MiB")
    assert told.returncode == 1
    assert told.stderr == "nqbench: cadical195: no library of a solver fits into 5 MiB\n"
