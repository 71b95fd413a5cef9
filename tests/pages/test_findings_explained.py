"""Each sentence of findings has a row on the page about statistics, which says what carries it."""

import re
from dataclasses import fields
from functools import partial

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
RECORDS = {
    **{f"typical: {name}": records for name, records in typical_stores.STORES.items()},
    **worded_facts.CASES,
    **{name: partial(nqbench.read, REFERENCE / name / "records.csv") for name in CAMPAIGNS},
}


@pytest.fixture(scope="module")
def said():
    """The findings about each of these records."""
    counters = campaign(a=times(1), b=times(3)).with_columns(
        conflicts=(pl.col("solve_s") * 1e4).cast(pl.Int64)
    )
    found = {name: nqbench.findings(records()) for name, records in RECORDS.items()}
    return found | {"counters": nqbench.findings(counters, "conflicts")}


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


def test_every_sentence_is_explained(said):
    unexplained_in = {name: unexplained(findings) for name, findings in said.items()}
    assert {name: found for name, found in unexplained_in.items() if found} == {}
    assert unexplained(["The moon is full.", "a is the winner of 40 of 60 boards."])


def test_every_row_explains_a_sentence(said):
    every = [
        each.replace("\N{NO-BREAK SPACE}", " ")
        for findings in said.values()
        for each in sentences(findings)
    ]
    for row in ROWS:
        assert any(pattern.search(each) for pattern in patterns(row) for each in every), row[0]


def test_what_carries_a_sentence_exists():
    nothing = frame.of([])
    of_tables = (summary.comparisons, summary.stability, summary.schemes, summary.overview)
    columns = {name for of in of_tables for name in of(nothing).columns}
    columns |= {field.name for field in fields(Record)} | {"total_s"}
    assert {name for _, carrier in ROWS for name in re.findall(r"`(\w+)`", carrier)} <= columns
