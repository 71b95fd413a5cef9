"""The schema of a store: its tables, and the migration from earlier schemas."""

import sqlite3
from pathlib import Path
from typing import Any, Final

import msgspec

from nqbench.common.errors import InputError, StoreError, at
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
