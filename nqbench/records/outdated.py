"""The table of outdated runs: those recorded with code that has changed since.

Their records stay until they are measured again, but no table of records has them. Without this
table, a campaign that is interrupted while it measures again would treat the rest as current.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Final

TABLE: Final = "outdated"
COLUMNS: Final = "run_id TEXT PRIMARY KEY, why TEXT"

IS_CURRENT: Final = f"NOT EXISTS (SELECT 1 FROM {TABLE} AS o WHERE o.run_id = records.run_id)"
"""The condition on a record that its run is not outdated, in SQL."""


def add(db: sqlite3.Connection, run_ids: Iterable[str], why: str) -> None:
    """Mark these runs."""
    rows = ((run_id, why) for run_id in run_ids)
    db.executemany(f"INSERT OR IGNORE INTO {TABLE} VALUES (?, ?)", rows)


def remove(db: sqlite3.Connection, run_id: str) -> None:
    """Forget the mark of a run that was measured again."""
    db.execute(f"DELETE FROM {TABLE} WHERE run_id = ?", [run_id])


def count(db: sqlite3.Connection) -> int:
    """The number of records that are outdated."""
    # A cross join begins with the first table, which is small.
    cursor = db.execute(f"SELECT count(*) FROM {TABLE} CROSS JOIN records USING (run_id)")
    return int(cursor.fetchone()[0])


def copy(
    source: sqlite3.Connection, target: sqlite3.Connection, ids_there: Mapping[str, str]
) -> None:
    """Copy the marks of the records that both stores have. `ids_there` has the ids of the target
    where these are others.
    """
    query = f"SELECT run_id, started_at, why FROM records JOIN {TABLE} USING (run_id)"
    in_target = "SELECT 1 FROM records WHERE run_id = ? AND started_at = ?"
    for run_id, started_at, why in source.execute(query).fetchall():
        target_id = ids_there.get(run_id, run_id)
        if target.execute(in_target, [target_id, started_at]).fetchone():
            add(target, [target_id], str(why))
