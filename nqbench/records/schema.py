"""The schema of a store: its tables, and the migration from earlier schemas."""

import sqlite3
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import msgspec

from nqbench.errors import InputError, StoreError
from nqbench.records import facts, logs, outdated, rows, rules, unchecked
from nqbench.records.columns import EARLIER
from nqbench.records.record import Record, plain_type

SCHEMA_VERSION: Final = 11


def _add_integers(*names: str) -> list[str]:
    return [f"ALTER TABLE records ADD COLUMN {name} INTEGER" for name in names]


def _add_texts(*names: str) -> list[str]:
    stated = ((name, EARLIER[name]) for name in names)
    return [f"ALTER TABLE records ADD COLUMN {name} TEXT DEFAULT '{text}'" for name, text in stated]


_MIGRATIONS: Final = {
    1: (
        "ALTER TABLE records RENAME COLUMN cnf_digest TO instance_digest",
        *_add_texts("instance", "task"),
        *_add_integers("solutions", "constraints", "nodes", "generated", "checks", "backtracks"),
    ),
    2: (
        *_add_texts("memory_limit_by", "cpus"),
        "ALTER TABLE records ADD COLUMN cpu_limit_s REAL",
        *_add_integers("shuffle"),
    ),
    3: ("ALTER TABLE records ADD COLUMN density REAL",),
    4: (),
    5: ("UPDATE records SET n = NULL WHERE n = 0",),
    **dict.fromkeys((6, 7, 8, 9, 10), ()),
}
"""The statements that migrate a store from each schema to the next. Schema 5 has strict tables, to
which the rows of earlier schemas are copied. Schema 6 has no n for formulas, which had 0, 7 limits
of work, seeds of solvers, measures and logs, 8 how clauses were loaded, 9 the runs of unchecked
answers, 10 the builds of backends, 11 which runs are outdated.
"""

_STRICT: Final = sqlite3.sqlite_version_info >= (3, 37)
TABLES: Final = {
    "environments": "id TEXT PRIMARY KEY, facts TEXT",
    "sessions": "started_at REAL PRIMARY KEY, facts TEXT",
    logs.TABLE: logs.COLUMNS,
    unchecked.TABLE: unchecked.COLUMNS,
    outdated.TABLE: outdated.COLUMNS,
}
"""The tables besides that of the records, and their columns."""


def create(db: sqlite3.Connection, path: Path) -> None:
    """Create missing tables, and migrate those of an earlier schema in the file at `path`.

    Raises `StoreError` for a row that nqbench would not write. Nothing is changed then.
    """
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
        try:
            _check(db)
        except InputError as error:
            raise StoreError(f"{path}: {error}") from error
        _make_strict(db)
    _make_tables(db)
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    db.execute("COMMIT")


def _check(db: sqlite3.Connection) -> None:
    """Raise `InputError` for a row that nqbench would not write."""
    db.text_factory = text_or_bytes
    there = [name for _, name, *_ in db.execute("PRAGMA table_info(records)")]
    known = [name for name in there if name in rows.NAMES]
    names = ", ".join(f'"{name}"' for name in known)
    for number, row in enumerate(db.execute(f"SELECT {names} FROM records"), 1):
        values = rows.facts_of(known, row)
        values["queens"] = _listed(values.get("queens"))
        if flaw := rules.flaw(values):
            raise InputError(f"{rules.named(values['run_id'], number)}: {flaw}")
    for query, read in (
        ("SELECT id, facts FROM environments", facts.environment),
        ("SELECT started_at, facts FROM sessions", facts.session),
    ):
        if query.split()[-1] in _tables(db):
            for row in db.execute(query):
                read(*row)
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
    columns = ", ".join(f'"{f.name}" {_sqlite_type(f.name)}' for f in fields(Record))
    tables = {"records": f"{columns}, PRIMARY KEY (run_id)"} | TABLES
    for name, defined in tables.items():
        strict = "STRICT" if _STRICT else ""
        db.execute(f"CREATE TABLE IF NOT EXISTS {name} ({defined}) {strict}")


def _make_strict(db: sqlite3.Connection) -> None:
    """Copy the rows of all tables to strict ones."""
    db.create_function("packed", 1, _packed, deterministic=True)
    there = _tables(db)
    for table in there & {"records", *TABLES}:
        db.execute(f"ALTER TABLE {table} RENAME TO earlier_{table}")
    _make_tables(db)
    for table in there & {"records", *TABLES}:
        new = [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]
        earlier = {name for _, name, *_ in db.execute(f"PRAGMA table_info(earlier_{table})")}
        names = [name for name in new if name in earlier]
        into = ", ".join(f'"{name}"' for name in names)
        taken = into.replace('"queens"', 'packed("queens")')
        db.execute(f"INSERT INTO {table} ({into}) SELECT {taken} FROM earlier_{table}")
        db.execute(f"DROP TABLE earlier_{table}")


def _packed(queens: Any) -> Any:
    """The queens as MessagePack; the first two schemas stored them as text."""
    return msgspec.msgpack.encode(_listed(queens)) if isinstance(queens, str) else queens


def _listed(queens: Any) -> Any:
    """The queens of a text as a list; other values stay as they are."""
    if not isinstance(queens, str):
        return queens
    try:
        return msgspec.json.decode(queens, type=list[int])
    except (msgspec.DecodeError, ValueError, RecursionError):
        return queens


def _sqlite_type(name: str) -> str:
    if name == "queens":
        return "BLOB"
    return {int: "INTEGER", float: "REAL", str: "TEXT"}[plain_type(name)]
