"""The file of a store: opens it for writing or reading."""

import fcntl
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from nqbench.common.errors import InputError, StoreError
from nqbench.common.printable import printable
from nqbench.records import rows
from nqbench.records.schema import SCHEMA_VERSION, TABLES, create

_STEPS: Final = 100_000
"""Steps of SQLite's virtual machine between checks for signals; a few milliseconds."""

_WAIT_S: Final = 60.0


def for_writing(path: Path) -> sqlite3.Connection:
    """Open a connection in autocommit mode. The file and its folder are created if missing.

    Raises `InputError` for a database of another program, `StoreError` for one of a newer nqbench,
    or of an earlier schema with a row that nqbench would not write.
    """
    # SQLite does not wait for another process that is creating the same file.
    with _exclusive(path.parent):
        version = _version(path) if path.exists() else 0
        # Autocommit: each statement is a separate transaction.
        db = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
        with _closed_on_error(db):
            _mistrust(db)
            if 0 < version < SCHEMA_VERSION:
                create(db, path)  # before anything else: a store that is refused keeps its bytes
            db.execute("PRAGMA journal_mode = WAL")
            # FULL waits for the disk at each record, which takes milliseconds.
            db.execute("PRAGMA synchronous = NORMAL")
            create(db, path)
    return db


@contextmanager
def _exclusive(folder: Path) -> Iterator[None]:
    """Make the folder if it is missing, and wait until no other process is within such a block for
    it. On file systems without locks, it does not wait.
    """
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def for_reading(path: Path) -> sqlite3.Connection:
    """Open a connection that writes nothing. The file and its folder need not be writable.

    Raises `StoreError` if there is no file, and as `for_writing` does.
    """
    if not path.exists():
        raise StoreError(f"no store at {path}")
    version = _version(path)
    file = path.resolve()
    writable = os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)
    db = _query_only(file) if writable else _unchanged(file)
    return db if version == SCHEMA_VERSION else _carried_over(db, path)


def _query_only(file: Path) -> sqlite3.Connection:
    # With write access, the last connection to close also deletes SQLite's log.
    db = sqlite3.connect(file, timeout=_WAIT_S)
    with _closed_on_error(db):
        _mistrust(db)
        db.execute("PRAGMA query_only = ON")
    return db


def _carried_over(db: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    """A copy in memory with the current schema; closes the given connection."""
    carried_over = sqlite3.connect(":memory:", isolation_level=None)
    with _closed_on_error(carried_over):
        with closing(db):
            db.backup(carried_over)
        create(carried_over, path)
    return carried_over


@contextmanager
def _closed_on_error(db: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        db.close()
        raise


def _version(path: Path) -> int:
    """The version of the schema in the file; 0 for an empty database.

    Raises `InputError` unless the file is regular and its schema has only the tables of nqbench:
    views and triggers could change the meaning of a query.
    """
    if not path.is_file():
        raise InputError(f"{path} is not a file")
    with closing(_unchanged(path)) as db:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        entries = db.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
        names = {name for _, name, _ in entries}
        columns = {
            table: db.execute(f"PRAGMA table_xinfo({table})").fetchall()
            for table in ("records", *TABLES)
        }
    if not version and not names:
        return 0
    column_names = {name for _, name, *_ in columns["records"]}
    if not (version > 0 and "environments" in names and "run_id" in column_names):
        raise InputError(f"{path} is a database, but not a store of nqbench")
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by a newer nqbench (schema {version}, "
            f"this one reads up to {SCHEMA_VERSION}): upgrade nqbench"
        )
    if flaw := _flaw(entries, columns):
        raise InputError(f"{path} has {flaw}: a store of nqbench has none")
    if version == SCHEMA_VERSION:
        missing = {*rows.NAMES} - column_names
        if missing or not set(TABLES) <= names:
            raise InputError(f"{path} is damaged: {min(missing, default='a table')} is missing")
    return int(version)


def _flaw(entries: list[tuple[str, str, str | None]], columns: dict[str, list[Any]]) -> str | None:
    """The first thing in a schema besides plain tables, in words; None if there is none."""
    for kind, name, sql in entries:
        if kind != "table" and not name.startswith("sqlite_autoindex_"):
            return f"a {kind} '{printable(name)}'"
        if kind == "table" and not re.match(r"CREATE TABLE\b", sql or ""):
            return f"a virtual table '{printable(name)}'"
    for table, described in columns.items():
        for _, name, *_, hidden in described:
            if hidden:
                return f"a computed column '{printable(name)}' in {table}"
    return None


def _unchanged(path: Path) -> sqlite3.Connection:
    """Open a connection to a database that does not change its file or need write access."""
    file = path.resolve()
    log, index = (file.with_name(f"{file.name}-{suffix}") for suffix in ("wal", "shm"))
    is_in_log = False
    with suppress(FileNotFoundError):  # the last process to close the database removes it
        is_in_log = log.stat().st_size > 0
    if is_in_log and not index.exists() and not os.access(file.parent, os.W_OK):
        raise StoreError(
            f"the latest records of {path} are in {log.name}, which SQLite reads only where it can "
            "write: copy the folder"
        )
    # If neither exists, no process has the database open and the file is complete. Opened as
    # immutable, SQLite does not create both files and leave them behind.
    how = "mode=ro" if is_in_log or index.exists() else "mode=ro&immutable=1"
    db = sqlite3.connect(f"{file.as_uri()}?{how}", uri=True, timeout=_WAIT_S)
    with _closed_on_error(db):
        _mistrust(db)
    return db


def _mistrust(db: sqlite3.Connection) -> None:
    """Stop the file's schema from calling functions, and let signals interrupt a query."""
    db.execute("PRAGMA trusted_schema = OFF")
    db.set_progress_handler(lambda: 0, _STEPS)
