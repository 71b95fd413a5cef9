"""What is missing in one of two campaigns is listed, and fails a gate."""

import sys

import polars as pl
import pytest
from made_records import DONE, campaign, table

import nqbench as library
from nqbench import summary
from nqbench.addons.compare import changes
from nqbench.addons.compare.gate import Gate, compared
from nqbench.addons.compare.missing import missing
from nqbench.cli.options.shared_options import unique_names
from nqbench.problems.base import title
from nqbench.summary.observed import TITLE

GOOD = """#!{python} -ISs
import sys
if "--version" in sys.argv:
    sys.exit(print("solver 1.0"))
probed = open(sys.argv[-1]).readline().startswith("p cnf 2 ")
true = [1, 2] if probed else [2, 8, 9, 15]
print("s SATISFIABLE")
print("v", *(v if v in true else -v for v in range(1, (2 if probed else 16) + 1)), 0)
sys.exit(10)
"""
"""It solves the probe, and 4 queens."""

BAD = "#!/bin/sh\necho 's UNKNOWN'\n"


def program(path, text):
    path.write_text(text.format(python=sys.executable))
    path.chmod(0o755)


def gated(nqbench, *arguments):
    return nqbench("compare", "old", "new", "--fail-on-change", *arguments)


def run(nqbench, results, *backends):
    words = ["--n", 4, "--encoding", "pairwise", "--backend", ",".join(backends), "--repeat", 1]
    return nqbench("run", *words, "--no-plots", "--results", results)


def test_a_build_that_no_longer_works_fails_the_gate(nqbench, tmp_path):
    """The same name, another program."""
    program(tmp_path / "solver", GOOD)
    assert run(nqbench, "old", "exe:./solver", "minisat22").returncode == 0
    program(tmp_path / "solver", BAD)
    done = run(nqbench, "new", "exe:./solver", "minisat22")
    assert done.returncode == 1
    assert "exe:./solver could not run: " in done.stderr
    assert gated(nqbench).returncode == 1
    assert gated(nqbench, "--allow-missing").returncode == 0
    only = ["--where", "backend = 'minisat22'"]
    assert gated(nqbench, *only).returncode == 0
    shown = nqbench("compare", "old", "new")
    assert shown.returncode == 0
    (row,) = [line for line in shown.stdout.splitlines() if "unavailable" in line]
    states = ["1", "queens", "n=4", "measured", "unavailable"]
    assert row.split() == ["missing", "solver", "pairwise", "exe:./solver", *states]
    assert "self-test failed: got 'unknown'" in shown.stdout


def test_a_build_of_another_name_that_does_not_work_fails_the_gate(nqbench, tmp_path):
    program(tmp_path / "good", GOOD)
    program(tmp_path / "bad", BAD)
    assert run(nqbench, "old", "exe:./good", "minisat22").returncode == 0
    assert run(nqbench, "new", "exe:./bad", "minisat22").returncode == 1
    assert gated(nqbench).returncode == 1


def test_where_nothing_is_in_common_the_gate_says_what_is_missing(nqbench, tmp_path):
    program(tmp_path / "solver", GOOD)
    run(nqbench, "old", "exe:./solver")
    program(tmp_path / "solver", BAD)
    assert run(nqbench, "new", "exe:./solver").returncode == 2
    done = gated(nqbench)
    assert done.returncode == 1
    assert "unavailable" in done.stdout
    for ungated in (nqbench("compare", "old", "new"), gated(nqbench, "--allow-missing")):
        assert ungated.returncode == 2
        assert "unavailable" in ungated.stdout
        assert "nothing to compare" in ungated.stderr


def test_a_name_beside_all_is_not_lost():
    assert unique_names(["all,exe:./bad"], None, lambda: ["a", "b"]) == ["a", "b", "exe:./bad"]
    assert unique_names(["b", "ALL"], None, lambda: ["a", "b"]) == ["b", "a"]


@pytest.mark.parametrize("by_option", [False, True])
def test_what_a_campaign_file_names_has_to_run_unless_an_option_replaces_it(
    nqbench, tmp_path, by_option
):
    lines = ["[[campaign]]", 'n = "4"', 'encoding = ["pairwise"]', "repeat = 1"]
    lines.append('backend = ["minisat22", "exe:nosuch"]')
    (tmp_path / "campaign.toml").write_text("\n".join(lines))
    instead = ["--backend", "minisat22"] if by_option else ["--allow-program", "exe:nosuch"]
    done = nqbench("run", "campaign.toml", "--no-plots", *instead)
    assert done.returncode == (0 if by_option else 1)


def test_python_warns_of_what_could_not_run():
    with pytest.warns(UserWarning, match="exe:nosuch could not run: no program 'nosuch'"):
        records = library.run(4, encodings="pairwise", backends="minisat22,exe:nosuch", repeat=1)
    assert dict(records.select("backend", "outcome").rows()) == {
        "minisat22": "finished",
        "exe:nosuch": "unavailable",
    }


def with_outcome(records, outcome, message="", **where):
    chosen = pl.all_horizontal(pl.col(name) == value for name, value in where.items())
    return records.with_columns(
        outcome=pl.when(chosen).then(pl.lit(str(outcome))).otherwise("outcome"),
        message=pl.when(chosen).then(pl.lit(message)).otherwise("message"),
    )


FOUR = campaign(a=[1, 2, 3, 4], b=[1, 2, 3, 4])


def found(old, new):
    columns = ["backend", "old", "new", "problems", "runs", "example"]
    return missing(old, new).select(columns).rows()


def test_campaigns_of_the_same_runs_lack_nothing():
    assert missing(FOUR, FOUR).is_empty()
    assert missing(FOUR, FOUR.reverse()).is_empty()
    other_seed = FOUR.with_columns(solver_seed=pl.lit(7, pl.Int64), seed=pl.lit(3, pl.Int64))
    assert missing(FOUR, other_seed).is_empty()


def test_a_combination_a_problem_and_a_repeat_that_one_side_lacks_are_told_apart():
    without_b = FOUR.filter(backend="a")
    assert found(FOUR, without_b) == [("b", "measured", "no combination", 4, 4, "queens n=4")]
    assert found(without_b, FOUR) == [("b", "no combination", "measured", 4, 4, "queens n=4")]
    smaller = FOUR.filter((pl.col("backend") == "b") | (pl.col("n") < 6))
    assert found(FOUR, smaller) == [("a", "measured", "no problem", 2, 2, "queens n=6")]
    repeats = [FOUR.with_columns(repeat=pl.lit(i, pl.Int64)) for i in range(3)]
    fewer = pl.concat([repeats[0], *(each.filter(backend="b") for each in repeats[1:])])
    assert found(pl.concat(repeats), fewer) == [("a", "measured", "no repeat", 4, 8, "queens n=4")]
    other_task = FOUR.with_columns(task=pl.lit("all"))
    assert [row[1:4] for row in found(FOUR, other_task)] == [
        ("measured", "no problem", 4),
        ("no problem", "measured", 4),
    ] * 2


@pytest.mark.parametrize("outcome", ["unavailable", "invalid", "crashed", "skipped"])
def test_a_run_that_one_side_did_not_measure_is_listed_with_the_reason(outcome):
    lost = with_outcome(FOUR, outcome, "why not", backend="b", n=5)
    assert found(FOUR, lost) == [("b", "measured", outcome, 1, 1, "queens n=5")]
    assert found(lost, FOUR) == [("b", outcome, "measured", 1, 1, "queens n=5")]
    for pair in ((FOUR, lost), (lost, FOUR)):
        assert missing(*pair)["why"].to_list() == ["why not"]


def test_what_neither_side_measured_is_listed_unless_both_skipped_it():
    skipped = with_outcome(FOUR, "skipped", backend="b", n=7)
    assert found(skipped, skipped) == []
    for outcome in ("unavailable", "invalid", "crashed"):
        lost = with_outcome(FOUR, outcome, backend="b", n=7)
        assert found(lost, lost) == [("b", outcome, outcome, 1, 1, "queens n=7")]
        assert found(skipped, lost) == [("b", "skipped", outcome, 1, 1, "queens n=7")]


def test_a_run_at_its_limit_was_measured():
    late = campaign(a=[1, None], b=[None, None])
    assert found(late, campaign(a=[1, 2], b=[1, None])) == []


def test_a_run_that_was_measured_in_one_of_several_records_was_measured():
    twice = pl.concat([with_outcome(FOUR, "unavailable", backend="b"), FOUR])
    assert found(FOUR, twice) == found(twice, FOUR) == []


def test_problems_without_a_size_are_matched_by_their_names():
    formulas = table((None, DONE, 1.0), (None, DONE, 2.0)).with_columns(
        family=pl.lit("cnf"), instance=pl.Series(["x.cnf", "y.cnf"])
    )
    assert missing(formulas, formulas).is_empty()
    (row,) = found(formulas, formulas.filter(instance="x.cnf"))
    assert row[1:] == ("measured", "no problem", 1, 1, "y.cnf")
    changed = changes.changes(formulas.with_columns(clauses=1), formulas.with_columns(clauses=2))
    assert changed["example"].to_list() == ["x.cnf"]


def test_names_of_problems_are_those_of_other_tables():
    rows = [("queens", 8, ""), ("torus", 8, "3"), ("cnf", None, "x.cnf")]
    schema = {"family": pl.String, "n": pl.Int64, "instance": pl.String}
    named = pl.DataFrame(rows, schema=schema, orient="row").select(TITLE)["title"]
    assert named.to_list() == [title(*row) for row in rows]


def test_only_what_was_named_and_never_measured_never_ran():
    """Encodings are left out where their backend explains it."""
    lost = with_outcome(FOUR, "unavailable", "broken", backend="b")
    assert summary.never_ran(lost, ["e"], ["a", "b"]) == {"b": "broken"}
    assert summary.never_ran(lost, ["e"], ["a"]) == {}
    assert summary.never_ran(lost.filter(backend="b"), ["e"], ["b"]) == {"b": "broken"}
    assert summary.never_ran(lost.filter(backend="b"), ["e"], []) == {"e": "broken"}
    partly = with_outcome(FOUR, "unavailable", "broken", backend="b", n=4)
    assert summary.never_ran(partly, ["e"], ["a", "b"]) == {}


def test_an_answer_that_became_wrong_is_a_change():
    wrong = FOUR.with_columns(
        verdict=pl.when(backend="b").then(pl.lit("refuted")).otherwise("verdict")
    )
    columns = ["quantity", "backend", "runs", "old", "new"]
    assert changes.changes(FOUR, wrong).select(columns).rows() == [
        ("answer", "b", 4, "sat", "refuted sat")
    ]


def test_a_gate_on_changes_that_shares_no_seed_is_not_green(nqbench):
    for results, seed in (("old", 1), ("new", 2)):
        words = ["--n", "4..5", "--encoding", "pairwise", "--backend", "minisat22", "--repeat", 1]
        nqbench("run", *words, "--seed", seed, "--no-plots", "--results", results)
    done = nqbench("compare", "old", "new", "--fail-on-change")
    assert done.returncode == 2
    assert "no run with the same seed" in done.stderr
    assert nqbench("compare", "old", "new").returncode == 0


def passes(gate, old, new):
    return not gate.failures(compared(old, new))


def test_each_part_of_the_gate_trips_on_its_own_difference_only():
    """Ten boards: one combination of three is slower, lost a board, has other counts, or lacks one.

    If all of ten boards agree, p is 2 / 2^10 = 0.002, times three combinations.
    """
    old = campaign(**{name: [float(n) for n in range(1, 11)] for name in "abc"})
    of_c = pl.col("backend") == "c"
    slower = old.with_columns(
        solve_s=pl.when(of_c).then(2 * pl.col("solve_s")).otherwise("solve_s")
    )
    changed = old.with_columns(clauses=pl.col("clauses") + (pl.col("n") == 8))
    late = campaign(**{name: [float(n) for n in range(1, 11)] for name in "ab"}, c=[None] * 10)
    lost = pl.concat([old.filter(~of_c | (pl.col("n") != 8)), late.filter(of_c, n=8)])
    fewer = old.filter(~of_c | (pl.col("n") != 8))
    gates = {
        "open": Gate(),
        "above 150 %": Gate(above=1.5),
        "above 50 %": Gate(above=0.5),
        "change": Gate(on_change=True),
        "both, allowed": Gate(above=0.5, on_change=True, allow_missing=True),
    }
    tripped = {
        what: [name for name, gate in gates.items() if not passes(gate, old, new)]
        for what, new in {
            "same": old,
            "slower": slower,
            "changed": changed,
            "lost": lost,
            "fewer": fewer,
        }.items()
    }
    assert tripped == {
        "same": [],
        "slower": ["above 50 %", "both, allowed"],
        "changed": ["change", "both, allowed"],
        "lost": ["above 150 %", "above 50 %", "change", "both, allowed"],
        "fewer": ["above 150 %", "above 50 %", "change"],
    }
