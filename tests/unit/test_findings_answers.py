"""What was unsolved, unchecked or wrong is said, with its reasons."""

import polars as pl
import pytest
from made_records import BASE, DEAD, DONE, about, campaign, table, times

import nqbench as package
from nqbench.common.vocabulary import Outcome, Verdict
from nqbench.summary.findings.answers import Checks, checked
from nqbench.summary.findings.unsolved import reasons


def test_if_everything_failed_only_that_is_said():
    assert package.findings(campaign(a=[None] * 12, b=[None] * 12)) == [
        "No board was solved by any combination within 10 s: there is nothing to compare. Raise "
        "--time-limit, or take smaller boards.",
        "Solved: 0 of 24 runs of 2 combinations on 12 boards (n = 4 to 15); "
        "24 timed out at 10 s: e x a (12 of 12) and e x b (12 of 12).",
    ]
    assert package.findings(campaign(a=[1]).clear()) == []


def whose_and_why(records):
    return {(whose, why): number for whose, why, number in reasons(records).iter_rows()}


def test_reasons_are_counted_and_the_largest_comes_first():
    spoiled = campaign(a=times(1), b=[None] * 12, c=times(1), d=[None, None, *BASE[2:]])
    backend, n = pl.col("backend"), pl.col("n")
    other = pl.when((backend == "b") & (n < 6)).then(pl.lit(Outcome.MEMOUT))
    other = other.when((backend == "d") & (n == 4)).then(pl.lit(Outcome.SKIPPED))
    found = whose_and_why(spoiled.with_columns(outcome=other.otherwise("outcome")))
    assert found == {
        ("e x b", "timed out"): 10, ("e x b", "ran out of memory"): 2,
        ("e x d", "timed out"): 1, ("e x d", "were skipped"): 1,
    }  # fmt: skip
    assert next(iter(found)) == ("e x b", "timed out")


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (Outcome.UNAVAILABLE, "had no backend"),
        (Outcome.INVALID, "had invalid input"),
        (Outcome.CRASHED, "crashed"),
        (Outcome.MEMOUT, "ran out of memory"),
        (Outcome.SKIPPED, "were skipped"),
    ],
)
def test_every_reason_has_its_words(outcome, reason):
    failed = campaign(b=[None] * 12).with_columns(outcome=pl.lit(outcome))
    assert whose_and_why(pl.concat([campaign(a=times(1)), failed])) == {("e x b", reason): 12}


def test_whether_encoding_or_backend_is_missing_is_said():
    gone = campaign(c=[None] * 12).with_columns(outcome=pl.lit(Outcome.UNAVAILABLE))
    why = pl.lit("encoding 'e' cannot be loaded: No module named 'tri'")
    reason = "had an encoding that does not work here"
    assert whose_and_why(gone.with_columns(message=why)) == {("e x c", reason): 12}
    here = pl.concat([campaign(c=times(1)), gone.with_columns(encoding=pl.lit("tri"))])
    assert whose_and_why(here) == {("tri x c", reason): 12}


def test_one_run_is_not_all_runs():
    found = package.findings(campaign(a=[1.0]))
    assert about(found, "Solved: 1 of 1 run of 1 combination on 1 board")


def test_a_backend_that_is_not_there_is_not_compared():
    gone = campaign(c=[None] * 12).with_columns(outcome=pl.lit(Outcome.UNAVAILABLE))
    found = package.findings(pl.concat([campaign(a=times(1), b=times(2)), gone]))
    assert about(found, "e x a typically takes 0.50 times as long as e x b (on 12 of 12)")


def test_wrong_answers_and_crashes_come_first():
    records = table((4, DONE, 1.0), (5, DONE, 1.0, Verdict.REFUTED), (6, DEAD, None))
    found = package.findings(records)
    assert found[:2] == [
        "1 wrong answer: pairwise x glucose4 (1).",
        "1 crash: pairwise x glucose4 (1).",
    ]
    assert sorted(reasons(records)["why"]) == ["answered wrongly", "crashed"]
    assert Checks.of(records) is None


def test_answers_that_contradict_each_other_are_named_first():
    liar = campaign(b=times(2)).with_columns(
        answer=pl.when(pl.col("n") < 6).then(pl.lit("unsat")).otherwise(pl.lit("sat")),
        verdict=pl.lit("unchecked"),
    )
    found = package.findings(pl.concat([campaign(a=times(1)), liar]))
    assert found[0] == (
        "At least one answer is wrong: queens n=4 is called sat by e x a and unsat by e x b. "
        "The same holds for 1 more board."
    )
    assert Checks.of(pl.concat([campaign(a=times(1)), liar])) is None


def test_what_was_not_checked_is_not_called_right():
    half = pl.when(pl.col("n") < 10).then(pl.lit("unchecked")).otherwise(pl.lit("verified"))
    records = campaign(a=times(1)).with_columns(checked_by=pl.lit("proof"))
    assert Checks.of(records.with_columns(verdict=half)) == Checks(12, {"proof": 6}, is_late=False)
    none = records.with_columns(verdict=pl.lit("unchecked"))
    assert Checks.of(none) == Checks(12, {}, is_late=False)
    later = none.with_columns(message=pl.lit("not checked yet"))
    assert Checks.of(later) == Checks(12, {}, is_late=True)
    assert list(checked(none)) == ["No answer could be checked."]
    assert list(checked(later)) == []
    assert list(checked(later, in_brief=True)) == ["No answer was checked yet."]


LATE_PROOF = "proof not checked: stopped at the time limit of 80 s"


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        (["not checked yet"], "12 are left for later (e x a): run `nqbench check`."),
        (
            [LATE_PROOF, LATE_PROOF, f"{LATE_PROOF}; 1.0 of 3.0 s were spent outside load"],
            "12 proofs reached the time limit of 80 s (e x a): run `nqbench check --proof-time "
            "10m`.",
        ),
        (
            [LATE_PROOF.replace("80", "1e+06"), "proof not checked: longer than 4096 MiB"],
            "6 proofs reached the time limit of 1e+06 s and 6 proofs reached the size limit of "
            "4096 MiB (e x a): run `nqbench check --proof-size 16GiB`.",
        ),
        (
            ["", "not checked: it is unavailable"],
            "6 could not be checked and 6 have no proof (e x a).",
        ),
        (
            ["proof not checked: stopped at the time limit of 1.2.3 s"],
            "12 could not be checked (e x a).",
        ),
    ],
)
def test_reasons_for_unchecked_answers_are_counted_with_what_helps(messages, said):
    records = campaign(a=times(1)).with_columns(
        verdict=pl.lit("unchecked"), message=pl.Series(messages * (12 // len(messages)))
    )
    (found,) = about(package.findings(records), "Unchecked answers")
    assert found == f"Unchecked answers: {said}"
