"""The file of a store: its schema, the program that wrote it, and write access."""

import shutil

import pytest
from databases import FIRST_SCHEMA, FOREIGN, database, files
from made_records import RECORD, RUN

from nqbench.common.errors import InputError, StoreError
from nqbench.records.merging import merge
from nqbench.records.record import COLUMNS
from nqbench.records.store import Store
from nqbench.records.store_file import SCHEMA_VERSION


def test_a_store_of_a_newer_schema_is_left_alone(store):
    with database(store.path) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(StoreError, match="newer nqbench"):
        Store(store.path)


def test_a_file_that_is_no_store_is_left_alone(tmp_path):
    path = tmp_path / "nqbench.db"
    path.write_text("these are not the records that you are looking for" * 100)
    with pytest.raises(StoreError, match=r"nqbench\.db: file is not a database"):
        Store(path)
    assert path.read_text().startswith("these are not")


def test_a_store_of_the_first_schema_is_carried_over(tmp_path):
    path = tmp_path / "nqbench.db"
    with database(path) as db:
        db.executescript(FIRST_SCHEMA)
    db.close()
    with Store(path) as store:
        store.add(RECORD)
    with Store(path) as again:
        old, new = again.frame().sort("started_at", nulls_last=False).to_dicts()
    kept = {"n": 8, "queens": [1, 16], "instance_digest": "abc", "conflicts": 7}
    added = {"task": "first", "instance": "", "nodes": None}
    assert kept | added == {key: old[key] for key in kept | added}
    assert new == {name: getattr(RECORD, name) for name in COLUMNS}


def test_a_store_of_an_earlier_schema_is_read_without_being_changed(tmp_path, store):
    path = tmp_path / "nqbench.db"
    with database(path) as db:
        db.executescript(FIRST_SCHEMA)
    before = files(tmp_path)
    with Store(path, read_only=True) as old:
        (row,) = old.frame().to_dicts()
        assert (row["n"], row["queens"], row["task"], row["density"]) == (8, [1, 16], "first", None)
        assert (old.environments(), old.sessions()) == ([], [])
    assert merge(store.path, [path]) == [(1, 0)]
    assert merge(store.path, [path]) == [(0, 1)]
    assert files(tmp_path) == before


@pytest.mark.parametrize("script", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("read_only", [True, False])
def test_a_database_of_another_program_is_left_as_it_is(tmp_path, store, script, read_only):
    path = tmp_path / "app.db"
    with database(path) as db:
        db.executescript(script)
    before = files(tmp_path)
    with pytest.raises(InputError, match=r"app\.db is a database, but not a store of nqbench"):
        Store(path, read_only=read_only)
    with pytest.raises(InputError, match=r"app\.db is a database"):
        merge(store.path, [path])
    assert files(tmp_path) == before


def test_a_database_that_another_program_is_writing_is_left_as_it_is(tmp_path):
    """What it has written so far is only in its log, and it may have been killed."""
    for folder in ("there", "killed"):
        (tmp_path / folder).mkdir()
    path = tmp_path / "there" / "app.db"
    with database(path) as db:
        db.executescript(FOREIGN["with a log"])
        for file in path.parent.iterdir():
            shutil.copy(file, tmp_path / "killed")
    before = files(tmp_path / "killed")
    assert set(before) == {"app.db", "app.db-wal", "app.db-shm"}
    with pytest.raises(InputError, match=r"app\.db is a database"):
        Store(tmp_path / "killed" / "app.db")
    # Each reader notes in the index how far it has read.
    del before["app.db-shm"]
    assert before.items() <= files(tmp_path / "killed").items()


def test_who_reads_writes_nothing_and_leaves_nothing_behind(tmp_path):
    path = tmp_path / "nqbench.db"
    with Store(path) as store, Store(path, read_only=True) as reading:
        store.add(RECORD)
        assert reading.recorded([RUN.id]) == {RUN.id}
        with pytest.raises(StoreError, match="readonly"):
            reading.add(RECORD)
    before = files(tmp_path)
    assert set(before) == {"nqbench.db"}
    with Store(path, read_only=True) as reading:
        assert reading.recorded([RUN.id]) == {RUN.id}
    assert files(tmp_path) == before
