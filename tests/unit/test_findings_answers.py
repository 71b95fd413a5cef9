"""What was unsolved, unchecked or wrong is said, with its reasons."""

import polars as pl
import pytest
from made_records import BASE, DEAD, DONE, campaign, facts, one_fact, table, times
from worded_facts import contradicting

import nqbench as package
from nqbench.common.vocabulary import Outcome, Verdict
from nqbench.summary.findings.answers import Checks, checked, checked_in_brief
from nqbench.summary.findings.unsolved import reasons
from nqbench.summary.measured import Measured


def test_if_everything_failed_only_that_is_said():
    nothing, solved = facts(campaign(a=[None] * 12, b=[None] * 12))
    assert (nothing.kind, nothing.problem, nothing.limits) == ("nothing_solved", "board", [10.0])
    assert (solved.kind, solved.number) == ("solved", 0)
    assert {*solved.missed.rows()} == {("e x a", "timeout", 12), ("e x b", "timeout", 12)}
    assert package.findings(campaign(a=[1]).clear()) == []


def test_a_longer_limit_is_advised_only_where_one_was_reached():
    wrong = campaign(a=times(1), b=times(1)).with_columns(verdict=pl.lit(Verdict.REFUTED))
    nothing = one_fact(wrong, "nothing_solved")
    assert nothing.limits is None
    assert "--time-limit" not in str(nothing)


def whose_and_why(records):
    return {(whose, why): number for whose, why, number in reasons(records).iter_rows()}


def test_reasons_are_counted_and_the_largest_comes_first():
    spoiled = campaign(a=times(1), b=[None] * 12, c=times(1), d=[None, None, *BASE[2:]])
    backend, n = pl.col("backend"), pl.col("n")
    other = pl.when((backend == "b") & (n < 6)).then(pl.lit(Outcome.MEMOUT))
    other = other.when((backend == "d") & (n == 4)).then(pl.lit(Outcome.SKIPPED))
    found = whose_and_why(spoiled.with_columns(outcome=other.otherwise("outcome")))
    assert found == {
        ("e x b", "timeout"): 10, ("e x b", "memout"): 2,
        ("e x d", "timeout"): 1, ("e x d", "skipped"): 1,
    }  # fmt: skip
    assert next(iter(found)) == ("e x b", "timeout")


@pytest.mark.parametrize("outcome", ["unavailable", "invalid", "crashed", "memout", "skipped"])
def test_every_outcome_is_a_reason(outcome):
    failed = campaign(b=[None] * 12).with_columns(outcome=pl.lit(outcome))
    assert whose_and_why(pl.concat([campaign(a=times(1)), failed])) == {("e x b", outcome): 12}


def test_whether_encoding_or_backend_is_missing_is_said():
    gone = campaign(c=[None] * 12).with_columns(outcome=pl.lit(Outcome.UNAVAILABLE))
    why = pl.lit("encoding 'e' cannot be loaded: No module named 'tri'")
    reason = "no encoding"
    assert whose_and_why(gone.with_columns(message=why)) == {("e x c", reason): 12}
    here = pl.concat([campaign(c=times(1)), gone.with_columns(encoding=pl.lit("tri"))])
    assert whose_and_why(here) == {("tri x c", reason): 12}


def test_one_run_is_not_all_runs():
    assert "1 of 1 run" in one_fact(campaign(a=[1.0]), "solved").text


def test_a_backend_that_is_not_there_is_not_compared():
    gone = campaign(c=[None] * 12).with_columns(outcome=pl.lit(Outcome.UNAVAILABLE))
    records = pl.concat([campaign(a=times(1), b=times(2)), gone])
    fact = one_fact(records, "typically_and_on_average")
    assert (fact.first, fact.rival.name, fact.rival.problems) == ("e x a", "e x b", 12)


def test_wrong_answers_and_crashes_come_first():
    records = table((4, DONE, 1.0), (5, DONE, 1.0, Verdict.REFUTED), (6, DEAD, None))
    wrong, crashed, *_ = facts(records)
    assert (wrong.kind, crashed.kind) == ("wrong_answers", "crashes")
    assert wrong.whose == crashed.whose == {"pairwise x glucose4": 1}
    assert sorted(reasons(records)["why"]) == ["crashed", "wrong"]
    assert Checks.of(Measured(records)) is None


def test_answers_that_contradict_each_other_are_named_first():
    fact, *_ = facts(contradicting())
    assert (fact.kind, fact.problem, fact.others) == ("contradiction", "queens n=4", 1)
    assert fact.answers == {"sat": ["e x a"], "unsat": ["e x b"]}
    assert Checks.of(Measured(contradicting())) is None


def test_what_was_not_checked_is_not_called_right():
    half = pl.when(pl.col("n") < 10).then(pl.lit("unchecked")).otherwise(pl.lit("verified"))
    records = campaign(a=times(1)).with_columns(checked_by=pl.lit("proof"))
    assert Checks.of(Measured(records.with_columns(verdict=half))) == Checks(
        12, {"proof": 6}, is_late=False
    )
    none = records.with_columns(verdict=pl.lit("unchecked"))
    assert Checks.of(Measured(none)) == Checks(12, {}, is_late=False)
    later = none.with_columns(message=pl.lit("not checked yet"))
    assert Checks.of(Measured(later)) == Checks(12, {}, is_late=True)
    assert len(list(checked(Measured(none)))) == 1
    assert list(checked(Measured(later))) == []
    assert "yet" in checked_in_brief(Checks.of(Measured(later)))


LATE_PROOF = "proof not checked: stopped at the time limit of 80 s"
LONG_PROOF = "proof not checked: longer than 4096 MiB"


@pytest.mark.parametrize(
    ("messages", "counts", "command"),
    [
        (["not checked yet"], {(0, ""): 12}, "nqbench check"),
        (
            [LATE_PROOF, LATE_PROOF, f"{LATE_PROOF}; 1.0 of 3.0 s were spent outside load"],
            {(1, "80 s"): 12},
            "nqbench check --proof-time 10m",
        ),
        (
            [LATE_PROOF.replace("80", "1e+06"), LONG_PROOF],
            {(1, "1e+06 s"): 6, (2, "4096 MiB"): 6},
            "nqbench check --proof-size 16GiB",
        ),
        (["", "not checked: it is unavailable"], {(5, ""): 6, (6, ""): 6}, ""),
        (["proof not checked: stopped at the time limit of 1.2.3 s"], {(5, ""): 12}, ""),
    ],
)
def test_reasons_for_unchecked_answers_are_counted_with_what_helps(messages, counts, command):
    """A reason is its place among all, and the limit that was reached."""
    records = campaign(a=times(1)).with_columns(
        verdict=pl.lit("unchecked"), message=pl.Series(messages * (12 // len(messages)))
    )
    fact = one_fact(records, "unchecked_answers")
    assert (fact.counts, fact.whose) == (counts, ["e x a"])
    assert fact.text.partition("`")[2].removesuffix("`.") == command
