"""Measures: numbers read from the output of runs, as columns of records, exports and tables."""

import json

import polars as pl
import pytest
from databases import database
from made_records import record_of

import nqbench as library
from nqbench.campaign.grid import Campaign
from nqbench.common.errors import InputError, NqbenchError
from nqbench.common.limits import Limits
from nqbench.isolate import Isolation
from nqbench.measure import validation
from nqbench.measure.user_measures import measured
from nqbench.problems.queens import Queens
from nqbench.records import formats, frame, sources
from nqbench.records.measures import Measure
from nqbench.records.merging import merge
from nqbench.records.record import Record
from nqbench.records.store import Store


@pytest.mark.usefixtures("called_directly")
@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        (r"glue: ([\d.]+)", 2.5),
        (r"^c glue: (\d)", 7.0),
        (r"score: ([^,]+)", -300.0),
        (r"nothing: (\d+)", None),
        (r"glue(, never)?: 2", None),
        (r"=(\d)", None),
    ],
)
def test_the_last_match_counts(pattern, value):
    printed = b"c glue: 7 of 9\nc \0\x1b[2J\xff glue: 2.5\nc score: -3e2, done\n"
    assert measured([f"glue={pattern}"], printed, Isolation()) == ({"glue": value}, [])


@pytest.mark.usefixtures("called_directly")
@pytest.mark.parametrize("printed", [b"glue: fast", b"glue: nan", b"glue: inf", b"glue: 1e999"])
def test_what_is_no_number_is_no_value_and_said(printed):
    values, flaws = measured([r"glue=glue: (\S+)"], printed, Isolation())
    assert values == {"glue": None}
    assert flaws == [f"measure 'glue' found '{printed[6:].decode()}', which is not a number"]


def test_a_regular_expression_that_takes_long_to_compile_is_refused(monkeypatch):
    """Each of its sets of characters takes 10 ms or more, and a campaign has up to 100 measures."""
    limits = Limits(time_s=0.2, memory_bytes=2**30)
    monkeypatch.setattr("nqbench.records.measures.LIMITS", limits)
    with pytest.raises(InputError, match=r"takes more than 0\.2 s to compile"):
        Measure.parse("slow=(?i)(1)" + "[\u0100-\uffff]" * 190)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("glue", "'glue' is not a measure: write NAME=REGEX"),
        ("=(1)", "'' is not a name"),
        ("two words=(1)", "'two words' is not a name"),
        ("glué=(1)", "is not a name"),
        ("conflicts=(1)", "measure 'conflicts' has the name of a column"),
        ("measures=(1)", "has the name of a column"),
        ("total_s=(1)", "has the name of a column"),
        ("glue=(", "measure 'glue': '(': missing ), unterminated subpattern"),
        ("glue=1", "measure 'glue': '1' has no group"),
        (f"glue=({'1' * 1000})", "more than 1000 characters"),
        ("glue=(a{99999999999999})", "measure 'glue'"),
    ],
)
def test_a_wrong_measure_is_refused(text, message):
    with pytest.raises(InputError) as refused:
        Measure.parse(text)
    assert message in str(refused.value)


def test_a_wrong_measure_is_refused_before_the_first_run(nqbench, tmp_path):
    told = nqbench("run", "--n", 4, "--measure", "glue=1")
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert "measure 'glue': '1' has no group" in told.stderr
    assert not (tmp_path / "results").exists()
    with pytest.raises(InputError, match="'1' has no group"):
        library.run(4, measure=["glue=1"])


def test_a_name_is_given_once():
    with pytest.raises(InputError, match="'glue' is given twice"):
        Campaign(problems=[Queens(4)], measures=["glue=(1)", "glue=(2)"])


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_measures_of_an_export_are_read_as_they_were_written(kind):
    """Also if the first hundred rows have none, from which Polars would infer the type."""
    numbers = [*[None] * 101, 1e300, -1e-300, 1 / 3, -0.0, 12345678901234567.0]
    table = pl.concat([frame.of([record_of(4, measures={"glue": 1.0})])] * len(numbers))
    table = table.with_columns(glue=pl.Series(numbers))
    written = {"csv": formats.to_csv, "jsonl": formats.to_jsonl, "parquet": formats.to_parquet}
    read = {"csv": formats.from_csv, "jsonl": formats.from_jsonl, "parquet": formats.from_parquet}
    assert read[kind](written[kind](table)).equals(table)
    # What is no number is no measure, such as a column of a newer nqbench.
    other = table.with_columns(mood=pl.lit("good"))
    assert read[kind](written[kind](other)).columns == table.columns


def test_sources_with_other_measures_are_compared_and_merged(tmp_path):
    for name, measures in (("a", {"glue": 1.0}), ("b", {"size": -2.0}), ("c", None)):
        with Store(tmp_path / f"{name}.db") as store:
            store.add(record_of(8 + ord(name), measures=measures))
    one, other = sources.read_together(str(tmp_path / "a.db"), str(tmp_path / "b.db"))
    assert one.columns == other.columns
    assert (one["glue"].to_list(), other["glue"].to_list()) == ([1.0], [None])
    with Store(tmp_path / "a.db") as store:
        for name in "bc":
            merge(store.path, [tmp_path / f"{name}.db"])
        table = store.frame()
        assert sorted(table.select("glue", "size").rows(), key=str) == [
            (1.0, None), (None, -2.0), (None, None),
        ]  # fmt: skip
        assert store.records(table["run_id"][:1])[0].measures == {"glue": 1.0}


@pytest.fixture(scope="module")
def bad_store(tmp_path_factory):
    path = tmp_path_factory.mktemp("stores") / "bad.db"
    with Store(path) as store:
        store.add(record_of(8, measures={"glue": 1.0}))
    return path


@pytest.mark.parametrize(
    "stored",
    [
        "[1]", "1", "{", '{"glue": "x"}', '{"glue": 1e999}', '{"conflicts": 1}', '{"a b": 1}',
        '{"run_id": 1}', json.dumps({f"m{i}": 1 for i in range(101)}), '{"\x1b[2J": 1}',
    ],
)  # fmt: skip
def test_impossible_measures_in_a_store_are_refused(bad_store, tmp_path, stored):
    with database(bad_store) as db:
        db.execute("UPDATE records SET measures = ?", [stored])
    with Store(bad_store, read_only=True) as store, pytest.raises(NqbenchError, match=r"bad\.db"):
        store.frame()
    with pytest.raises(NqbenchError):
        merge(tmp_path / "ours.db", [bad_store])
    assert not (tmp_path / "ours.db").exists()


def test_a_store_cannot_have_columns_without_end(tmp_path):
    with Store(tmp_path / "nqbench.db") as store:
        for n in range(4, 25):
            store.add(record_of(n, measures={f"m{n}_{i}": 1.0 for i in range(50)}))
        with pytest.raises(InputError, match="more than 1000 measures"):
            store.frame()


@pytest.mark.parametrize(
    "measures", [{"run_id": 1.0}, {"a b": 1.0}, {"glue": float("nan")}, {"glue": float("inf")}]
)
def test_a_record_with_impossible_measures_is_refused(measures):
    record = record_of(8, measures=measures)
    expected = record_of(8)
    assert validation.flaw_of_record(record, expected) is not None
    assert validation.flaw_of_record(record_of(8, measures={"glue": -1.0}), expected) is None
    assert isinstance(expected, Record)
