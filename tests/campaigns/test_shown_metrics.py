"""Counters and measures in tables and plots of campaigns."""

import json

import polars as pl
import pytest
from counted_records import write_exports

import nqbench as library


@pytest.fixture
def exports(tmp_path):
    return write_exports(tmp_path)


@pytest.mark.parametrize("name", ["confl", "CONFL"])
def test_a_measure_of_the_records_comes_before_a_suggestion(nqbench, exports, name):
    asked = ["--metric", name]
    (row,) = json.loads(nqbench("summary", "old.csv", *asked, "--json").stdout)
    assert row["median_s"] == 7
    assert nqbench("summary", "--results", "old.csv", *asked).returncode == 0
    records = library.read(exports / "old.csv")
    assert any("confl" in sentence for sentence in library.findings(records, name))
    assert library.plot(records, "time-over-n", name)


def test_restarts_are_summarised_and_plotted(nqbench):
    counter = "restarts"
    words = ["--n", "8..12", "--encoding", "pairwise", "--backend", "minisat22,cadical195"]
    nqbench("run", *words, "--repeat", 1, "--no-plots")
    rows = json.loads(nqbench("summary", "--metric", counter, "--json").stdout)
    exported = pl.read_csv(nqbench("export", "--format", "csv").stdout.encode())
    medians = dict(exported.group_by("backend").agg(pl.col(counter).clip(1).median()).rows())
    assert {row["backend"]: row["median_s"] for row in rows} == medians
    said = nqbench("summary", "--metric", counter, "--findings").stdout
    assert f"{counter} on average" in said or "no difference can be found" in said
    drawn = nqbench("plot", "--kind", "cactus", "--format", "svg", "--metric", counter)
    assert drawn.returncode == 0, drawn.stderr
