"""What --measure asks for is recorded, shown and exported."""

import json
import sys

import polars as pl
import pytest

import nqbench as library
from nqbench.isolate import Isolation
from nqbench.measure.user_measures import measured
from nqbench.records import sources
from nqbench.records.store import Store

SOLVER = """#!{python}
import sys
if "--version" in sys.argv:
    sys.exit("solver 1.0")
print("c glue: 7 of 9")
print("c \\0\\x1b[2J glue: 2.5")
print("c score: -3e2, mode: fast, line:", "a" * 30000 + "!")
print("s SATISFIABLE")
print("v 1 2 0" if open(sys.argv[1]).readline().startswith("p cnf 2 ") else "v 1 0")
sys.exit(10)
"""


@pytest.fixture
def solver(tmp_path):
    """A program that solves n = 1 and prints a few numbers."""
    path = tmp_path / "solver"
    path.write_text(SOLVER.format(python=sys.executable))
    path.chmod(0o755)
    return f"exe:{path}"


def run_of(solver, *measures):
    return ["run", "--n", 1, "--encoding", "pairwise", "--backend", solver, "--repeat", 1] + [
        word for measure in measures for word in ("--measure", measure)
    ]


def test_a_regular_expression_that_takes_forever_is_stopped_and_spoils_no_other():
    values, flaws = measured(["bad=((a+)+)$", "good=(1)"], b"a" * 5000 + b"!1", Isolation())
    assert values == {"bad": None, "good": 1.0}
    (flaw,) = flaws
    assert flaw.startswith("measure 'bad' was not read: its regular expression takes more than")


def test_measures_are_columns_of_exports_and_tables(nqbench, solver, tmp_path):
    measures = (r"glue=glue: ([\d.]+)", r"none=none: (\d)", r"word=mode: (\w+)")
    told = nqbench(*run_of(solver, *measures), "--no-plots")
    assert told.returncode == 0, told.stderr
    assert "nqbench: measure 'word' found 'fast', which is not a number" in told.stderr
    expected = {"glue": 2.5, "none": None, "word": None}
    record = json.loads(nqbench("export", "--format", "jsonl").stdout)
    assert {name: record[name] for name in expected} == expected
    assert (record["outcome"], record["verdict"]) == ("finished", "verified")
    for kind in ("csv", "parquet", "jsonl"):
        nqbench("export", "--format", kind, "--output", f"records.{kind}")
        read = sources.read(str(tmp_path / f"records.{kind}"))
        assert read.select(list(expected)).to_dicts() == [expected]
        assert read.schema["glue"] == pl.Float64
    assert " 1/1 " in nqbench("summary", "--where", "glue > 2").stdout
    assert "no record fulfils" in nqbench("summary", "--where", "glue > 3").stderr
    again = nqbench(*run_of(solver, "other=(1)"), "--no-plots")
    assert "the run is recorded already" in again.stderr


def test_a_measure_that_no_output_contains_is_said(nqbench, solver):
    told = nqbench(*run_of(solver, r"glue=glue: ([\d.]+)", r"typo=gleu: ([\d.]+)"), "--no-plots")
    assert "measure 'typo' is not in the output of the run" in told.stderr
    assert "measure 'glue'" not in told.stderr


def test_a_campaign_file_and_python_state_measures(nqbench, solver, tmp_path):
    (tmp_path / "campaign.toml").write_text(
        f'[[campaign]]\nn = "1"\nencoding = ["pairwise"]\nbackend = ["{solver}"]\nrepeat = 1\n'
        "measure = ['glue=glue: ([0-9.]+)']\nkeep-output = true\n"
    )
    assert nqbench("run", "campaign.toml", "--no-plots", "--allow-program", solver).returncode == 0
    assert library.read(tmp_path / "results")["glue"].to_list() == [2.5]
    assert b"\x1b[2J glue: 2.5" in only_log(tmp_path)
    records = library.run(
        1, encodings="pairwise", backends=[solver], repeat=1, measure="glue=glue: ([0-9])"
    )
    assert records["glue"].to_list() == [2.0]


def only_log(folder):
    with Store(folder / "results" / "nqbench.db", read_only=True) as store:
        (run_id,) = store.logs()
        return store.log(run_id)


@pytest.fixture
def kept(nqbench, solver, tmp_path):
    """A store with a run whose output was kept, and one whose output was not."""
    for n, more in ((1, ["--keep-output", "--measure", "old=of (9)"]), (1, ["--seed", "1"])):
        words = run_of(solver)
        words[2] = n
        done = nqbench(*words, *more, "--no-plots")
        assert done.returncode == 0, done.stderr
    return tmp_path / "results"


def measures_of(results):
    with Store(results / "nqbench.db", read_only=True) as store:
        records = store.records(store.frame()["run_id"])
        logged = set(store.logs())
    return {record.run_id in logged: record for record in records}


def test_a_measure_is_added_from_a_kept_log(nqbench, kept):
    asked = (r"glue=glue: ([\d.]+)", r"none=none: (\d)", r"word=mode: (\w+)")
    done = nqbench("measure", *asked)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["glue: 1 of 1 log", "none: 0 of 1 log", "word: 0 of 1 log"]
    assert "measure 'word' found 'fast', which is not a number" in done.stderr
    assert "1 record without a log: pairwise x exe:" in done.stderr
    assert "--keep-output --fresh" in done.stderr
    records = measures_of(kept)
    assert records[True].measures == {"old": 9.0, "glue": 2.5, "none": None, "word": None}
    assert "measure 'word' found 'fast'" in records[True].message
    assert records[False].measures is None
    # What is read again replaces what was read before, and what was said about it.
    assert nqbench("measure", r"word=glue: (\d) of").returncode == 0
    again = measures_of(kept)[True]
    assert (again.measures["word"], again.measures["glue"]) == (7.0, 2.5)
    assert "word" not in again.message
    assert nqbench("summary", "--metric", "glue", "--where", "glue > 0").returncode == 0


def test_python_adds_a_measure_from_a_kept_log(kept):
    results = library.Results(kept)
    assert results.records["old"].to_list().count(9.0) == 1
    done = results.measure(r"glue=glue: ([\d.]+)", r"word=mode: (\w+)")
    assert (done.read, done.with_value) == (1, {"glue": 1, "word": 0})
    assert len(done.without_log) == 1
    assert "word" in done.flaws[0]
    assert sorted(results.records["glue"].to_list(), key=str) == [2.5, None]


def test_what_cannot_be_measured_from_logs_is_refused_in_one_line(typed, kept):
    before = measures_of(kept)[True].measures
    for words, why in (
        ([r"glue: (\d)"], "write NAME=REGEX"),
        ([r"n=(\d)"], "has the name of a column"),
        (["glue=("], "glue"),
        ([r"glue=(\d)", r"glue=(\d)"], "given twice"),
        ([r"glue=(\d)", "--where", "n > 5"], "no record fulfils"),
    ):
        refused = typed("measure", *words)
        assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
        assert why in refused.stderr
    assert measures_of(kept)[True].measures == before
