"""What --measure asks for is recorded, shown and exported."""

import json
import sys

import polars as pl
import pytest

import nqbench as library
from nqbench.isolate import Caller
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
    values, flaws = measured(["bad=((a+)+)$", "good=(1)"], b"a" * 5000 + b"!1", Caller())
    assert values == {"bad": None, "good": 1.0}
    (flaw,) = flaws
    assert flaw.startswith("measure 'bad' was not read: its regular expression takes more than")


def test_measures_are_columns_of_exports_and_tables(nqbench, solver, tmp_path):
    measures = (r"glue=glue: ([\d.]+)", r"none=none: (\d)", "slow=((a+)+)$", r"word=mode: (\w+)")
    told = nqbench(*run_of(solver, *measures), "--no-plots")
    assert told.returncode == 0, told.stderr
    assert "nqbench: measure 'slow' was not read: " in told.stderr
    assert "nqbench: measure 'word' found 'fast', which is not a number" in told.stderr
    expected = {"glue": 2.5, "none": None, "slow": None, "word": None}
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
