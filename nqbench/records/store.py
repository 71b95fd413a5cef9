"""Records in a SQLite file: one row a run, one transaction a row."""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import msgspec

from nqbench.errors import InputError, StoreError
from nqbench.machine.conditions import Session
from nqbench.machine.environment import Environment
from nqbench.records import store_file
from nqbench.records.record import Record
from nqbench.vocabulary import Outcome

if TYPE_CHECKING:
    import polars as pl

_BROKEN: Final = (OSError, OverflowError, UnicodeError, sqlite3.Error, msgspec.DecodeError)
"""What comes of a file that SQLite cannot use, or of values that no store has."""

_ROWS_AT_A_TIME: Final = 5000
_NOT_DONE: Final = {Outcome.SKIPPED, Outcome.UNAVAILABLE}
_COLUMNS: Final = tuple(field.name for field in fields(Record))
_NAMES: Final = ", ".join(f'"{name}"' for name in _COLUMNS)
_OF_NEW: Final = ", ".join(f'"{name}" = excluded."{name}"' for name in _COLUMNS)
_WRITE: Final = (
    f"INSERT INTO records ({_NAMES}) VALUES ({', '.join('?' * len(_COLUMNS))}) "
    f"ON CONFLICT (run_id) DO UPDATE SET {_OF_NEW} WHERE "
)
"""Write a record; what follows says when it takes the place of the one of the same run."""

_IS_NOT_DONE: Final = f"outcome IN ({', '.join(repr(str(outcome)) for outcome in _NOT_DONE)})"


class Store:
    """The records of one results folder; created where there is none, unless it is `read_only`.

    Write-ahead logging: a process that is killed loses at most the record it was writing, and
    several may use one store. Every method raises `StoreError` with what SQLite says; `InputError`
    is raised for a database of another program, which stays as it is.

    With `read_only` nothing is written, not even to a store of an earlier schema: such a one is
    carried over in memory. Nor need the file or its folder be writable.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        with self._errors():
            self._db = (store_file.for_reading if read_only else store_file.for_writing)(path)
            self._file = path.stat()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def add_environment(self, environment: Environment) -> None:
        """Note where runs are measured; records refer to it by its id."""
        row = (environment.id, msgspec.json.encode(environment).decode())
        with self._errors():
            self._db.execute("INSERT OR IGNORE INTO environments VALUES (?, ?)", row)

    def add_session(self, session: Session) -> None:
        """Note when, how and under which conditions some runs were measured."""
        facts = msgspec.json.encode(session).decode()
        with self._errors():
            self._db.execute("INSERT INTO sessions VALUES (?, ?)", (session.started.at, facts))

    def environments(self) -> list[Environment]:
        """Where the records were measured."""
        with self._errors():
            rows = self._db.execute("SELECT facts FROM environments ORDER BY id").fetchall()
            return [msgspec.json.decode(facts, type=Environment) for (facts,) in rows]

    def sessions(self) -> list[Session]:
        """When and how, the earliest first."""
        with self._errors():
            rows = self._db.execute("SELECT facts FROM sessions ORDER BY started_at").fetchall()
            return [msgspec.json.decode(facts, type=Session) for (facts,) in rows]

    def merge(self, other: Path) -> tuple[int, int]:
        """Add the records of another store that are not in this one, or say here only that the run
        was not done; how many these were, and how many are of runs that are recorded here already:
        these stay as they are here.
        """
        if other.exists() and other.samefile(self.path):
            raise StoreError(f"{other} is the store itself: name another one")
        with Store(other, read_only=True) as source, self._errors():
            source._check()
            self._db.execute("BEGIN IMMEDIATE")
            try:
                added = self._copy(source)
                ((there,),) = source._rows("records", "count(*)")
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
        return added, there - added

    def _copy(self, source: "Store") -> int:
        """Copy all that is there and not here; the number of records."""
        added = self._db.executemany(
            f"{_WRITE} records.{_IS_NOT_DONE} AND NOT excluded.{_IS_NOT_DONE}",
            source._rows("records", _NAMES),
        ).rowcount
        for table in ("environments", "sessions"):
            rows = source._rows(table, "*")
            self._db.executemany(f"INSERT OR IGNORE INTO {table} VALUES (?, ?)", rows)
        return added

    def _check(self) -> None:
        """Raise `InputError` if a row here is none that nqbench would write. What is read after
        that is what was looked at, whoever writes meanwhile.
        """
        with self._errors():
            self._db.execute("BEGIN")
        self.frame()
        self.environments()
        self.sessions()

    def records(self, run_ids: Iterable[str]) -> list[Record]:
        """The records of these runs, as far as there are any."""
        wanted, found = list(run_ids), list[Record]()
        with self._errors():
            for start in range(0, len(wanted), _ROWS_AT_A_TIME):
                some = wanted[start : start + _ROWS_AT_A_TIME]
                marks = ", ".join("?" * len(some))
                query = f"SELECT {_NAMES} FROM records WHERE run_id IN ({marks})"
                found += map(_record, self._db.execute(query, some))
        return found

    def add(self, record: Record) -> None:
        """Write one record; it is there for good when this returns.

        It replaces the one of the same run, unless it says only that the run was not done, and the
        other one tells how it went.
        """
        with self._errors():
            self._db.execute(
                f"{_WRITE} records.{_IS_NOT_DONE} OR NOT excluded.{_IS_NOT_DONE}", _row(record)
            )
            if not _is_file(self.path, self._file):
                raise StoreError(f"{self.path} was removed or replaced while it was written to")

    def recorded(self, retry_failed: bool = False) -> set[str]:
        """The ids of the runs that need not be done again.

        Those that were skipped or found their solver missing are not among them, nor with
        `retry_failed` those that crashed.
        """
        retried = {*_NOT_DONE, Outcome.CRASHED} if retry_failed else _NOT_DONE
        with self._errors():
            rows = self._db.execute("SELECT run_id, outcome FROM records")
            return {run_id for run_id, outcome in rows if outcome not in retried}

    def frame(
        self, run_ids: Iterable[str] | None = None, columns: Sequence[str] = _COLUMNS
    ) -> "pl.DataFrame":
        """Records as a table with fields of `Record` as columns, in the order of their start.

        All of them, or those of the given runs; all fields, or those asked for. `queens` is a list
        of integers.
        """
        import polars as pl

        from nqbench.records import frame as table

        types = {name: kind for name, kind in table.schema().items() if name in columns}
        names = ", ".join(f'"{name}"' for name in types)
        chunks = []
        with self._errors():
            found = self._db.execute(f"SELECT {names} FROM records ORDER BY started_at")
            # Some at a time: as objects of Python records take ten times the room of a table.
            while rows := found.fetchmany(_ROWS_AT_A_TIME):
                values = _by_column(rows, types)
                if flaw := table.flaw_of_types(values):
                    raise InputError(f"{self.path}: {flaw}")
                chunks.append(pl.DataFrame(values, schema=types))
        frame = pl.concat(chunks) if chunks else pl.DataFrame(schema=types)
        frame = table.admitted(frame, str(self.path))
        if run_ids is None:
            return frame
        wanted = pl.DataFrame({"run_id": list(run_ids)}, schema={"run_id": pl.String})
        return frame.join(wanted, on="run_id", how="semi", maintain_order="left")

    def _rows(self, table: str, what: str) -> Iterator[tuple[Any, ...]]:
        """Rows as they lie here. What goes wrong is told of this store, not of who takes them."""
        with self._errors():
            yield from self._db.execute(f"SELECT {what} FROM {table}")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except _BROKEN as error:
            raise StoreError(f"cannot use the store {self.path}: {error}") from error


def _by_column(rows: Sequence[tuple[Any, ...]], names: Iterable[str]) -> dict[str, Sequence[Any]]:
    """The values of each column: five times as fast as by row."""
    values: dict[str, Sequence[Any]] = dict(zip(names, zip(*rows, strict=True), strict=True))
    if "queens" in values:
        values["queens"] = tuple(map(_unpacked, values["queens"]))
    return values


def _is_file(path: Path, file: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), file)
    except OSError:
        return False


def _record(row: tuple[object, ...]) -> Record:
    facts = dict(zip(_COLUMNS, row, strict=True))
    facts["queens"] = _unpacked(facts["queens"])
    return msgspec.convert(facts, Record)


def _row(record: Record) -> list[object]:
    values = [getattr(record, name) for name in _COLUMNS]
    # A list of a hundred squares takes half the room as MessagePack that it takes as text.
    return [msgspec.msgpack.encode(v) if isinstance(v, list) else v for v in values]


def _unpacked(value: object) -> list[int] | None:
    if value is None:
        return None
    if not isinstance(value, bytes):
        raise msgspec.ValidationError(f"queens are not a list of numbers: {value!r}"[:80])
    return msgspec.msgpack.decode(value, type=list[int])
