"""Comparisons as JSON: everything that the tables have, and what a gate on counters decides."""

import csv
import io
import json
import random
import re

import polars as pl
import pytest
from databases import exported
from jsonschema import Draft202012Validator
from made_records import DONE, LATE, campaign, table
from places import ROOT

from nqbench.addons.compare import schema
from nqbench.addons.compare.document import FORMAT, document
from nqbench.addons.compare.gate import Gate, compared
from nqbench.records import formats

PAGE = (ROOT / "docs" / "addons" / "compare.md").read_text()
TEN = [1.0, 2, 4, 8, 1, 2, 4, 8, 3, 5]
CONFLICTS = [100, 200, 400, 800, 150, 250, 450, 1000, 70, 90]


def counted(conflicts=CONFLICTS):
    """Three combinations on ten boards, with these conflicts."""
    counts = pl.Series(conflicts * 3, dtype=pl.Int64)
    return campaign(a=TEN, b=TEN, c=TEN).with_columns(conflicts=counts)


def one_percent_more(records, chosen):
    """The records, with 1 % more conflicts in those chosen, rounded to whole numbers."""
    more = (pl.col("conflicts") * 1.01).round().cast(pl.Int64)
    return records.with_columns(conflicts=pl.when(chosen).then(more).otherwise("conflicts"))


def _in_csv(value):
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


def written(folder, **campaigns):
    for name, records in campaigns.items():
        (folder / f"{name}.csv").write_bytes(exported(records))


def compare(nqbench, *options, old="old.csv", new="new.csv"):
    return nqbench("compare", old, new, *options)


def test_the_document_has_what_the_tables_show(nqbench, tmp_path):
    old = counted()
    new = one_percent_more(old, pl.col("backend") == "b").with_columns(
        solve_s=pl.when(backend="c").then(3 * pl.col("solve_s")).otherwise("solve_s")
    )
    gone = new.filter((pl.col("backend") != "a") | (pl.col("n") != 13))
    written(tmp_path, old=old, new=gone)
    options = ("--fail-above", "50%", "--fail-on-change")
    tables, printed = (compare(nqbench, *options, *more) for more in ([], ["--json"]))
    assert (tables.returncode, printed.returncode) == (1, 1)
    assert printed.stderr == tables.stderr
    found = json.loads(printed.stdout)
    Draft202012Validator(schema.document()).validate(found)
    assert found["format"] == FORMAT
    assert (found["metric"], found["common_runs"]) == ("solve_s", 29)
    assert (found["old"]["runs"], found["new"]["runs"]) == (30, 29)
    assert found["old"]["machines"] == ["a machine"]
    assert found["machine"] == 1.0
    (missing,) = found["missing"]
    assert (missing["backend"], missing["new"], missing["runs"]) == ("a", "no problem", 1)
    (change,) = found["changes"]
    assert (change["quantity"], change["backend"], change["runs"]) == ("conflicts", "b", 10)
    assert (change["old"], change["new"]) == ("100", "101")
    ratios = {row["backend"]: row for row in found["ratios"]}
    assert {name: row["worse"] for name, row in ratios.items()} == {
        "a": False, "b": False, "c": True
    }  # fmt: skip
    assert ratios["c"]["mean_ratio"] == pytest.approx(3)
    assert ratios["c"]["typical_ratio"] == pytest.approx(3)
    assert ratios["c"]["low"] == pytest.approx(3) == ratios["c"]["high"]
    assert ratios["c"]["p"] < 0.05
    assert found["gate"] == {
        "fail_above": 0.5,
        "fail_on_change": True,
        "fail_blind": None,
        "unseen": pytest.approx(0.5),
        "asks_again": True,
        "allow_missing": False,
        "failed": True,
        "failures": [
            "10 changes of sizes, hashes or counters",
            "1 combination: typically more than 50 % slower",
            "1 run not compared",
        ],
        "nothing_compared": None,
    }


def test_csv_has_the_ratios_of_the_document_and_all_that_changed(nqbench, tmp_path):
    old, new = campaign(a=TEN, b=[1, 2, None]), campaign(a=TEN, b=[3, None, 4])
    written(tmp_path, old=old, new=new)
    options = ("--fail-above", "50%")
    as_csv, as_json = (
        compare(nqbench, *options, *more) for more in (["--format", "csv"], ["--json"])
    )
    assert as_csv.returncode == as_json.returncode == 1
    rows = list(csv.DictReader(io.StringIO(as_csv.stdout)))
    assert [row["what"] for row in rows] == ["lost answer", "unsolved", "solved", "ratio", "ratio"]
    assert (rows[0]["backend"], rows[0]["old"], rows[0]["new"]) == ("b", "sat", "timeout")
    ratios = json.loads(as_json.stdout)["ratios"]
    for row, true in zip(rows[-2:], ratios, strict=True):
        assert row["quantity"] == "solve_s"
        assert {key: row[key] for key in true} == {key: _in_csv(v) for key, v in true.items()}


def test_csv_without_a_ratio_has_its_columns(nqbench, tmp_path):
    written(tmp_path, old=table((4, DONE, 1.0)), new=table((4, LATE, None)))
    printed = compare(nqbench, "--fail-above", "5%", "--format", "csv")
    assert printed.returncode == 1
    head, *rows = printed.stdout.splitlines()
    assert head == (
        "what,quantity,encoding,backend,runs,example,old,new,why,boards,typical_ratio,low,high,"
        "at_least,p,faster,slower,equal,mean_ratio,mean_low,mean_high,rests_on,mean_without,worse,"
        "can_be_decided"
    )
    assert [row.partition(",")[0] for row in rows] == ["lost answer", "unsolved"]


def test_boards_that_only_one_campaign_solved_are_in_the_document():
    old, new = campaign(a=[1, 2, None]), campaign(a=[1, None, 3])
    found = document(compared(old, new), Gate())
    assert [(row["n"], row["change"]) for row in found["solved"]] == [
        (5, "unsolved"),
        (6, "solved"),
    ]
    assert found["ratios"][0]["can_be_decided"] is False
    assert found["ratios"][0]["low"] is None
    json.dumps(found, allow_nan=False)


def test_what_was_not_compared_is_in_the_document_and_the_status_stays(nqbench, tmp_path):
    written(tmp_path, old=table((4, DONE, 1.0)), new=table((4, LATE, None)))
    printed = compare(nqbench, "--fail-above", "5%", "--metric", "solve_s", "--json")
    assert printed.returncode == 1
    written(tmp_path, new=table((4, DONE, 1.0)))
    printed = compare(nqbench, "--fail-above", "5%", "--json")
    assert printed.returncode == 2
    gate = json.loads(printed.stdout)["gate"]
    assert not gate["failed"]
    assert gate["nothing_compared"].startswith("no combination can be found slower")
    assert gate["nothing_compared"] in printed.stderr


def test_the_schema_names_every_key_and_is_one_of_its_draft():
    stated = schema.document()
    Draft202012Validator.check_schema(stated)
    found = document(compared(counted(), counted()), Gate())
    assert list(stated["properties"]) == list(found)
    assert list(stated["properties"]["gate"]["properties"]) == list(found["gate"])


def test_every_key_is_on_the_page():
    """In the order of the document; those of the gate as `gate.NAME`."""
    found = document(compared(counted(), counted()), Gate())
    keys = [*found]
    at = keys.index("gate")
    keys[at : at + 1] = [f"gate.{name}" for name in found["gate"]]
    told = PAGE.partition("| key |")[2].partition("\n\n")[0]
    named = re.findall(r"^\| (.+?) \|", told, re.MULTILINE)[1:]
    assert [name for cell in named for name in re.findall(r"`([\w.]+)`", cell)] == keys


@pytest.mark.parametrize("seed", range(4))
def test_one_percent_of_the_conflicts_trips_the_gate_on_counters(seed):
    """A random combination, or a random record of one. The same records trip nothing."""
    source = random.Random(seed)
    conflicts = [source.randrange(50, 10**6) for _ in TEN]
    old = counted(conflicts)
    chosen = pl.col("backend") == source.choice("abc")
    if seed % 2:
        chosen &= pl.col("n") == source.randrange(4, 14)
    new = one_percent_more(old, chosen)
    gate = Gate(on_change=True)
    assert gate.failures(compared(old, old, "conflicts")) == []
    (failure,) = gate.failures(compared(old, new, "conflicts"))
    assert failure.endswith("of sizes, hashes or counters")


def test_one_percent_trips_a_gate_above_half_a_percent(nqbench, tmp_path):
    old = counted()
    written(tmp_path, old=old, new=one_percent_more(old, pl.col("backend") == "b"))
    options = ("--metric", "conflicts", "--fail-above")
    assert compare(nqbench, *options, "0.5%").returncode == 1
    assert compare(nqbench, *options, "2%").returncode == 0
    assert compare(nqbench, *options, "0.5%", new="old.csv").returncode == 0


def test_an_export_in_json_lines_is_compared_as_well(nqbench, tmp_path):
    old = counted()
    written(tmp_path, old=old)
    lines = formats.to_jsonl(formats.from_csv((tmp_path / "old.csv").read_bytes()))
    (tmp_path / "new.jsonl").write_bytes(lines)
    printed = compare(nqbench, "--fail-on-change", "--json", new="new.jsonl")
    assert json.loads(printed.stdout)["changes"] == []
