"""Records as rows of a store. Values that SQLite has no type for are packed."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, Final

import msgspec

from nqbench.records.measures import Measured
from nqbench.records.record import Record
from nqbench.vocabulary import Outcome

NAMES: Final = tuple(field.name for field in fields(Record))
"""The columns of the table, in the order of a row."""

ALL: Final = ", ".join(f'"{name}"' for name in NAMES)
"""The columns, in SQL."""

_OF_NEW: Final = ", ".join(f'"{name}" = excluded."{name}"' for name in NAMES)
WRITE: Final = (
    f"INSERT INTO records ({ALL}) VALUES ({', '.join('?' * len(NAMES))}) "
    f"ON CONFLICT (run_id) DO UPDATE SET {_OF_NEW} WHERE "
)
"""Write a record; append the condition on which it replaces an existing record of the same run."""

NOT_DONE: Final = {Outcome.SKIPPED, Outcome.UNAVAILABLE}
IS_NOT_DONE: Final = f"outcome IN ({', '.join(repr(str(outcome)) for outcome in NOT_DONE)})"


def row_of(record: Record) -> list[object]:
    """The values of a record as they are stored."""
    return [_packed(getattr(record, name)) for name in NAMES]


def record_of(row: tuple[object, ...]) -> Record:
    """The record in a row. Raises `msgspec.DecodeError`."""
    facts = dict(zip(NAMES, row, strict=True))
    facts["queens"] = _queens(facts["queens"])
    facts["measures"] = _measures(facts["measures"])
    return msgspec.convert(facts, Record)


def by_column(rows: Sequence[tuple[Any, ...]], names: Iterable[str]) -> dict[str, Sequence[Any]]:
    """The values of each column, which is five times as fast as by row. Raises
    `msgspec.DecodeError`.
    """
    values: dict[str, Sequence[Any]] = dict(zip(names, zip(*rows, strict=True), strict=True))
    for name, unpack in (("queens", _queens), ("measures", _measures)):
        if name in values:
            values[name] = tuple(map(unpack, values[name]))
    return values


def _packed(value: object) -> object:
    if isinstance(value, dict):
        return msgspec.json.encode(value).decode()
    # A list of a hundred squares takes half as much space as MessagePack as it does as text.
    return msgspec.msgpack.encode(value) if isinstance(value, list) else value


def _queens(value: object) -> list[int] | None:
    if value is None:
        return None
    if not isinstance(value, bytes):
        raise msgspec.ValidationError(f"queens are not a list of numbers: {value!r}"[:80])
    return msgspec.msgpack.decode(value, type=list[int])


def _measures(value: object) -> Measured | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise msgspec.ValidationError(f"measures are not an object: {value!r}"[:80])
    return msgspec.json.decode(value, type=dict[str, float | None])
