"""The runs that a store keeps so that their answers can be checked, and what else may be there."""

import zlib
from dataclasses import replace

import msgspec
import pytest
from databases import FIRST_SCHEMA, database
from measuring import measure

from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Answer, CheckedBy, Verdict
from nqbench.measure import later_checks
from nqbench.measure.stored_run import pack_run, unpack_run
from nqbench.problems.queens import Queens
from nqbench.records.merging import merge
from nqbench.records.store import Store


def test_the_store_keeps_only_the_runs_of_unchecked_answers(store):
    records = measure(store, [Queens(6, "torus"), Queens(6)], ["cadical195"])
    has_run = {r.answer: store.unchecked_run(r.run_id) is not None for r in records}
    assert has_run == {Answer.UNSAT: True, Answer.SAT: False}
    for record in records:
        store.add(
            replace(record, verdict=Verdict.VERIFIED, checked_by=CheckedBy.PROOF)
        )  # as with --fresh
        assert store.unchecked_run(record.run_id) is None


def test_a_verdict_is_not_given_to_a_record_that_was_measured_meanwhile(store):
    (record,) = measure(store, [Queens(6, "torus")], ["cadical195"])
    run = store.unchecked_run(record.run_id)
    newer = replace(record, started_at=record.started_at + 1)
    store.add(newer, run=run)
    store.set_verdicts([replace(record, verdict=Verdict.REFUTED, checked_by=CheckedBy.PROOF)])
    assert store.unchecked() == [newer]
    assert store.unchecked_run(record.run_id) == run


def test_a_merged_store_can_be_checked(store, tmp_path):
    measure(store, [Queens(6, "torus")], ["cadical195"])
    with Store(tmp_path / "all" / "nqbench.db") as merged:
        assert merge(merged.path, [store.path]) == [(1, 0)]
        (checked,) = later_checks.check(merged)
        assert checked.record.verdict is Verdict.VERIFIED
        assert merge(merged.path, [store.path]) == [(0, 1)]
        assert merged.unchecked_run(checked.record.run_id) is None


def test_a_run_that_cannot_be_one_is_not_merged(store, tmp_path):
    measure(store, [Queens(6, "torus")], ["cadical195"])
    with database(store.path) as db:
        db.execute("ALTER TABLE unchecked RENAME TO strict")
        db.execute("CREATE TABLE unchecked AS SELECT run_id, 'text' AS run FROM strict")
    with Store(tmp_path / "all" / "nqbench.db") as merged:
        with pytest.raises(InputError, match="something other than the run of an unchecked"):
            merge(merged.path, [store.path])
        assert merged.frame().is_empty()


def test_a_terminal_is_shown_no_escape_sequence_of_a_run(nqbench, store):
    measure(store, [Queens(6, "torus")], ["cadical195"])
    with database(store.path) as db:
        db.execute("UPDATE records SET encoding = char(27) || '[2Jpair'")
    told = nqbench("check")
    assert "1 x the run in the store is another one" in told.stdout
    assert "\x1b" not in told.stdout + told.stderr


def test_a_store_without_the_table_gets_it(store):
    (record,) = measure(store, [Queens(6, "torus")], ["cadical195"])
    store.__exit__()
    with database(store.path) as db:
        db.execute("DROP TABLE unchecked")
        db.execute("PRAGMA user_version = 8")
    with Store(store.path, read_only=True) as reading:
        assert reading.unchecked() == [record]
    with Store(store.path) as migrated:
        assert migrated.unchecked() == [record]
        (checked,) = later_checks.check(migrated)
        assert "the store has no run" in checked.check.message
        assert migrated.unchecked() == [record]  # which does not say so


BROKEN = {
    "nothing": (None, "has no run to check it by"),
    "text": ("CAST('run' AS TEXT)", "is broken"),
    "bytes": ("x'00ff'", "is broken"),
    "a bomb": ("(SELECT run FROM bomb)", "it is damaged"),
    "another run": ("(SELECT run FROM other)", "is another one"),
    "no run": ("(SELECT run FROM none)", "is broken"),
}


def test_a_broken_run_has_one_message_and_the_others_are_checked(store, monkeypatch):
    problem = Queens(6, "torus")
    records = measure(store, [problem], ["cadical195"], repeat=1 + len(BROKEN))
    other = replace(unpack_run(store.unchecked_run(records[0].run_id), records[0]), repeat=99)
    blobs = {
        "bomb": zlib.compress(bytes(65 * 2**20)),
        "other": pack_run(records[0], other),
        "none": zlib.compress(msgspec.msgpack.encode({"family": "queens", "problem": {}})),
    }
    with database(store.path) as db:
        db.execute("CREATE TABLE loose AS SELECT * FROM unchecked")
        db.execute("DROP TABLE unchecked")
        db.execute("ALTER TABLE loose RENAME TO unchecked")
        for name, blob in blobs.items():
            db.execute(f"CREATE TABLE {name} (run BLOB)")
            db.execute(f"INSERT INTO {name} VALUES (?)", [blob])
        for record, (value, _) in zip(records, BROKEN.values(), strict=False):
            change = f"UPDATE unchecked SET run = {value}" if value else "DELETE FROM unchecked"
            db.execute(f"{change} WHERE run_id = '{record.run_id}'")
    checked = {each.record.run_id: each.check for each in later_checks.check(store)}
    for record, (_, message) in zip(records, BROKEN.values(), strict=False):
        check = checked[record.run_id]
        assert (check.verdict, message in check.message) == (Verdict.UNCHECKED, True), check
        assert len(check.message) < 300
    assert checked[records[-1].run_id].verdict is Verdict.VERIFIED


def test_a_store_of_an_earlier_schema_says_that_it_cannot_be_checked(nqbench, tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    with database(folder / "nqbench.db") as db:
        db.executescript(FIRST_SCHEMA)
        db.execute("UPDATE records SET answer = 'unsat', verdict = 'unchecked'")
        db.execute("UPDATE records SET checked_by = 'none', queens = NULL")
    told = nqbench("check")
    assert told.returncode == 0
    assert "1 answer: 1 unchecked" in told.stdout
    assert "measure it again with --fresh" in " ".join(told.stdout.split())
