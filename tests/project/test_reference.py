"""Tables written by hand in the documentation agree with the code."""

import re
from dataclasses import fields

import msgspec
import pytest
from places import ROOT

from nqbench.backends.base import Backend
from nqbench.campaign import campaign_file
from nqbench.common.limits import MemoryBy
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Phase, Task, Verdict
from nqbench.encodings.base import Encoding
from nqbench.plugins import backend_names, encoding_names
from nqbench.plugins.parameters import Choice
from nqbench.records import frame
from nqbench.records.record import Record
from nqbench.summary import comparisons, scaling, schemes, stability

DOCS = ROOT / "docs"
STATISTICS = (DOCS / "explanation" / "statistics.md").read_text()
ENCODINGS = (DOCS / "explanation" / "encodings.md").read_text()
SOLVERS = (DOCS / "reference" / "solvers.md").read_text()
CAMPAIGNS = (DOCS / "reference" / "campaigns.md").read_text()
RECORDS = (DOCS / "reference" / "records.md").read_text()
VOCABULARIES = {
    "task": Task,
    "memory_limit_by": MemoryBy,
    "outcome": Outcome,
    "stopped_in": Phase,
    "answer": Answer,
    "verdict": Verdict,
    "checked_by": CheckedBy,
}


def tables(text, first_column):
    """The cells of each row of each table with this heading in its first column."""
    for table in re.findall(
        rf"^\| {first_column} \|.*\n\|[- |]+\n((?:\|.*\n)+)", text, re.MULTILINE
    ):
        yield [
            [cell.strip().strip("`") for cell in row[1:-1].split("|")] for row in table.splitlines()
        ]


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
    assert told == [
        sorted(of(nothing).columns) for of in (comparisons, stability, schemes, scaling)
    ]


def test_every_key_of_a_campaign_file_is_told_with_its_default():
    told = {key: default for table in tables(CAMPAIGNS, "key") for key, _, default in table}
    written = msgspec.structs.fields(campaign_file._Entry)
    assert set(told) == {field.encode_name for field in written}
    for field in written:
        if isinstance(field.default, str | int):
            assert told[field.encode_name] == str(field.default), field.name


def values(parameter):
    """The values as documented: all choices with the default first, or the default number."""
    if isinstance(parameter, Choice):
        assert parameter.choices[0] == parameter.default
        return parameter.choices
    return (str(parameter.default),)


@pytest.mark.parametrize(
    ("page", "components"),
    [
        (ENCODINGS, [Encoding.named(name) for name in encoding_names()]),
        (SOLVERS, [Backend.named(name) for name in backend_names()]),
    ],
    ids=["encodings", "backends"],
)
def test_every_parameter_is_told_with_its_values(page, components):
    told = {
        (name, tuple(re.findall(r"[\w-]+", said)))
        for table in tables(page, "parameter")
        for name, _, said, _ in table
    }
    parameters = [item for component in components for item in component.parameters.items()]
    assert told == {(name, values(parameter)) for name, parameter in parameters}
