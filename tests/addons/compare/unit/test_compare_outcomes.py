"""Answers and outcomes come first in a comparison, whatever its metric, and so does what differs
besides.
"""

import json
from dataclasses import replace

import polars as pl
import pytest
from databases import exported
from made_records import campaign

from nqbench.addons.compare import tables
from nqbench.addons.compare.besides import besides
from nqbench.addons.compare.document import document
from nqbench.addons.compare.gate import Gate, compared
from nqbench.common.errors import InputError
from nqbench.common.machine.environment import Environment
from nqbench.results import Results

TEN = [1.0, 2, 4, 8, 1, 2, 4, 8, 3, 5]
OLD = campaign(a=TEN, b=TEN, c=TEN).with_columns(
    conflicts=pl.Series([100, 200, 400, 800, 150, 250, 450, 1000, 70, 90] * 3, dtype=pl.Int64)
)
AT = (pl.col("backend") == "b") & (pl.col("n") == 6)
GATE = Gate(on_change=True)


def changed(records=OLD, where=AT, **facts):
    facts = {
        name: pl.when(where).then(pl.lit(value)).otherwise(name) for name, value in facts.items()
    }
    return records.with_columns(**facts)


def stopped(outcome, message="", where=AT, records=OLD):
    nothing = dict.fromkeys(("answer", "conflicts", "solve_s"))
    unchecked = {"verdict": "unchecked", "checked_by": "none"}
    return changed(records, where, outcome=outcome, message=message, **nothing, **unchecked)


def wrong(records=OLD, where=AT):
    return changed(records, where, verdict="refuted", message="two queens attack")


def found(old, new, metric="conflicts"):
    both = compared(old, new, metric)
    rows = both.outcomes.select("what", "backend", "runs", "old", "new").rows()
    return rows, GATE.failures(both), both


@pytest.mark.parametrize(
    ("new", "row", "failure"),
    [
        (wrong(), ("wrong answer", "b", 1, "sat", "refuted sat"), "1 wrong answer"),
        (stopped("timeout"), ("lost answer", "b", 1, "sat", "timeout"), "1 lost answer"),
        (stopped("memout"), ("lost answer", "b", 1, "sat", "memout"), "1 lost answer"),
        (
            changed(answer="unknown", conflicts=None),
            ("lost answer", "b", 1, "sat", "unknown"),
            "1 lost answer",
        ),
        (changed(answer="unsat"), ("other answer", "b", 1, "sat", "unsat"), "1 other answer"),
        (stopped("crashed"), ("crash", "b", 1, "measured", "crashed"), "1 run not compared"),
        (
            stopped("unavailable", where=pl.col("backend") == "b"),
            ("missing solver", "b", 10, "measured", "unavailable"),
            "10 runs not compared",
        ),
        (
            OLD.filter(pl.col("backend") != "b"),
            ("missing solver", "b", 10, "measured", "no combination"),
            "10 runs not compared",
        ),
        (stopped("invalid"), ("invalid file", "b", 1, "measured", "invalid"), "1 run not compared"),
    ],
)
@pytest.mark.parametrize("metric", ["conflicts", "solve_s"])
def test_a_run_without_a_count_is_no_reason_not_to_compare(metric, new, row, failure):
    rows, failures, both = found(OLD, new, metric)
    assert rows == [row]
    assert failures[0] == failure
    assert {"a", "c"} <= set(both.times.table["backend"])


def test_the_worst_comes_first_and_each_with_its_reason():
    new = stopped("crashed", "killed", where=(pl.col("backend") == "a") & (pl.col("n") == 4))
    new = wrong(
        stopped("timeout", where=(pl.col("backend") == "a") & (pl.col("n") == 5), records=new)
    )
    _, failures, both = found(OLD, new)
    assert both.outcomes["what"].to_list() == ["wrong answer", "lost answer", "crash"]
    assert both.outcomes["why"].to_list() == ["two queens attack", None, "killed"]
    assert failures == ["1 wrong answer", "1 lost answer", "1 run not compared"]
    assert [each.label for each in tables.tables(both, GATE.slower(both), False)][:1] == [
        "tab:compared-outcomes"
    ]
    assert [row["what"] for row in document(both, GATE)["outcomes"]] == both.outcomes[
        "what"
    ].to_list()
    assert [row["what"] for row in tables.differences(both, [])][:3] == (
        both.outcomes["what"].to_list()
    )


def test_a_wrong_answer_is_listed_even_if_it_was_wrong_or_absent_before():
    rows, failures, _ = found(wrong(), wrong())
    assert rows == [("wrong answer", "b", 1, "refuted sat", "refuted sat")]
    assert failures == []
    for old, before in (
        (stopped("timeout"), "timeout"),
        (stopped("crashed"), "crashed"),
        (OLD.filter(~AT), "no run"),
        (OLD.with_columns(seed=pl.lit(5, pl.Int64)), "sat"),
    ):
        rows, failures, _ = found(old, wrong())
        assert ("wrong answer", "b", 1, before, "refuted sat") in rows
        assert failures[0] == "1 wrong answer"
    rows, failures, _ = found(wrong(), OLD)
    assert rows == [("corrected answer", "b", 1, "refuted sat", "sat")]


def test_boards_without_a_count_have_no_ratio_and_fail_a_gate_on_ratios():
    """Two of three repeats count, so the board is solved, but its median is not known."""
    several = pl.concat(
        [
            OLD.with_columns(
                repeat=pl.lit(i, pl.Int64), run_id=pl.format("{}-{}", "backend", pl.lit(i))
            )
            for i in range(3)
        ]
    )
    late = stopped("timeout", where=AT & (pl.col("repeat") == 2), records=several)
    both = compared(several, late, "conflicts")
    assert both.times.unknown == {"e x b": 1}
    assert dict(both.times.table.select("backend", "boards").rows())["b"] == 9
    assert "1 board without a ratio" in Gate(above=0.1).failures(both)
    assert compared(several, late, "solve_s").times.unknown == {}


def test_a_solver_that_no_longer_reports_the_counter_is_a_change_and_others_have_ratios():
    silent = changed(where=pl.col("backend") == "b", conflicts=None)
    _, failures, both = found(OLD, silent)
    assert failures == ["10 changes of sizes, hashes or counters"]
    assert set(both.times.table["backend"]) == {"a", "c"}
    nothing = OLD.with_columns(conflicts=pl.lit(None, pl.Int64))
    both = compared(nothing, nothing, "conflicts")
    assert GATE.failures(both) == []
    assert GATE.blind(both) is None
    assert "no solved run reports conflicts" in Gate().blind(both)
    assert "no solved run reports conflicts" in Gate(above=0.1).blind(both)


def test_a_condition_that_leaves_one_side_nothing_shows_what_is_missing(tmp_path):
    for name, records in (("old", OLD), ("new", OLD.filter(pl.col("backend") != "b"))):
        (tmp_path / f"{name}.csv").write_bytes(exported(records))
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    both = Results(old, where="backend = 'b'").compare(new, "conflicts")
    assert both.outcomes.select("what", "runs").rows() == [("missing solver", 10)]
    assert GATE.failures(both) == ["10 runs not compared"]
    with pytest.raises(InputError, match="no record"):
        Results(old, where="backend = 'z'").compare(new)


def test_a_reference_that_crashed_is_no_reason_not_to_compare():
    new = stopped("crashed", where=pl.col("backend") == "b")
    both = compared(OLD, new, reference=["e x b"])
    assert both.outcomes["what"].to_list() == ["crash"]
    assert both.times.table.is_empty()
    assert GATE.failures(both) == ["10 runs not compared"]
    assert "the reference solved no board" in Gate(above=0.1, allow_missing=True).blind(both)


HERE = Environment("a CPU", 2, 2**30, "Linux", "CPython 3.12", "0.3.0", {}, None, None)


def told(old, new, *environments):
    return [
        (each.what, each.names, each.old, each.new) for each in besides(old, new, *environments)
    ]


def test_what_differs_besides_is_said_and_nothing_else():
    assert told(OLD, OLD) == []
    both = OLD.with_columns(
        harness=pl.lit("nqbench 0.3.0, Python CPython 3.12.1"),
        backend_version=pl.lit("python-sat 1.8"),
        backend_build=pl.lit("GCC 12, 012345"),
    )
    assert told(both, both) == []
    new = both.with_columns(
        harness=pl.lit("nqbench 0.4.0, Python CPython 3.13.0"),
        encoding_version=pl.lit("nqbench 0.4.0"),
        backend_version=pl.when(backend="c")
        .then(pl.lit("python-sat 1.8"))
        .otherwise(pl.lit("python-sat 1.9")),
        backend_build=pl.lit("GCC 13, 6789ab"),
        machine=pl.lit("another machine"),
        time_limit_s=pl.lit(20.0),
        solver_seed=pl.lit(1234567, pl.Int64),
    )
    assert told(both, new) == [
        ("solver version", ("a", "b"), ("python-sat 1.8",), ("python-sat 1.9",)),
        ("build", ("c",), ("GCC 12, 012345",), ("GCC 13, 6789ab",)),
        ("nqbench", (), ("0.3.0",), ("0.4.0",)),
        ("Python", (), ("CPython 3.12.1",), ("CPython 3.13.0",)),
        ("machine", (), ("a machine",), ("another machine",)),
        ("time limit", (), ("10 s",), ("20 s",)),
        ("solver seed", (), ("none",), ("1234567",)),
    ]


def test_files_of_plugins_are_compared_where_both_sides_have_their_digests():
    old, new = (
        replace(HERE, sources={"encoding e": digest, "encoding other": digest}) for digest in "xy"
    )
    one, other = (OLD.with_columns(environment_id=pl.lit(each.id)) for each in (old, new))
    known = {old.id: old}, {new.id: new}
    assert told(one, other, known) == [("files", ("encoding e",), ("x",), ("y",))]
    assert told(one, one, ({old.id: old}, {old.id: old})) == []
    assert told(one, other, ({}, {new.id: new})) == []
    both = compared(one, other, environments=known)
    assert json.loads(json.dumps(document(both, GATE)["besides"]))[0]["names"] == ["encoding e"]
    assert tables.besides(both) == ["files of encoding e (x in OLD, y in NEW)"]
