"""The table of runs whose answers are unchecked, so that they can be checked later.

It has a row for each run, with what is needed to make its instance and its proof again.
"""

import sqlite3
from typing import Final

from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Answer, Outcome, Verdict
from nqbench.records import outdated, rows
from nqbench.records.record import Record

TABLE: Final = "unchecked"
COLUMNS: Final = "run_id TEXT PRIMARY KEY, run BLOB"

LARGEST: Final = 64 * 2**20
"""The largest run in bytes, packed or not, as in a message to a server."""

_ANSWERS: Final = (Answer.SAT, Answer.UNSAT)
_IS_UNCHECKED: Final = (
    f"outcome = '{Outcome.FINISHED}' AND verdict = '{Verdict.UNCHECKED}' "
    f"AND answer IN ({', '.join(repr(str(answer)) for answer in _ANSWERS)})"
)
_CHECKED: Final = ("verdict", "checked_by", "message", "verify_s", "verify_cpu_s")
"""The columns of a record that its check changes."""


def is_unchecked(record: Record) -> bool:
    """Whether the record has an answer that was not checked."""
    unchecked = record.verdict is Verdict.UNCHECKED and record.outcome is Outcome.FINISHED
    return unchecked and record.answer in _ANSWERS


def replace(db: sqlite3.Connection, run_id: str, run: bytes | None) -> None:
    """Store the packed run of a new record in place of that of its earlier record, if any."""
    if run is None:
        db.execute(f"DELETE FROM {TABLE} WHERE run_id = ?", [run_id])
    else:
        db.execute(f"INSERT OR REPLACE INTO {TABLE} VALUES (?, ?)", [run_id, run])


def records(db: sqlite3.Connection) -> list[Record]:
    """The records with unchecked answers that are neither outdated nor imported, in the order of
    their start. Raises `InputError` for a row that no run leaves.
    """
    which = f"{_IS_UNCHECKED} AND {outdated.IS_CURRENT} AND imported_from IS NULL"
    query = f"SELECT {rows.ALL} FROM records WHERE {which} ORDER BY started_at, run_id"
    return list(map(rows.record_of, db.execute(query)))


def imported(db: sqlite3.Connection) -> int:
    """The number of imported records with unchecked answers."""
    which = f"{_IS_UNCHECKED} AND imported_from IS NOT NULL"
    return int(db.execute(f"SELECT count(*) FROM records WHERE {which}").fetchone()[0])


def get(db: sqlite3.Connection, run_id: str) -> object | None:
    """The packed run; None if the table does not have it."""
    row = db.execute(f"SELECT run FROM {TABLE} WHERE run_id = ?", [run_id]).fetchone()
    return row[0] if row else None


def update(db: sqlite3.Connection, record: Record) -> None:
    """Replace what a check changes in a record that is still unchecked, and forget its run if the
    answer is checked now. Another record of the same run stays as it is. Raises `InputError` for a
    record that no run leaves.
    """
    rows.check(record)
    changed = ", ".join(f"{name} = ?" for name in _CHECKED)
    values = [getattr(record, name) for name in _CHECKED]
    cursor = db.execute(
        f"UPDATE records SET {changed} WHERE run_id = ? AND started_at = ? AND {_IS_UNCHECKED}",
        [*values, record.run_id, record.started_at],
    )
    if cursor.rowcount and not is_unchecked(record):
        replace(db, record.run_id, None)


def copy(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Copy the runs of unchecked records that both stores have, unless they are in the target
    already. A record that has another id there has none: its run is that of the other record.
    Raises `InputError` for what is not a packed run by its type and size.
    """
    query = f"SELECT run_id, started_at FROM records JOIN {TABLE} USING (run_id)"
    in_target = f"SELECT 1 FROM records WHERE run_id = ? AND started_at = ? AND {_IS_UNCHECKED}"
    for run_id, started_at in source.execute(query).fetchall():
        if (
            target.execute(in_target, [run_id, started_at]).fetchone()
            and get(target, run_id) is None
        ):
            run = get(source, run_id)
            if not isinstance(run, bytes) or len(run) > LARGEST:
                raise InputError(f"something other than the run of an unchecked answer ({run_id})")
            target.execute(f"INSERT INTO {TABLE} VALUES (?, ?)", [run_id, run])
