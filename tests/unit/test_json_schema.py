"""The JSON Schema of a record accepts what is exported, and refuses what a store would refuse."""

import json

import pytest
from jsonschema import Draft202012Validator
from made_records import record_of

from nqbench.records import formats, frame, json_schema
from nqbench.records.columns import OF_RECORDS
from nqbench.records.store_file import SCHEMA_VERSION

DOCUMENT = json_schema.document()
SCHEMA = Draft202012Validator(DOCUMENT)
VALUES = {name: SCHEMA.evolve(schema=of_one) for name, of_one in DOCUMENT["properties"].items()}

SOLVED = record_of(8, queens=[1, 13, 24, 30, 35, 47, 50, 60], environment_id="0" * 16)
MEASURED = record_of(9, measures={"glue": 0.5, "learnt": None})

CANDIDATES = [
    None, "", "a", "a\n", "\0", "x" * 10_000, "x" * 10_001, "finished", "sat", "all", "board",
    "0" * 32, "0" * 31 + "\n", "0" * 32 + "\n", "A" * 32, -1, 0, 1, 10_000, 10_001, 2**63 - 1,
    2**63, -(2**63), 0.5, -0.5, 5e-324, 1e-15, 1e300, True, [], [1, 2], [-1], [2**63], ["1"], {},
]  # fmt: skip


def exported(*records):
    return [json.loads(line) for line in formats.to_jsonl(frame.of(records)).splitlines()]


def test_it_is_a_schema_of_its_draft_and_has_the_version_of_stores():
    Draft202012Validator.check_schema(DOCUMENT)
    assert DOCUMENT["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert DOCUMENT["$id"].rpartition(":")[2] == str(SCHEMA_VERSION)


@pytest.mark.parametrize("records", [[SOLVED], [MEASURED], [SOLVED, MEASURED]])
def test_exported_records_fit(records):
    for row in exported(*records):
        SCHEMA.validate(row)


def test_measured_records_fit_the_schema_in_a_file(nqbench, tmp_path):
    campaign = ("--n", "3..6", "--encoding", "pairwise", "--backend", "minisat22,backtracking")
    assert nqbench("run", *campaign, "--task", "all", "--no-plots").returncode == 0
    rows = nqbench("export", "--format", "jsonl").stdout.splitlines()
    assert nqbench("schema", "--output", "record.schema.json").returncode == 0
    assert json.loads((tmp_path / "record.schema.json").read_text()) == DOCUMENT
    assert len(rows) > 8
    for row in rows:
        SCHEMA.validate(json.loads(row))


@pytest.mark.parametrize("name", OF_RECORDS)
def test_a_value_fits_if_a_store_may_have_it(name):
    for value in CANDIDATES:
        fits = VALUES[name].is_valid(value)
        assert fits == (OF_RECORDS[name].flaw(value) is None), (name, value)


def test_a_record_without_a_column_is_refused():
    (row,) = exported(SOLVED)
    for name in OF_RECORDS:
        assert not SCHEMA.is_valid({other: row[other] for other in row if other != name}), name


@pytest.mark.parametrize(
    ("name", "value"), [("glue", "0.5"), ("glue", True), ("2nd", 1.0), ("glue\n", 1.0), ("ä", 1.0)]
)
def test_other_columns_are_measures(name, value):
    (row,) = exported(SOLVED)
    assert SCHEMA.is_valid(row | {"glue": None, "other_1": 2})
    assert not SCHEMA.is_valid(row | {name: value})
