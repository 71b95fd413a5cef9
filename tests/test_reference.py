"""The tables that the documentation has by hand say what the code has."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from nqbench import frame
from nqbench.limits import MemoryBy
from nqbench.record import Record, plain_type
from nqbench.summary import comparisons, scaling
from nqbench.vocabulary import Answer, CheckedBy, Outcome, Task, Verdict

DOCS = Path(__file__).parents[1] / "docs"
STATISTICS = (DOCS / "explanation" / "statistics.md").read_text()
RECORDS = (DOCS / "reference" / "records.md").read_text()
TYPES = {int: "int", float: "float", str: "text"}
VOCABULARIES = {
    "task": Task,
    "memory_limit_by": MemoryBy,
    "outcome": Outcome,
    "answer": Answer,
    "verdict": Verdict,
    "checked_by": CheckedBy,
}


def tables(text, first_column):
    """The cells of each row of each table whose first column is called so."""
    for table in re.findall(
        rf"^\| {first_column} \|.*\n\|[- |]+\n((?:\|.*\n)+)", text, re.MULTILINE
    ):
        yield [
            [cell.strip().strip("`") for cell in row[1:-1].split("|")] for row in table.splitlines()
        ]


def test_every_field_of_a_record_is_told_once_with_its_type_and_meaning():
    rows = [row for table in tables(RECORDS, "field") for row in table]
    expected = {field.name: TYPES[plain_type(field.name)] for field in fields(Record)}
    expected["queens"] = "list of int"
    assert {name: kind for name, kind, _ in rows} == expected
    assert len(rows) == len(expected)
    assert all(meaning for _, _, meaning in rows)


@pytest.mark.parametrize("field", VOCABULARIES)
def test_every_value_of_a_vocabulary_is_told_in_its_order(field):
    section = RECORDS.partition(f"### `{field}`\n")[2].partition("\n#")[0]
    (rows,) = tables(section, "value")
    assert [value for value, _ in rows] == [value.value for value in VOCABULARIES[field]]
    assert all(meaning for _, meaning in rows)


def test_every_vocabulary_of_a_record_is_told():
    told = set(re.findall(r"^### `(\w+)`$", RECORDS, re.MULTILINE))
    assert told == set(VOCABULARIES) <= {field.name for field in fields(Record)}


def test_every_column_of_a_summary_is_told():
    told = [
        sorted(name.strip(" `") for names, _ in table for name in names.split(","))
        for table in tables(STATISTICS, "column")
    ]
    nothing = frame.of([])
    assert told == [sorted(of(nothing).columns) for of in (comparisons, scaling)]
