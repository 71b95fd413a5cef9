"""The table of logs in a store, which has a row for each run whose log was kept."""

import sqlite3
from collections.abc import Mapping
from typing import Final

from nqbench.common.errors import InputError
from nqbench.common.printable import printable
from nqbench.isolate.printed_output import unpack_log
from nqbench.records import rows
from nqbench.records.record import Record

TABLE: Final = "outputs"
COLUMNS: Final = "run_id TEXT PRIMARY KEY, log BLOB"


def replace(db: sqlite3.Connection, run_id: str, log: bytes | None) -> None:
    """Store the log of a run's new record in place of that of its earlier record, if any."""
    if log is None:
        db.execute(f"DELETE FROM {TABLE} WHERE run_id = ?", [run_id])
    else:
        db.execute(f"INSERT OR REPLACE INTO {TABLE} VALUES (?, ?)", [run_id, log])


def ids(db: sqlite3.Connection) -> list[str]:
    """The runs that have a log."""
    rows = db.execute(f"SELECT run_id FROM records JOIN {TABLE} USING (run_id)")
    return [run_id for (run_id,) in rows]


def get(db: sqlite3.Connection, run_id: str) -> object | None:
    """The compressed log of a run; None if it has none."""
    row = db.execute(f"SELECT log FROM {TABLE} WHERE run_id = ?", [run_id]).fetchone()
    return row[0] if row else None


def unpacked_of(db: sqlite3.Connection, prefix: str) -> bytes:
    """The log of the run whose id starts with this.

    Raises `InputError` if there is no such run, or several, or if it has no log or a damaged one.
    """
    matches = _run_ids(db, prefix)
    if len(matches) != 1:
        which = f"several runs, such as {' and '.join(matches[:2])}" if matches else "no run"
        raise InputError(f"'{printable(prefix, 40)}' is the start of {which}")
    log = get(db, matches[0])
    if log is None:
        raise InputError(
            f"run {matches[0]} has no log: measure it again with `keep_output=True` `fresh=True`"
        )
    try:
        return unpack_log(log)
    except InputError as error:
        raise InputError(f"run {matches[0]} has {error}") from error


def _run_ids(db: sqlite3.Connection, prefix: str) -> list[str]:
    """The recorded runs whose id starts with this, at most 3."""
    rows = db.execute(
        "SELECT run_id FROM records WHERE substr(run_id, 1, ?) = ? ORDER BY run_id LIMIT 3",
        [len(prefix), prefix],
    )
    return [run_id for (run_id,) in rows]


def set_measures(db: sqlite3.Connection, record: Record) -> None:
    """Replace what is read from a log in the record of its run. Another record of that run stays
    as it is. Raises `InputError` for a record that no run leaves.
    """
    rows.check(record)
    values = dict(zip(rows.NAMES, rows.row_of(record), strict=True))
    db.execute(
        "UPDATE records SET measures = ?, message = ? WHERE run_id = ? AND started_at = ?",
        [values[name] for name in ("measures", "message", "run_id", "started_at")],
    )


def copy(
    source: sqlite3.Connection, target: sqlite3.Connection, ids_there: Mapping[str, str]
) -> None:
    """Copy the logs of records that both stores have, unless they are in the target already.
    `ids_there` has the ids of the target where these are others. Raises `InputError` for what is
    not a log.
    """
    for run_id in ids(source):
        target_id = ids_there.get(run_id, run_id)
        if (
            _started(source, run_id) == _started(target, target_id)
            and get(target, target_id) is None
        ):
            log = get(source, run_id)
            try:
                unpack_log(log)
            except InputError as error:
                raise InputError(f"{error} ({run_id})") from error
            target.execute(f"INSERT INTO {TABLE} VALUES (?, ?)", [target_id, log])


def _started(db: sqlite3.Connection, run_id: str) -> float | None:
    """When the recorded run started, which distinguishes it from another one of the same id."""
    row = db.execute("SELECT started_at FROM records WHERE run_id = ?", [run_id]).fetchone()
    return row[0] if row else None
