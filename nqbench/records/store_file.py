"""The file of a store: its tables, the migration from earlier schemas, and opening it."""

import fcntl
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from nqbench.common.errors import InputError, StoreError, at
from nqbench.common.printable import printable
from nqbench.records import facts, imports, integrity, logs, origin, outdated, rows, unchecked
from nqbench.records.columns import OF_RECORDS
from nqbench.records.record import EARLIER, SINCE

SCHEMA_VERSION: Final = max(16, *(since.schema for since in SINCE.values()))
"""A store of an earlier schema is migrated: its rows are copied to new tables. Schema 9 has the
table of unchecked answers, 11 that of outdated runs, 16 that of imported files; `SINCE` says which
columns are new.
"""

_LAST_WITH_ZERO: Final = 5
"""The last schema with n = 0 for formulas, which have no n."""

_TYPES: Final = {int: "INTEGER", float: "REAL", str: "TEXT", list: "BLOB"}

_STRICT: Final = sqlite3.sqlite_version_info >= (3, 37)
TABLES: Final = {
    "environments": "id TEXT PRIMARY KEY, facts TEXT",
    "sessions": "started_at REAL PRIMARY KEY, facts TEXT",
    logs.TABLE: logs.COLUMNS,
    unchecked.TABLE: unchecked.COLUMNS,
    outdated.TABLE: outdated.COLUMNS,
    imports.TABLE: imports.COLUMNS,
}
"""The tables besides that of the records, and their columns."""


def create(db: sqlite3.Connection, path: Path) -> None:
    """Create missing tables, and migrate those of an earlier schema in the file at `path`.

    Raises `StoreError` for a row that nqbench would not write. Nothing is changed then.
    """
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version == SCHEMA_VERSION:
        return
    db.execute("BEGIN IMMEDIATE")
    # Read it again under the lock: another process may have migrated the store before.
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if 0 < version < SCHEMA_VERSION:
        later = {name: text for name, text in EARLIER.items() if SINCE[name].schema > version}
        if version == 1:
            db.execute("ALTER TABLE records RENAME COLUMN cnf_digest TO instance_digest")
        if version <= _LAST_WITH_ZERO:
            db.execute("UPDATE records SET n = NULL WHERE n = 0")
        if version >= SINCE["imported_from"].schema:
            origin.add_functions(db)
            for change in origin.EARLIER:
                db.execute(change)
        try:
            with at(path):
                _check(db, later)
        except InputError as error:
            raise StoreError(str(error)) from error
        _copy(db, later)
    _make_tables(db)
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    db.execute("COMMIT")


def _check(db: sqlite3.Connection, later: dict[str, str]) -> None:
    """Raise `InputError` for a row that nqbench would not write. The columns `later` are added to
    it, with these values.
    """
    db.text_factory = text_or_bytes
    in_file = [name for _, name, *_ in db.execute("PRAGMA table_info(records)")]
    known_names = [name for name in in_file if name in rows.NAMES]
    names = ", ".join(f'"{name}"' for name in known_names)
    for number, row in enumerate(db.execute(f"SELECT {names} FROM records"), 1):
        values = later | rows.facts_of(known_names, row)
        values["queens"] = _parse_queens(values.get("queens"))
        if flaw := integrity.flaw(values):
            raise InputError(flaw, place=integrity.place(values["run_id"], number))
    for query, check_row in (
        ("SELECT id, facts FROM environments", facts.environment),
        ("SELECT started_at, facts FROM sessions", facts.session),
    ):
        if query.split()[-1] in _tables(db):
            for row in db.execute(query):
                check_row(*row)
    db.text_factory = str


def text_or_bytes(content: bytes) -> str | bytes:
    """A text of a database; the bytes if it is not UTF-8, which SQLite does not check."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content


def _tables(db: sqlite3.Connection) -> set[str]:
    return {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _make_tables(db: sqlite3.Connection) -> None:
    types = {name: _TYPES[column.kind] for name, column in OF_RECORDS.items()}
    columns = ", ".join(f'"{name}" {types.get(name, "TEXT")}' for name in rows.NAMES)
    tables = {"records": f"{columns}, PRIMARY KEY (run_id)"} | TABLES
    for name, defined in tables.items():
        strict = "STRICT" if _STRICT else ""
        db.execute(f"CREATE TABLE IF NOT EXISTS {name} ({defined}) {strict}")


def _copy(db: sqlite3.Connection, later: dict[str, str]) -> None:
    """Copy the rows of all tables to new ones, with these values of the columns `later`."""
    db.create_function("packed", 1, _packed, deterministic=True)
    # New tables, since ALTER TABLE cannot change types or make a table strict.
    earlier_tables = _tables(db)
    for table in earlier_tables & {"records", *TABLES}:
        db.execute(f"ALTER TABLE {table} RENAME TO earlier_{table}")
    _make_tables(db)
    for table in earlier_tables & {"records", *TABLES}:
        new = [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]
        earlier = {name for _, name, *_ in db.execute(f"PRAGMA table_info(earlier_{table})")}
        from_row = {name: f'"{name}"' for name in new if name in earlier}
        if table == "records":
            from_row |= {name: f"'{text}'" for name, text in later.items()}
            from_row |= {"queens": 'packed("queens")'} if "queens" in earlier else {}
        into = ", ".join(f'"{name}"' for name in from_row)
        values = ", ".join(from_row.values())
        db.execute(f"INSERT INTO {table} ({into}) SELECT {values} FROM earlier_{table}")
        db.execute(f"DROP TABLE earlier_{table}")


def _packed(queens: Any) -> Any:
    """The queens as MessagePack; the first two schemas stored them as text."""
    return msgspec.msgpack.encode(_parse_queens(queens)) if isinstance(queens, str) else queens


def _parse_queens(queens: Any) -> Any:
    """The queens of a text as a list; other values stay as they are."""
    if not isinstance(queens, str):
        return queens
    try:
        return msgspec.json.decode(queens, type=list[int])
    except (msgspec.DecodeError, ValueError, RecursionError):
        return queens


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
