"""Records as rows of a store. Values that SQLite has no type for are packed."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final

import msgspec

from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Outcome
from nqbench.records import integrity
from nqbench.records.record import Record

if TYPE_CHECKING:
    import polars as pl

NAMES: Final = tuple(field.name for field in fields(Record))
"""The columns of the table, in the order of a row."""

ALL: Final = ", ".join(f'"{name}"' for name in NAMES)
"""The columns, in SQL."""

_OF_NEW: Final = ", ".join(f'"{name}" = excluded."{name}"' for name in NAMES)
_REPLACE: Final = f"ON CONFLICT (run_id) DO UPDATE SET {_OF_NEW} WHERE"
WRITE: Final = f"INSERT INTO records ({ALL}) VALUES ({', '.join('?' * len(NAMES))}) {_REPLACE} "
"""Write a record; append the condition on which it replaces an existing record of the same run."""

_CACHE_KIB: Final = 256 * 1024
"""The most memory of SQLite while many rows are written."""

NOT_STARTED: Final = {Outcome.SKIPPED, Outcome.UNAVAILABLE}
NOT_DONE: Final = {*NOT_STARTED, Outcome.CAPPED}


def _is_one_of(outcomes: Iterable[Outcome]) -> str:
    return f"outcome IN ({', '.join(repr(str(outcome)) for outcome in sorted(outcomes))})"


IS_NOT_STARTED: Final = _is_one_of(NOT_STARTED)
IS_NOT_DONE: Final = _is_one_of(NOT_DONE)


def row_of(record: Record) -> list[object]:
    """The values of a record as they are stored. Raises `InputError` as `check` does."""
    check(record)
    return [_packed(getattr(record, name)) for name in NAMES]


def check(record: Record) -> None:
    """Raise `InputError` for a record that no run leaves."""
    if flaw := integrity.flaw_of_record(record):
        raise InputError(flaw, place=integrity.place(record.run_id, 1))


def record_of(row: tuple[object, ...], number: int = 1) -> Record:
    """The record in a row. Raises `InputError` for a row that no run leaves; `number` says which
    row it is if it has no id.
    """
    facts = facts_of(NAMES, row)
    if flaw := integrity.flaw(facts):
        raise InputError(flaw, place=integrity.place(facts["run_id"], number))
    return msgspec.convert(facts, Record)


def facts_of(names: Iterable[str], row: tuple[object, ...]) -> dict[str, Any]:
    """The values of a row by their columns, unpacked; what cannot be unpacked stays as it is."""
    facts = dict(zip(names, row, strict=True))
    return facts | {name: _UNPACK[name](facts[name]) for name in _UNPACK.keys() & facts.keys()}


def by_column(rows: Sequence[tuple[Any, ...]], names: Iterable[str]) -> dict[str, Sequence[Any]]:
    """The values of each column, which is five times as fast as by row; what cannot be unpacked
    stays as it is.
    """
    values: dict[str, Sequence[Any]] = dict(zip(names, zip(*rows, strict=True), strict=True))
    for name in _UNPACK.keys() & values.keys():
        values[name] = tuple(map(_UNPACK[name], values[name]))
    return values


def same_in_all(db: sqlite3.Connection, names: Sequence[str]) -> dict[str, Any]:
    """Those of these columns that have one value in all records, and it; no value that is packed.
    To find them takes less time than to read them, and imported records have many.
    """
    columns = ", ".join(f'"{name}"' for name in names)
    first_row = db.execute(f"SELECT {columns} FROM records").fetchone() if names else None
    value_of = {
        name: value
        for name, value in zip(names, first_row or (), strict=first_row is not None)
        if value is None or name not in _UNPACK
    }
    # One record need not differ in all columns that vary, so look again with those that remain.
    while value_of:
        conditions = [f'"{name}" IS NOT ?' for name in value_of]
        query = f"SELECT {', '.join(conditions)} FROM records WHERE {' OR '.join(conditions)}"
        differs = db.execute(query, [*value_of.values(), *value_of.values()]).fetchone()
        if differs is None:
            break
        value_of = {
            name: value_of[name] for name, other in zip(value_of, differs, strict=True) if not other
        }
    return value_of


def write_table(db: sqlite3.Connection, table: "pl.DataFrame", condition: str) -> int:
    """Write the records of a table as `WRITE` does with this condition. Returns the number of rows
    added or replaced.
    """
    from nqbench.records import frame

    measure_names = frame.measures_of(table)
    is_empty = {name: table[name].is_null().all() for name in NAMES if name != "measures"}
    is_empty["measures"] = not measure_names
    filled = [name for name in NAMES if not is_empty[name]]
    # Most columns of imported records are empty: to bind each NULL takes longer than to store it.
    values = ", ".join("NULL" if is_empty[name] else "?" for name in NAMES)
    query = f"INSERT INTO records ({ALL}) VALUES ({values}) {_REPLACE} {condition}"
    columns = [name for name in filled if name != "measures"]
    packed = [at for at, name in enumerate(columns) if table.schema[name].is_nested()]
    with _large_cache(db):
        plain = table.select(columns).iter_rows()
        if not packed and not measure_names:
            return db.executemany(query, plain).rowcount
        measures = table.select(measure_names).iter_rows(named=True) if measure_names else None
        rows = _packed_rows(plain, packed, measures, filled)
        return db.executemany(query, rows).rowcount


def _packed_rows(
    rows: Iterable[tuple[Any, ...]],
    packed: Sequence[int],
    measures: Iterable[dict[str, Any]] | None,
    names: Sequence[str],
) -> Iterator[list[object]]:
    """The rows with these `packed` positions, and with the measures at their place in `names`."""
    for row, values in zip(rows, repeat(None) if measures is None else measures, strict=False):
        stored = list(row)
        for at in packed:
            stored[at] = _packed(row[at])
        if measures is not None:
            stored.insert(names.index("measures"), _packed(values))
        yield stored


@contextmanager
def _large_cache(db: sqlite3.Connection) -> Iterator[None]:
    """Keep the index of ids in memory while many rows are written: ids are hashes, so each row
    changes another page of it.
    """
    ((before,),) = db.execute("PRAGMA cache_size")
    db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    try:
        yield
    finally:
        db.execute(f"PRAGMA cache_size = {before}")


def _packed(value: object) -> object:
    if isinstance(value, dict):
        return msgspec.json.encode(value).decode()
    # A list of a hundred squares takes half as much space as MessagePack as it does as text.
    return msgspec.msgpack.encode(value) if isinstance(value, list) else value


def _queens(value: object) -> object:
    if not isinstance(value, bytes):
        return value
    try:
        return msgspec.msgpack.decode(value, type=list[int])
    except (msgspec.DecodeError, ValueError, RecursionError):
        return value


def _measures(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(value, type=dict[str, float | None])
    except (msgspec.DecodeError, ValueError, RecursionError):
        return value


_UNPACK: Final = {"queens": _queens, "measures": _measures}
