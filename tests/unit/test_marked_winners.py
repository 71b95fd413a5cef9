"""What a page marks or recommends is carried by its findings."""

import re

import polars as pl
import pytest
from made_pages import ODD, charts_of, undrawn
from made_records import campaign, encoded
from typical_stores import STORES, race

from nqbench import summary
from nqbench.show.report.blocks import blocks
from nqbench.show.use import Use
from nqbench.summary.measured import Measured
from nqbench.summary.recommendation import recommend

ROW = re.compile(r'<tr data-encoding="(.*?)" data-backend="(.*?)"( class="chosen")?>')
USED = re.compile(r'<h2 id="use[-\d]*">Use (.*?)</h2>')


def marked(page):
    """The combinations of rows in bold."""
    return [f"{encoding} x {backend}" for encoding, backend, chosen in ROW.findall(page) if chosen]


UNDECIDED = {
    **ODD,
    "nothing solved": campaign(a=[None] * 24, b=[None] * 24),
    "one board": campaign(a=[1], b=[2]),
    "three boards": campaign(a=[1, 1, 1], b=[2, 2, 2]),
    "equal": campaign(a=[1] * 24, b=[1] * 24),
    "faster on most and slow on one": campaign(a=[1.0] * 24, b=[0.5] * 23 + [90.0], c=[3.0] * 24),
    "noise": campaign(a=[1, 2] * 12, b=[2, 1] * 12),
}


@pytest.mark.parametrize("records", UNDECIDED.values(), ids=UNDECIDED)
def test_nothing_is_bold_without_a_decision(records):
    assert not [block for block in blocks(records, {}) if block.chosen]


def test_a_page_has_one_winner():
    page = undrawn(campaign(a=[1.0] * 24, b=[2.0] * 24))
    assert marked(page) == ["e x a"] == USED.findall(page)


@pytest.mark.parametrize("store", ["imported", "milliseconds and seconds"])
def test_what_is_bold_is_what_to_use(store):
    page = undrawn(STORES[store]())
    used = [name.removeprefix("file x ") for name in USED.findall(page)]
    assert marked(page)
    for name in marked(page):
        assert name.removeprefix("file x ") in used


def test_the_page_of_a_race_has_its_order():
    page = undrawn(race())
    (headline,) = re.findall(r'<p class="verdict">(.*?)</p>', page)
    rows = [f"{encoding} x {backend}" for encoding, backend, _ in ROW.findall(page)]
    assert f"{rows[0]} leads" in headline
    assert USED.findall(page) == [rows[0]]
    assert marked(page) in ([], [rows[0]])
    assert "PAR-2 of each encoding" not in page
    assert not {"cactus", "heatmap", "ranks", "scatter"} & charts_of(page).keys()


def imported(**times):
    return campaign(**times).with_columns(
        imported_from=pl.lit("theirs.csv"), verdict=pl.lit("unchecked"), checked_by=pl.lit("none")
    )


def test_what_nqbench_cannot_call_is_not_recommended_by_a_command():
    records = imported(gamma=[1.0] * 24, delta=[2.0] * 24)
    measured = Measured(records)
    use = Use.of_recommendation(measured, recommend(measured, "solve_s"))
    assert (use.name, use.lines()) == ("e x gamma", [])
    page = undrawn(records)
    assert USED.findall(page) == ["e x gamma"]
    assert "nqbench use" not in page
    assert "It was imported" in page


def test_contradicting_answers_do_not_hide_the_table():
    records = imported(gamma=[1.0] * 40, delta=[2.0] * 40).with_columns(
        answer=pl.when(pl.col("backend") == "gamma").then(pl.lit("sat")).otherwise(pl.lit("unsat"))
    )
    page = undrawn(records)
    shown, folded = page.split("<details>")[:2]
    assert shown.count("according to") == 6
    assert folded.count("according to") == 74
    assert "74 more answers that contradict each other" in page
    assert "40 boards got answers that contradict each other" in page.replace("\xa0", " ")
    assert summary.disagreements(records).height == 80
    assert "wrong 0" not in page
    assert marked(page) == []
    assert USED.findall(page) == []  # whichever is first may be wrong
    found_wrong = pl.when(pl.col("backend") == "delta").then(pl.lit("refuted"))
    known = undrawn(records.with_columns(verdict=found_wrong.otherwise("verdict")))
    assert "got answers that contradict" not in known  # nor does it count as solved


def test_a_page_says_why_the_first_one_is_not_the_one_to_use():
    slow, fast = encoded(50.0, a=[1.0, 2.0] * 12), encoded(0.1, b=[2.1, 1.0] * 12)
    page = undrawn(pl.concat([slow, fast]))
    assert USED.findall(page) == ["takes-0.1 x b"]
    assert "No difference to takes-50.0 x a was found, and it takes less on average" in page
