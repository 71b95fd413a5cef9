"""The file of a store: opened to write or to read, and carried over from earlier schemas."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Final

from nqbench.errors import InputError, StoreError
from nqbench.record import Record, plain_type

SCHEMA_VERSION: Final = 4


def _add_integers(*names: str) -> list[str]:
    return [f"ALTER TABLE records ADD COLUMN {name} INTEGER" for name in names]


_MIGRATIONS: Final = {
    1: (
        "ALTER TABLE records RENAME COLUMN cnf_digest TO instance_digest",
        "ALTER TABLE records ADD COLUMN instance TEXT DEFAULT ''",
        "ALTER TABLE records ADD COLUMN task TEXT DEFAULT 'first'",
        *_add_integers("solutions", "constraints", "nodes", "generated", "checks", "backtracks"),
    ),
    2: (
        "ALTER TABLE records ADD COLUMN memory_limit_by TEXT DEFAULT 'address-space'",
        "ALTER TABLE records ADD COLUMN cpus TEXT DEFAULT ''",
        "ALTER TABLE records ADD COLUMN cpu_limit_s REAL",
        *_add_integers("shuffle"),
    ),
    3: ("ALTER TABLE records ADD COLUMN density REAL",),
}
"""What makes a store of one schema one of the next."""

_WAIT_S: Final = 60.0


def for_writing(path: Path) -> sqlite3.Connection:
    """A connection in autocommit; the file and its folder are made where there are none.

    Raises `InputError` for a database of another program, `StoreError` for one of a newer nqbench.
    """
    if path.exists():
        _version(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Autocommit: each statement is a transaction of its own.
    db = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
    with _closed_on_error(db):
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        _create(db)
    return db


def for_reading(path: Path) -> sqlite3.Connection:
    """A connection that writes nothing. Neither file nor folder need be writable.

    Raises `StoreError` if there is no file, and as `for_writing` does.
    """
    if not path.exists():
        raise StoreError(f"no store at {path}")
    version = _version(path)
    file = path.resolve()
    if os.access(file, os.W_OK) and os.access(file.parent, os.W_OK):
        # Where SQLite may write it takes its log away at the end, whoever ends last.
        db = sqlite3.connect(file, timeout=_WAIT_S)
        with _closed_on_error(db):
            db.execute("PRAGMA query_only = ON")
    else:
        db = _unchanged(file)
    if version == SCHEMA_VERSION:
        return db
    carried_over = sqlite3.connect(":memory:", isolation_level=None)
    with _closed_on_error(carried_over):
        with closing(db):
            db.backup(carried_over)
        _create(carried_over)
    return carried_over


@contextmanager
def _closed_on_error(db: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        db.close()
        raise


def _version(path: Path) -> int:
    """That of the schema in the file, 0 if there is nothing in it."""
    with closing(_unchanged(path)) as db:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        names = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
        columns = {name for _, name, *_ in db.execute("PRAGMA table_info(records)")}
    if not version and not names:
        return 0
    if not (version and "environments" in names and "run_id" in columns):
        raise InputError(f"{path} is a database, but not a store of nqbench")
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by a newer nqbench (schema {version}, "
            f"this one reads up to {SCHEMA_VERSION}): upgrade nqbench"
        )
    return int(version)


def _unchanged(path: Path) -> sqlite3.Connection:
    """A connection to a database that leaves its file as it is, and needs no right to write."""
    file = path.resolve()
    log, index = (file.with_name(f"{file.name}-{suffix}") for suffix in ("wal", "shm"))
    is_in_log = log.exists() and log.stat().st_size > 0
    if is_in_log and not index.exists() and not os.access(file.parent, os.W_OK):
        raise StoreError(
            f"the latest records of {path} are in {log.name}, which SQLite reads only where it can "
            "write: copy the folder"
        )
    # Nobody has a database open that has neither: all is in the file, and SQLite, which would make
    # both and leave them there, is told that the file does not change.
    how = "mode=ro" if is_in_log or index.exists() else "mode=ro&immutable=1"
    return sqlite3.connect(f"{file.as_uri()}?{how}", uri=True, timeout=_WAIT_S)


def _create(db: sqlite3.Connection) -> None:
    """Make the tables where there are none, and carry over those of an earlier schema."""
    (found,) = db.execute("PRAGMA user_version").fetchone()
    if found == SCHEMA_VERSION:
        return
    db.execute("BEGIN IMMEDIATE")
    # Asked again, now that nobody else can write: another process may have been faster.
    (found,) = db.execute("PRAGMA user_version").fetchone()
    for version in range(found, SCHEMA_VERSION) if found else ():
        for statement in _MIGRATIONS[version]:
            db.execute(statement)
    columns = ", ".join(f'"{f.name}" {_sqlite_type(f.name)}' for f in fields(Record))
    db.execute(f"CREATE TABLE IF NOT EXISTS records ({columns}, PRIMARY KEY (run_id))")
    db.execute("CREATE TABLE IF NOT EXISTS environments (id TEXT PRIMARY KEY, facts TEXT)")
    db.execute("CREATE TABLE IF NOT EXISTS sessions (started_at REAL PRIMARY KEY, facts TEXT)")
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    db.execute("COMMIT")


def _sqlite_type(name: str) -> str:
    return {int: "INTEGER", float: "REAL", str: "TEXT"}[plain_type(name)]
