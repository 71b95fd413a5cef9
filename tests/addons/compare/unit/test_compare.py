"""Comparing campaigns: exact values exactly, and times with recorded noise."""

import math
import subprocess

import numpy as np
import polars as pl
import pytest
from databases import exported
from made_records import DONE, LATE, campaign, table
from noise import ABOVE, alarms, simulated
from scipy import stats

from nqbench.addons.compare import changes
from nqbench.addons.compare.gate import Gate, compared
from nqbench.addons.compare.notes import notes_after
from nqbench.records import formats
from nqbench.records.frame import schema


def test_ratios_are_relative_to_the_machine():
    rng = np.random.default_rng(1)
    old = {name: rng.lognormal(-2, 1, 15).clip(1e-3, 3) for name in "abc"}
    factors = {"a": 1.5, "b": 2.0, "c": 1.5}
    new = {name: old[name] * factors[name] * rng.lognormal(0, 0.05, 15) for name in "abc"}
    as_lists = [{k: v.tolist() for k, v in times.items()} for times in (old, new)]
    times = changes.times(*(campaign(**lists) for lists in as_lists))
    means = {name: new[name].mean() / old[name].mean() for name in "abc"}
    estimates = {}
    for name in "abc":
        logs = np.log(new[name] / old[name])
        i, j = np.triu_indices(15)
        estimates[name] = np.median((logs[i] + logs[j]) / 2)
    assert times.common == pytest.approx(math.exp(np.median(list(estimates.values()))))
    rows = {row["backend"]: row for row in times.table.iter_rows(named=True)}
    for name, row in rows.items():
        assert row["mean_ratio"] == pytest.approx(means[name] / times.common)
        assert row["typical_ratio"] == pytest.approx(math.exp(estimates[name]) / times.common)
        assert row["low"] < row["typical_ratio"] < row["high"]
    # The p of one row is that of SciPy; jointly it is no smaller.
    for name in "abc":
        logs = np.log(new[name] / old[name]) - math.log(times.common)
        assert rows[name]["p"] > stats.wilcoxon(logs).pvalue - 0.02
    assert rows["b"]["p"] < 0.01
    named = changes.times(*(campaign(**lists) for lists in as_lists), reference=["e x b"])
    (row,) = named.table.filter(backend="b").iter_rows(named=True)
    assert row["typical_ratio"] == 1.0
    assert row["mean_ratio"] == pytest.approx(means["b"] / math.exp(estimates["b"]))


@pytest.mark.parametrize("is_larger_slow", [True, False])
def test_a_gate_is_about_the_typical_board_and_the_average_is_said(is_larger_slow):
    """Only the ten large boards, or only the 70 small ones, take 1.5 times as long, and others a
    little less.
    """
    base = [0.1] * 70 + [100.0] * 10
    old = {name: [seconds * 1.01**n for n, seconds in enumerate(base)] for name in "abc"}
    new = old | {"b": [s * (1.5 if (s > 1) is is_larger_slow else 0.9) for s in old["b"]]}
    both = compared(campaign(**old), campaign(**new))
    (row,) = both.times.table.filter(backend="b").iter_rows(named=True)
    assert (row["mean_ratio"] > 1.1) is is_larger_slow
    assert (row["typical_ratio"] > 1.1) is not is_larger_slow
    assert row["p"] < 0.05
    gate = Gate(above=ABOVE)
    notes = [*notes_after(both, gate)]
    if is_larger_slow:
        assert gate.failures(both) == []
        assert [note for note in notes if note.startswith("e x b is not typically slower")] == [
            "e x b is not typically slower (on 10 of 80 boards), but on average the ratio is about "
            "1.5, 1.5 to 1.5"
        ]
    else:
        assert gate.failures(both) == ["1 combination: typically more than 10 % slower"]


def test_too_few_boards_for_any_difference_are_noted_without_a_limit_of_slowness():
    few, many = (campaign(a=[1.0] * n, b=[1.0] * n) for n in (3, 30))
    (note,) = notes_after(compared(few, few), Gate())
    assert "at most 3 boards, and 6 of each are the least" in note
    assert not [*notes_after(compared(many, many), Gate())]


def test_a_machine_of_half_the_speed_is_not_a_regression():
    rng = np.random.default_rng(3)
    old = simulated(rng)
    slow = simulated(rng).with_columns(pl.col("solve_s") * 2, machine=pl.lit("another"))
    assert alarms(old, slow) == []
    assert changes.times(old, slow).common == pytest.approx(2, rel=0.25)


def test_every_exact_change_is_told_and_equal_ones_together():
    old = campaign(a=[1, 2, 3]).with_columns(conflicts=pl.lit(7, pl.Int64))
    new = old.with_columns(
        clauses=pl.col("clauses") + (pl.col("n") == 5),
        conflicts=pl.when(pl.col("n") > 4).then(pl.lit(9, pl.Int64)).otherwise("conflicts"),
        solve_s=pl.col("solve_s") * 5,
    )
    assert changes.changes(old, old).is_empty()
    found = changes.changes(old, new).select("quantity", "backend", "runs", "old", "new").rows()
    assert found == [("clauses", None, 1, "50", "51"), ("conflicts", "a", 2, "7", "9")]


def test_boards_that_only_one_solved_are_no_times_but_told():
    old, new = campaign(a=[1, 2, None]), campaign(a=[1, None, 3])
    assert changes.solved(old, new).select("n", "change").rows() == [(5, "unsolved"), (6, "solved")]
    assert changes.times(old, new).table["boards"].to_list() == [1]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_an_export_is_read_as_it_was_written(kind):
    records = pl.concat([table((4, DONE, 1.0), (5, LATE, None)), campaign(a=[1 / 3])])
    records = records.with_columns(
        queens=pl.Series([[1, 7], None, []], dtype=pl.List(pl.Int64)), message=pl.lit('a, "b"\nc')
    )
    written = {"csv": formats.to_csv, "jsonl": formats.to_jsonl, "parquet": formats.to_parquet}
    read = {"csv": formats.from_csv, "jsonl": formats.from_jsonl, "parquet": formats.from_parquet}
    again = read[kind](written[kind](records))
    assert again.schema == schema()
    assert again.drop("queens").equals(records.drop("queens"))
    assert again["queens"].to_list()[:2] == [[1, 7], None]


@pytest.fixture
def two(tmp_path):
    """Exports of two campaigns; the second has an extra clause, and one combination 20 % slower."""
    old = simulated(np.random.default_rng(7))
    new = simulated(np.random.default_rng(8), slower="pairwise x minisat22").with_columns(
        clauses=pl.when(encoding="pairwise").then(pl.col("clauses") + 1).otherwise("clauses")
    )
    (tmp_path / "old.csv").write_bytes(exported(old))
    (tmp_path / "new.csv").write_bytes(exported(new))
    return tmp_path


def test_the_gate_trips_on_what_it_was_told_to_look_at(nqbench, two):
    assert nqbench("compare", "old.csv", "new.csv").returncode == 0
    slower = nqbench("compare", "old.csv", "new.csv", "--fail-above", "10%")
    assert slower.returncode == 1
    (line,) = [row for row in slower.stdout.splitlines() if row.rstrip().endswith("slower")]
    assert line.split()[:2] == ["pairwise", "minisat22"]
    changed = nqbench("compare", "old.csv", "new.csv", "--fail-on-change")
    assert changed.returncode == 1
    assert "clauses" in changed.stdout
    assert (
        nqbench(
            "compare", "old.csv", "old.csv", "--fail-above", "0%", "--fail-on-change"
        ).returncode
        == 0
    )


@pytest.mark.parametrize(("pairs", "hidden"), [(1, "all"), (2, "half"), (3, None)])
def test_a_gate_of_so_few_pairs_that_they_hide_a_change_says_so(nqbench, two, pairs, hidden):
    kept = (
        pl.read_csv(two / "old.csv")
        .select("encoding", "backend")
        .unique()
        .sort("encoding", "backend")
        .head(pairs)
    )
    for name in ("old", "new"):
        kept.join(pl.read_csv(two / f"{name}.csv"), on=kept.columns).write_csv(two / f"{name}.csv")
    told = nqbench("compare", "old.csv", "new.csv", "--fail-above", "10%").stderr
    assert (f"{hidden} of a slowdown counts" in told) == (hidden is not None)
    assert "no --reference" not in nqbench("compare", "old.csv", "new.csv").stderr


def test_a_revision_is_compared_with_what_is_there(nqbench, two):
    git = ["git", "-c", "user.name=x", "-c", "user.email=x"]
    subprocess.run([*git, "init", "-q"], cwd=two, check=True)
    (two / "records.csv").write_bytes((two / "old.csv").read_bytes())
    subprocess.run([*git, "add", "records.csv"], cwd=two, check=True)
    subprocess.run([*git, "commit", "-qm", "old"], cwd=two, check=True)
    (two / "records.csv").write_bytes((two / "new.csv").read_bytes())
    compared = nqbench("compare", "HEAD:records.csv", "records.csv", "--fail-on-change")
    assert compared.returncode == 1
    assert "No size" not in compared.stdout


def test_a_reference_may_be_named_by_its_backend_if_that_is_in_one_combination(nqbench, two):
    where = "backend <> 'minisat22' OR encoding = 'pairwise'"
    full, part, several = (
        nqbench("compare", "old.csv", "new.csv", "--json", "--where", where, "--reference", text)
        for text in ("pairwise x minisat22", "minisat22", "pairwise")
    )
    assert part.stdout == full.stdout != ""
    assert several.returncode == 2
    assert "'pairwise' is in several combinations: choose from pairwise x " in several.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing", "old.csv"], "no results at nothing"),
        (["old.csv", "HEAD:old.csv"], "cannot read HEAD:old.csv: fatal: not a git repository"),
        (["old.csv", "bad.csv"], "bad.csv is not an export of records"),
        (["old.csv", "new.txt"], "new.txt is neither a results folder nor a .db, .csv"),
        (["old.csv", "new.csv", "--fail-above", "much"], "'much' is not a percentage"),
        (["old.csv", "new.csv", "--reference", "x"], "no runs of 'x'"),
    ],
)
def test_what_cannot_be_compared_gets_one_line(nqbench, two, arguments, message):
    (two / "bad.csv").write_bytes(b"\xff\xfe\x00,\n1,2,3\n")
    (two / "new.txt").write_text("x")
    said = nqbench("compare", *arguments)
    assert said.returncode == 2
    assert message in said.stderr
    assert said.stderr.count("\n") == 1
