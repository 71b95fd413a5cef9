"""What is decided of records of known kinds, and the sentence of each kind of fact."""

import ast
from functools import cache

import numpy as np
import polars as pl
import pytest
import worded_facts
from made_records import campaign, names, one_fact, raced_by_three
from places import REFERENCE, ROOT
from worded_facts import lognormal, mixed_with, two_of_one

import nqbench
from nqbench import summary
from nqbench.summary.findings import in_brief
from nqbench.summary.power import is_hopeless, problems_needed
from nqbench.summary.recommendation import recommend


@cache
def reference(name):
    return nqbench.read(REFERENCE / name / "records.csv")


def test_the_sentences_are_those_that_were_read():
    """If a difference is right: python tests/helpers/worded_facts.py, and read it."""
    assert worded_facts.written() == worded_facts.GOLDEN.read_text()


def test_each_kind_of_fact_was_read():
    """In that text, or in that of typical stores."""
    folder = ROOT / "nqbench" / "summary" / "findings"
    calls = (
        node
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Fact"
    )
    kinds = {node.args[0].id for node in calls} - {"write"}
    assert len(kinds) > 25
    assert kinds <= worded_facts.kinds()


def test_a_clear_winner_of_many():
    records = reference("campaign")
    lead = one_fact(records, "lead").found.standings
    assert lead.best == "pairwise x minisat22"
    assert lead.par2_s == pytest.approx(0.0031, rel=0.02)
    assert lead.rivals[0].name == "alo-row x minisat22"
    slower = one_fact(records, "slower_than_first")
    assert (len(slower.rivals), lead.combinations - 1) == (27, 29)
    least = min(slower.ratios.values(), key=lambda ratios: ratios.typical or 1e9)
    assert least.typical == pytest.approx(2.1, abs=0.05)
    undecided = one_fact(records, "undecided_with_first")
    assert {"alo-row x minisat22", "pairwise x glucose4"} <= {*names(undecided.rivals)}


def test_the_typical_and_the_average_winner_disagree():
    fact = one_fact(reference("transition"), "typically_faster")
    assert (fact.rival.name, fact.first) == ("pairwise x glucose4", "pairwise x cadical195")
    assert (fact.rival.ahead, fact.rival.problems) == (1186, 1823)
    ratios = fact.ratios
    assert (ratios.typical, ratios.low, ratios.high) == pytest.approx((0.85, 0.82, 0.87), abs=5e-3)
    assert (ratios.mean, ratios.mean_low, ratios.mean_high) == pytest.approx((1.7, 1.5, 1.9), 0.04)


@pytest.mark.parametrize(("problems", "most"), [(200, 1.1), (60, 2.0)])
def test_equals(problems, most):
    base = lognormal(1, 1.0, 200)
    noise = np.random.default_rng(2).lognormal(0, 0.3, 200)
    other = (base * noise).clip(1e-4, 9.9).tolist()
    fact = one_fact(campaign(A=base[:problems], B=other[:problems]), "no_difference")
    assert max(fact.ratios.high, 1 / fact.ratios.low) <= most
    assert fact.rival.needed[0] > problems


def test_too_few_before_measuring():
    """23 problems for one that is twice as fast, 70 for one that is 30 % faster."""
    assert [round(problems_needed(ratio, 2)) for ratio in (0.5, 0.7)] == [23, 70]


def test_many_combinations():
    assert is_hopeless(7, 10)
    assert not is_hopeless(30, 60)
    fact = one_fact(reference("hard").filter(family="torus"), "can_find")
    assert (fact.combinations, fact.problems) == (10, 7)


@pytest.mark.parametrize(("more", "less", "decides"), [(8, 0, True), (7, 1, False), (8, 1, False)])
def test_one_solves_more(more, less, decides):
    """Eight against one has p = 0.039 by itself, but above 0.05 with the other question."""
    fact = one_fact(mixed_with(more, less), "solves_alone")
    assert (fact.rival.only_first, fact.rival.only_it, fact.rival.problems) == (more, less, 60)
    assert (fact.rival.verdict, fact.rival.solves) == ("undecided", "less" if decides else "")
    assert (fact.rival.p_solved < 0.05) == decides


def test_an_interval_of_one_number_is_left_out():
    base = lognormal(8, 0.5, 12)
    ratios = one_fact(
        campaign(A=base, B=[1.25 * t for t in base]), "typically_and_on_average"
    ).ratios
    assert (ratios.low, ratios.typical, ratios.high, ratios.mean) == pytest.approx((1.25,) * 4)


def test_an_average_of_three_that_rests_on_one_problem():
    base = lognormal(9, 0.5, 24, 0.001)
    records = campaign(A=[9.0, *base[1:]], B=[5 * t for t in base], C=[6 * t for t in base])
    fact = one_fact(records, "typically_faster")
    assert (fact.first, fact.rival.name, fact.rival.ahead) == ("e x B", "e x A", 23)
    assert not fact.is_second
    assert (fact.ratios.typical, fact.ratios.mean_without) == pytest.approx((0.2, 0.2))
    assert fact.ratios.mean > 10


def test_what_to_use_where_typical_and_average_disagree():
    found = recommend(summary.Measured(reference("transition")), "solve_s")
    assert found.name == "pairwise x cadical195"
    (other,) = (text.replace("\xa0", " ") for text in found.others)
    assert other.startswith("pairwise x glucose4 for the typical board (0.85 ")
    assert "1186 of 1823" in other


@pytest.mark.parametrize(("encode_s", "cheaper"), [(0.1, "alo-row"), (10.0, "pairwise")])
def test_equal_formulas(encode_s, cheaper):
    records = two_of_one(encode_s)
    fact = one_fact(records, "same_formulas")
    assert {fact.best, *fact.others} == {"pairwise x a", "alo-row x a"}
    assert fact.in_order
    ratios, is_first, _ = fact.cheaper
    assert (fact.best if is_first else fact.others[0]) == f"{cheaper} x a"
    assert (ratios.typical > 1) == is_first
    assert in_brief(summary.Measured(records), "solve_s", None)[0] == fact.text
    assert recommend(summary.Measured(records), "solve_s").name == f"{cheaper} x a"


def test_a_terminal_says_which_encoding_gives_the_clauses_of_ones_own():
    """Also after a race, whose first sentence is about the leader."""
    of_race = raced_by_three().with_columns(
        encoding=pl.lit("bimander"),
        clauses=10 * pl.col("n"),
        instance_digest=pl.format("d{}", "n"),
    )
    for name in ("mine.py:amo", "other"):
        records = pl.concat([of_race, of_race.with_columns(encoding=pl.lit(name))])
        said = " ".join(in_brief(summary.Measured(records), "solve_s", None))
        expected = "bimander and mine.py:amo give the same clauses."
        assert (expected in said) == (name == "mine.py:amo"), said
