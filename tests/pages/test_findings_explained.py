"""Each sentence of findings has a row on the page about statistics, which says what carries it."""

import re
from dataclasses import fields

import polars as pl
import pytest
import typical_stores
import worded_facts
from made_records import campaign, times
from places import REFERENCE, ROOT

import nqbench
from nqbench import summary
from nqbench.records import frame
from nqbench.records.record import Record

PAGE = (ROOT / "docs" / "explanation" / "statistics.md").read_text()
(TABLE,) = re.findall(
    r"^\| sentence \| what carries it \|\n.*?\n\n", PAGE, re.MULTILINE | re.DOTALL
)
ROWS = [line.strip("| ").split(" | ", 1) for line in TABLE.splitlines()[2:] if line]

# What add-ons say of sequences is explained on their own page.
CAMPAIGNS = sorted({path.parent.name for path in REFERENCE.glob("*/records.csv")} - {"sequences"})
FURTHER = {name: records() for name, records in worded_facts.CASES.items()} | {
    "counters": campaign(a=times(1), b=times(3)).with_columns(
        conflicts=(pl.col("solve_s") * 1e4).cast(pl.Int64)
    ),
}


def sentences(findings):
    """The sentences of findings, without the names of their groups."""
    for finding in findings:
        yield from re.split(r"(?<=[.)])\s(?=[A-Z])", finding)


def patterns(row):
    """What the sentences of a row look like: ... stands for a part that differs."""
    for words in re.findall(r"(?<![*\w])\*([^*]+)\*", row[0]):
        parts = (re.escape(part.strip()) for part in words.split("..."))
        yield re.compile(r".+?".join(filter(None, parts)), re.IGNORECASE)


PATTERNS = [pattern for row in ROWS for pattern in patterns(row)]


def unexplained(findings):
    return [
        each
        for each in sentences(findings)
        if not any(pattern.search(each.replace("\N{NO-BREAK SPACE}", " ")) for pattern in PATTERNS)
    ]


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_a_sentence_of_a_reference_campaign_is_explained(name):
    records = nqbench.read(REFERENCE / name / "records.csv")
    assert unexplained(nqbench.findings(records)) == []


@pytest.mark.parametrize("name", typical_stores.STORES)
def test_a_sentence_of_a_typical_store_is_explained(name):
    assert unexplained(nqbench.findings(typical_stores.STORES[name]())) == []


@pytest.mark.parametrize("name", FURTHER)
def test_a_sentence_of_other_records_is_explained(name):
    metric = "conflicts" if name == "counters" else "solve_s"
    assert unexplained(nqbench.findings(FURTHER[name], metric)) == []


def test_a_row_explains_a_sentence_and_a_new_kind_of_sentence_has_none():
    records = [*FURTHER.values(), *(store() for store in typical_stores.STORES.values())]
    records += [
        nqbench.read(REFERENCE / name / "records.csv")
        for name in ("main-job", "re-encoding", "native", "transition")
    ]
    said = [each.replace("\N{NO-BREAK SPACE}", " ")
            for one in records for each in sentences(nqbench.findings(one))]  # fmt: skip
    said += sentences(nqbench.findings(FURTHER["counters"], "conflicts"))
    for row in ROWS:
        assert any(pattern.search(each) for pattern in patterns(row) for each in said), row[0]
    assert unexplained(["The moon is full.", "a is the winner of 40 of 60 boards."])


def test_what_carries_a_sentence_exists():
    nothing = frame.of([])
    of_tables = (summary.comparisons, summary.stability, summary.schemes, summary.overview)
    columns = {name for of in of_tables for name in of(nothing).columns}
    columns |= {field.name for field in fields(Record)} | {"total_s"}
    assert {name for _, carrier in ROWS for name in re.findall(r"`(\w+)`", carrier)} <= columns
