"""Untrusted stores and exports are used only if nqbench could have written every row. Otherwise
they are refused in one line, and an existing store is not harmed.
"""

import contextlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace

import polars as pl
import pytest
from databases import database, loosen
from made_records import RECORD, RUN, record_of

from nqbench.common.errors import InputError, NqbenchError, StoreError
from nqbench.common.vocabulary import Answer, Outcome
from nqbench.problems.queens import Queens
from nqbench.records import formats, frame, sources
from nqbench.records.merging import merge
from nqbench.records.record import Record
from nqbench.records.store import Store
from nqbench.summary import disagreements


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good" / "nqbench.db"
    with Store(path) as store:
        store.add(record_of(8))
    return path


@pytest.fixture
def foreign(tmp_path, good):
    """A copy of the good store with n = 9 in its rows and without column types."""
    path = tmp_path / "foreign.db"
    shutil.copy(good, path)
    loosen(path, "records")
    with database(path) as db:
        db.execute("UPDATE records SET n = 9, run_id = ?", ["f" * 32])
    return path


def test_without_a_flaw_it_is_merged(good, foreign):
    with Store(good) as store:
        assert merge(store.path, [foreign]) == [(1, 0)]
        assert sorted(store.frame()["n"]) == [8, 9]


SCHEMAS = {
    "a view": "DROP TABLE sessions; CREATE VIEW sessions AS SELECT 1 AS started_at, '' AS facts",
    "records that are an endless view": """
        DROP TABLE records;
        CREATE VIEW records AS WITH RECURSIVE forever(run_id) AS
        (SELECT 1 UNION ALL SELECT run_id + 1 FROM forever) SELECT run_id FROM forever
    """,
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END",
    "an index": "CREATE INDEX i ON records (hex(zeroblob(n)))",
    "a virtual table": "CREATE VIRTUAL TABLE v USING fts5(a)",
    "a computed column": "ALTER TABLE records ADD COLUMN extra AS (hex(zeroblob(n)))",
    "a missing column": "ALTER TABLE records DROP COLUMN solve_s",
    "a missing table": "DROP TABLE sessions",
    "a version below zero": "PRAGMA user_version = -1",
    "no environment": "INSERT INTO environments VALUES ('x', '{')",
    "another environment": "INSERT INTO environments VALUES ('x', '[1, 2]')",
    "another session": "INSERT INTO sessions VALUES (1.0, '{\"command\": 3}')",
}


@pytest.mark.parametrize("script", SCHEMAS.values(), ids=SCHEMAS)
def test_another_schema_is_refused_and_harms_nothing(good, foreign, script):
    with database(foreign) as db:
        db.executescript(script)
    before = good.read_bytes()
    with Store(good) as store, pytest.raises(NqbenchError, match=foreign.name) as caught:
        merge(store.path, [foreign])
    assert len(str(caught.value)) < 400
    assert good.read_bytes() == before
    with Store(good) as store:
        assert store.frame()["n"].to_list() == [8]
        assert store.recorded([record_of(8).run_id]) == {record_of(8).run_id}


def test_the_tables_are_strict_so_that_nothing_else_can_be_written(good):
    if sqlite3.sqlite_version_info < (3, 37):
        pytest.skip("this SQLite has no strict tables")
    with database(good) as db, pytest.raises(sqlite3.IntegrityError, match="cannot store TEXT"):
        db.execute("UPDATE records SET n = 'abc'")


def test_a_row_that_a_strict_store_cannot_hold_is_named_and_its_store_left_alone(tmp_path):
    from databases import FIRST_SCHEMA

    path = tmp_path / "old.db"
    with database(path) as db:
        db.executescript(FIRST_SCHEMA)
        db.execute("UPDATE records SET conflicts = 'many'")
        before = list(db.iterdump())
    with pytest.raises(StoreError, match=r"old\.db.*conflicts"):
        Store(path)
    with pytest.raises(StoreError, match=r"old\.db.*conflicts"):
        Store(path, read_only=True)
    with database(path) as db:
        assert list(db.iterdump()) == before


def test_a_signal_ends_a_query_that_takes_for_ever(foreign):
    """For any schema, signal handlers run during a query."""
    code = f"""
import sys
from pathlib import Path
from nqbench.records import store_file
db = store_file.for_reading(Path({str(foreign)!r}))
print("begun", flush=True)
db.execute("WITH RECURSIVE f(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM f) SELECT count(*) FROM f")
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        last = process.communicate(timeout=120)[1].splitlines()[-1]
    assert "KeyboardInterrupt" in last or "interrupted" in last


@pytest.mark.parametrize(
    ("name", "value"), [("solve_s", float("inf")), ("n", 10**9), ("verdict", "proved")]
)
def test_another_value_in_a_parquet_file_is_refused(tmp_path, name, value):
    """In `test_gate` are other exports, and more values."""
    table = frame.of([record_of(8)]).with_columns(pl.lit(value, frame.schema()[name]).alias(name))
    path = tmp_path / "records.parquet"
    path.write_bytes(formats.to_parquet(table))
    with pytest.raises(InputError, match=r"records\.parquet"):
        sources.read(str(path))


@pytest.mark.parametrize("name", ["n", "queens"])
def test_a_column_of_another_type_is_refused(tmp_path, name):
    path = tmp_path / "records.parquet"
    held = pl.struct(a=pl.lit(1)).alias(name)
    path.write_bytes(formats.to_parquet(frame.of([record_of(8)]).with_columns(held)))
    with pytest.raises(InputError, match=f"{name} is of type Struct"):
        sources.read(str(path))


def test_damaged_parquet_is_refused(tmp_path):
    """Polars ends with a Rust panic on some of these, or ends its process. Each starts one."""
    path, chance = tmp_path / "records.parquet", random.Random(1)
    content = formats.to_parquet(frame.of([record_of(n) for n in range(4, 40)]))
    for _ in range(6):
        damaged = bytearray(content)
        for _ in range(chance.randrange(1, 6)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        path.write_bytes(damaged[: chance.choice([len(content), chance.randrange(len(content))])])
        with contextlib.suppress(InputError):
            sources.read(str(path))


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_an_export_of_an_earlier_version_has_fewer_fields(tmp_path, kind):
    table = frame.of([record_of(8), record_of(9)])
    path = tmp_path / f"records.{kind}"
    path.write_bytes(getattr(formats, f"to_{kind}")(table.drop("problem_digest", "density")))
    read = sources.read(str(path))
    assert read.drop("problem_digest").equals(table.drop("problem_digest"))
    assert read["problem_digest"].to_list() == [None, None]


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "'=1+1", "''-", "\t=1", "'quoted'", "", "plain =1"]


def test_no_cell_of_a_csv_is_a_formula_of_a_spreadsheet(tmp_path):
    records = [record_of(n, message=text) for n, text in enumerate(FORMULAS, 4)]
    table = frame.of(records)
    content = formats.to_csv(table)
    cells = pl.read_csv(content, infer_schema=False)["message"].fill_null("")
    assert not cells.str.contains(r"^[=+\-@\t\r]").any()
    assert formats.from_csv(content)["message"].to_list() == FORMULAS


def test_a_terminal_is_shown_no_escape_sequence_of_a_store(good, nqbench):
    with database(good) as db:
        db.execute("UPDATE records SET encoding = char(27) || '[2Jpair', verdict = 'refuted'")
        db.execute("UPDATE records SET message = char(27) || ']0;owned' || char(7)")
    for command in ("summary", "report"):
        done = nqbench(command, "--results", good.parent)
        assert done.returncode == 0, done.stderr
        assert "\x1b" not in done.stdout + done.stderr


def test_boards_of_one_name_are_told_apart_by_what_is_asked(tmp_path):
    one = Queens(4, "completion", placed=((0, 1),), instance="start")
    other = Queens(4, "completion", placed=((0, 0),), instance="start")
    assert one.digest != other.digest
    with Store(tmp_path / "nqbench.db") as store:
        for problem, answer in ((one, Answer.SAT), (other, Answer.UNSAT)):
            run = replace(RUN, problem=problem)
            store.add(
                replace(
                    Record.of(run, "here"), outcome=Outcome.FINISHED, answer=answer, solve_s=0.1
                )
            )
    records = sources.read(str(tmp_path))
    assert disagreements(records).is_empty()
    assert sorted(records["instance"]) == sorted(
        f"start [{problem.digest[:6]}]" for problem in (one, other)
    )
    exported = sources.read_raw(str(tmp_path))
    assert set(exported["instance"]) == {"start"}


def test_records_without_a_digest_keep_their_names(tmp_path):
    table = frame.of([replace(record_of(8), instance="start", problem_digest=None)] * 2)
    assert frame.told_apart(table)["instance"].to_list() == ["start", "start"]


def test_two_campaigns_are_compared_where_they_asked_the_same(tmp_path):
    for name, square in (("old", (0, 1)), ("new", (0, 2))):
        problem = Queens(4, "completion", placed=(square,), instance="start")
        with Store(tmp_path / name / "nqbench.db") as store:
            store.add(Record.of(replace(RUN, problem=problem), "here"))
    old, new = sources.read_together(str(tmp_path / "old"), str(tmp_path / "new"))
    assert not set(old["instance"]) & set(new["instance"])


def test_a_store_that_is_removed_meanwhile_is_noticed(tmp_path):
    path = tmp_path / "results" / "nqbench.db"
    with Store(path) as store:
        store.add(RECORD)
        shutil.rmtree(path.parent)
        with pytest.raises(StoreError, match="was removed or replaced"):
            store.add(record_of(9))


def test_a_campaign_whose_results_are_removed_does_not_say_that_they_are_there(tmp_path):
    command = [sys.executable, "-m", "nqbench", "--n", "4..60", "--results", "results"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "results" / "nqbench.db").exists():
            time.sleep(0.05)
        time.sleep(0.5)
        shutil.rmtree(tmp_path / "results")
        told = process.communicate(timeout=60)[1]
    assert process.returncode == 2
    assert "nqbench.db was removed or replaced" in told
