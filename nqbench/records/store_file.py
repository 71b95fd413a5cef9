"""The file of a store: opens it for writing or reading, and migrates it from earlier schemas."""

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import msgspec

from nqbench.errors import InputError, StoreError
from nqbench.printable import printable
from nqbench.records import logs
from nqbench.records.exclusive import exclusive
from nqbench.records.record import Record, plain_type

SCHEMA_VERSION: Final = 8


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
    4: (),
    5: ("UPDATE records SET n = NULL WHERE n = 0",),
    **dict.fromkeys((6, 7), ()),
}
"""The statements that migrate a store from each schema to the next. Schema 5 has strict tables, to
which the rows of earlier schemas are copied. Schema 6 has no n for formulas, which had 0, 7 limits
of work, seeds of solvers, measures and logs, 8 how clauses were loaded.
"""

_STRICT: Final = sqlite3.sqlite_version_info >= (3, 37)
_TABLES: Final = {
    "environments": "id TEXT PRIMARY KEY, facts TEXT",
    "sessions": "started_at REAL PRIMARY KEY, facts TEXT",
    logs.TABLE: logs.COLUMNS,
}
_STEPS: Final = 100_000
"""Steps of SQLite's virtual machine between checks for signals; a few milliseconds."""

_WAIT_S: Final = 60.0


def for_writing(path: Path) -> sqlite3.Connection:
    """Open a connection in autocommit mode. The file and its folder are created if missing.

    Raises `InputError` for a database of another program, `StoreError` for one of a newer nqbench.
    """
    # SQLite does not wait for another process that is creating the same file.
    with exclusive(path.parent):
        if path.exists():
            _version(path)
        # Autocommit: each statement is a separate transaction.
        db = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
        with _closed_on_error(db):
            _mistrust(db)
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            _create(db)
    return db


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
    return db if version == SCHEMA_VERSION else _carried_over(db)


def _query_only(file: Path) -> sqlite3.Connection:
    # With write access, the last connection to close also deletes SQLite's log.
    db = sqlite3.connect(file, timeout=_WAIT_S)
    with _closed_on_error(db):
        _mistrust(db)
        db.execute("PRAGMA query_only = ON")
    return db


def _carried_over(db: sqlite3.Connection) -> sqlite3.Connection:
    """A copy in memory with the current schema; closes the given connection."""
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
    """The version of the schema in the file; 0 for an empty database.

    Raises `InputError` unless the file is regular and its schema has only the tables of nqbench:
    views and triggers could change the meaning of a query.
    """
    if not path.is_file():
        raise InputError(f"{path} is not a file")
    with closing(_unchanged(path)) as db:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        made = db.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
        names = {name for _, name, _ in made}
        columns = {
            table: db.execute(f"PRAGMA table_xinfo({table})").fetchall()
            for table in ("records", *_TABLES)
        }
    if not version and not names:
        return 0
    known = {name for _, name, *_ in columns["records"]}
    if not (version > 0 and "environments" in names and "run_id" in known):
        raise InputError(f"{path} is a database, but not a store of nqbench")
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by a newer nqbench (schema {version}, "
            f"this one reads up to {SCHEMA_VERSION}): upgrade nqbench"
        )
    if flaw := _flaw(made, columns):
        raise InputError(f"{path} has {flaw}: a store of nqbench has none")
    if version == SCHEMA_VERSION:
        missing = {field.name for field in fields(Record)} - known
        if missing or not set(_TABLES) <= names:
            raise InputError(f"{path} is damaged: {min(missing, default='a table')} is missing")
    return int(version)


def _flaw(made: list[tuple[str, str, str | None]], columns: dict[str, list[Any]]) -> str | None:
    """The first thing in a schema besides plain tables, in words; None if there is none."""
    for kind, name, sql in made:
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
    is_in_log = log.exists() and log.stat().st_size > 0
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


def _create(db: sqlite3.Connection) -> None:
    """Create missing tables, and migrate those of an earlier schema."""
    (found,) = db.execute("PRAGMA user_version").fetchone()
    if found == SCHEMA_VERSION:
        return
    db.execute("BEGIN IMMEDIATE")
    # Read it again under the lock: another process may have migrated the store before.
    (found,) = db.execute("PRAGMA user_version").fetchone()
    for version in range(found, max(_MIGRATIONS) + 1) if found else ():
        for statement in _MIGRATIONS[version]:
            db.execute(statement)
    if 0 < found < SCHEMA_VERSION:
        _make_strict(db)
    _make_tables(db)
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    db.execute("COMMIT")


def _make_tables(db: sqlite3.Connection) -> None:
    columns = ", ".join(f'"{f.name}" {_sqlite_type(f.name)}' for f in fields(Record))
    tables = {"records": f"{columns}, PRIMARY KEY (run_id)"} | _TABLES
    for name, defined in tables.items():
        strict = "STRICT" if _STRICT else ""
        db.execute(f"CREATE TABLE IF NOT EXISTS {name} ({defined}) {strict}")


def _make_strict(db: sqlite3.Connection) -> None:
    """Copy the rows of all tables to strict ones. SQLite reports a value that does not fit."""
    db.create_function("packed", 1, _packed, deterministic=True)
    there = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for table in there & {"records", *_TABLES}:
        db.execute(f"ALTER TABLE {table} RENAME TO earlier_{table}")
    _make_tables(db)
    for table in there & {"records", *_TABLES}:
        new = [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]
        earlier = {name for _, name, *_ in db.execute(f"PRAGMA table_info(earlier_{table})")}
        names = [name for name in new if name in earlier]
        into = ", ".join(f'"{name}"' for name in names)
        taken = into.replace('"queens"', 'packed("queens")')
        db.execute(f"INSERT INTO {table} ({into}) SELECT {taken} FROM earlier_{table}")
        db.execute(f"DROP TABLE earlier_{table}")


def _packed(queens: Any) -> Any:
    """The queens as MessagePack; the first two schemas stored them as text."""
    if not isinstance(queens, str):
        return queens
    return msgspec.msgpack.encode(msgspec.json.decode(queens, type=list[int]))


def _sqlite_type(name: str) -> str:
    if name == "queens":
        return "BLOB"
    return {int: "INTEGER", float: "REAL", str: "TEXT"}[plain_type(name)]
