"""Records in a SQLite file, with one row per run and one transaction per row."""

import itertools
import operator
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import msgspec

from nqbench.common.errors import InputError, StoreError, at
from nqbench.common.machine.environment import Environment, Session
from nqbench.common.printable import printable
from nqbench.common.vocabulary import Outcome
from nqbench.records import facts, imports, logs, origin, outdated, rows, store_file, unchecked
from nqbench.records.record import IDENTITY, Record

if TYPE_CHECKING:
    import polars as pl

_BROKEN: Final = (OSError, OverflowError, UnicodeError, sqlite3.Error, msgspec.DecodeError)
"""The exceptions for a file that SQLite cannot use, and for values that no store has."""

_ROWS_AT_A_TIME: Final = 5000


class Made(NamedTuple):
    """What a recorded run was made with."""

    run_id: str
    environment_id: str
    family: str
    encoding: str
    encoding_version: str | None
    backend: str
    backend_version: str | None
    instance_digest: str | None
    encode_s: float | None


class Imported(NamedTuple):
    """How many runs of a file were `added`, and `replaced` those that were imported from the same
    source before.
    """

    added: int
    replaced: int


class Store:
    """The records of one results folder. The file is created if missing, unless `read_only`.

    Write-ahead logging: a process that is killed loses at most the record it was writing, and
    several processes may use one store. If the machine loses power, the file stays whole, but the
    latest records may be missing: those since SQLite last copied its log, as it does every thousand
    pages and when the last process closes the store. Every method raises `StoreError` with the
    message of SQLite, and `InputError` for a row that nqbench would not write. A database of
    another program raises `InputError` and is not changed.

    With `read_only` nothing is written, and the file and its folder need not be writable. A store
    of an earlier schema is then migrated in memory.
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
        """Store an environment; records refer to it by its id."""
        row = facts.of_environment(environment)
        with self._errors():
            self._db.execute("INSERT OR IGNORE INTO environments VALUES (?, ?)", row)

    def add_session(self, session: Session) -> None:
        """Store a session of measuring."""
        with self._errors():
            self._db.execute("INSERT INTO sessions VALUES (?, ?)", facts.of_session(session))

    def environments(self) -> list[Environment]:
        """The environments in which the records were measured."""
        with self._errors(), at(self.path):
            cursor = self._db.execute("SELECT id, facts FROM environments ORDER BY id")
            return [facts.environment(*row) for row in cursor]

    def sessions(self) -> list[Session]:
        """All sessions, earliest first."""
        with self._errors(), at(self.path):
            cursor = self._db.execute("SELECT started_at, facts FROM sessions ORDER BY started_at")
            return [facts.session(*row) for row in cursor]

    def checked(self) -> "pl.DataFrame":
        """Return the columns of all records that identify their runs. Later reads see the same
        rows, even if another process writes to the store.

        Raises `InputError` for any row that nqbench would not write.
        """
        with self._errors():
            self._db.execute("BEGIN")
        self.environments()
        self.sessions()
        return self.frame(with_outdated=True).select(IDENTITY)

    def compare(self, records: "pl.DataFrame", other: Path) -> None:
        """Raise `InputError` if a record of the other store has the id of another run here."""
        from nqbench.records import frame as table

        current = self.frame(columns=IDENTITY, with_outdated=True)
        with at(other):
            table.check_same_runs(records, current, self.path)

    def take(self, sources: Iterable[tuple["Store", str]]) -> list[tuple[int, int]]:
        """Add the records of stores that were checked, all or none. A record of a run that was done
        here, too, is another measurement of it, unless both started at the same time: it gets
        `origin.merged_id`. Each store has a name, which its records get as `merged_from`. Returns
        for each store the numbers of records added and of records that were here already.
        """
        with self._errors(), self._transaction():
            return [self._copy(source, name) for source, name in sources]

    def imported_files(self) -> imports.ImportedFiles:
        """The files that runs of this store were imported from."""
        with self._errors():
            return imports.read(self._db)

    def of_source(self, source: str, columns: Sequence[str]) -> "pl.DataFrame":
        """These columns of the records that were imported from a source."""
        from nqbench.records import frame as table

        names = ", ".join(f'"{name}"' for name in columns)
        with self._errors():
            query = f"SELECT {names} FROM records WHERE imported_from = ?"
            values = self._db.execute(query, [source]).fetchall()
        return table.of_rows(values, columns)

    def take_imported(
        self,
        records: "pl.DataFrame",
        file: imports.ImportedFile | None = None,
        removed: Sequence[str] = (),
    ) -> Imported:
        """Add the imported records of a file, all or none, which have passed `frame.admitted`. They
        replace those that were imported from the same source before, and nothing else: see
        `origin.imported_id`. Imported records with the ids `removed` are removed first.
        """
        is_same_source = "records.imported_from = excluded.imported_from"
        remove = "DELETE FROM records WHERE run_id = ? AND imported_from IS NOT NULL"
        with self._errors():
            ((before,),) = self._rows("records", "count(*)")
            with self._transaction():
                before -= self._db.executemany(remove, [[run_id] for run_id in removed]).rowcount
                changed = rows.write_table(self._db, records, is_same_source)
                if file is not None:
                    imports.write(self._db, file)
            ((after,),) = self._rows("records", "count(*)")
        added = after - before
        return Imported(added, changed - added)

    def _copy(self, source: "Store", name: str) -> tuple[int, int]:
        """Copy all rows that are missing here. Returns the numbers of records copied and kept."""
        ids, at_id, at_name = (
            self._ids_of(source),
            *map(rows.NAMES.index, ("run_id", "merged_from")),
        )

        def merged_row(row: tuple[Any, ...]) -> list[Any]:
            values = list(row)
            values[at_id], values[at_name] = ids.get(row[at_id], row[at_id]), name
            return values

        added = self._db.executemany(
            f"{rows.WRITE} records.{rows.IS_NOT_DONE} AND NOT excluded.{rows.IS_NOT_DONE}",
            map(merged_row, source._rows("records", rows.ALL)),
        ).rowcount
        for table in ("environments", "sessions"):
            copied = source._rows(table, "*")
            self._db.executemany(f"INSERT OR IGNORE INTO {table} VALUES (?, ?)", copied)
        try:
            logs.copy(source._db, self._db, ids)
            unchecked.copy(source._db, self._db)
            outdated.copy(source._db, self._db, ids)
            imports.copy(source._db, self._db)
        except InputError as error:
            raise InputError(f"{source.path} has {error}") from error
        ((in_source,),) = source._rows("records", "count(*)")
        return added, in_source - added

    def _ids_of(self, source: "Store") -> dict[str, str]:
        """The ids that records of the other store have here, where these are others."""
        is_done_here = f"NOT {rows.IS_NOT_DONE} AND imported_from IS NULL"
        columns = f"run_id, started_at, {is_done_here}, merged_from IS NOT NULL"
        ours = {run_id: row for run_id, *row in self._rows("records", columns)}
        theirs = [*source._rows("records", columns)]
        # The other store may have records of this one, as another measurement.
        twins: dict[str, str] = {}
        if any(is_merged for *_, is_merged in theirs):
            twins = {origin.merged_id(run_id, row[0]): run_id for run_id, row in ours.items()}
        ids = {}
        for run_id, started_at, is_done, _ in theirs:
            again, our_row = origin.merged_id(run_id, started_at), ours.get(run_id)
            if our_row is None:
                ids[run_id] = again if again in ours else twins.get(run_id, run_id)
            elif is_done and our_row[1] and our_row[0] != started_at:
                ids[run_id] = again
        return {run_id: other for run_id, other in ids.items() if other != run_id}

    def records(self, run_ids: Iterable[str]) -> list[Record]:
        """The existing records of these runs."""
        ids, stored = list(run_ids), list[Record]()
        with self._errors(), at(self.path):
            for start in range(0, len(ids), _ROWS_AT_A_TIME):
                some = ids[start : start + _ROWS_AT_A_TIME]
                marks = ", ".join("?" * len(some))
                query = f"SELECT {rows.ALL} FROM records WHERE run_id IN ({marks})"
                stored += map(rows.record_of, self._db.execute(query, some))
        return stored

    def add(self, record: Record, log: bytes | None = None, run: bytes | None = None) -> None:
        """Write one record, its log, if it was kept, and its packed run, if its answer is to be
        checked later. When this returns, they outlive this process, but maybe not a loss of power.

        They replace those of the same run, unless less was done than before: a whole run stays if
        the new record is capped, and either stays if it says that the run was skipped or
        unavailable.
        """
        query = (
            f"{rows.WRITE} records.{rows.IS_NOT_STARTED} OR NOT excluded.{rows.IS_NOT_DONE} "
            f"OR (records.{rows.IS_NOT_DONE} AND NOT excluded.{rows.IS_NOT_STARTED})"
        )
        with self._errors(), at(self.path):
            with self._transaction():
                if self._db.execute(query, rows.row_of(record)).rowcount:
                    logs.replace(self._db, record.run_id, log)
                    unchecked.replace(self._db, record.run_id, run)
                    outdated.remove(self._db, record.run_id)
            if not _is_file(self.path, self._file):
                raise StoreError(f"{self.path} was removed or replaced while it was written to")

    def logs(self) -> list[str]:
        """The ids of the runs whose logs were kept."""
        with self._errors():
            return logs.ids(self._db)

    def log(self, prefix: str) -> bytes:
        """The log of the run whose id starts with this.

        Raises `InputError` if there is no such run, or several, or if its log was not kept.
        """
        with self._errors(), at(self.path):
            return logs.unpacked_of(self._db, prefix)

    def set_measures(self, record: Record) -> None:
        """Replace the measures of a record, and its message, unless its run was measured again."""
        with self._errors(), at(self.path), self._transaction():
            logs.set_measures(self._db, record)

    def unchecked(self) -> list[Record]:
        """The records with answers that were not checked, in the order of their start, without
        imported ones.
        """
        with self._errors(), at(self.path):
            return unchecked.records(self._db)

    @property
    def imported_unchecked(self) -> int:
        """The number of imported records with answers that were not checked here."""
        with self._errors():
            return unchecked.imported(self._db)

    def unchecked_run(self, run_id: str) -> object | None:
        """What `add` was given as the packed run of this record, which may be anything if another
        program wrote it; None if it was given none.
        """
        with self._errors():
            return unchecked.get(self._db, run_id)

    def set_verdicts(self, records: Iterable[Record]) -> None:
        """Replace the verdicts of records that are unchecked, and what was said about them."""
        with self._errors(), at(self.path), self._transaction():
            for record in records:
                unchecked.update(self._db, record)

    def ids(self) -> set[str]:
        """The ids of all records."""
        with self._errors():
            return {run_id for (run_id,) in self._db.execute("SELECT run_id FROM records")}

    def builds(self) -> set[str]:
        """The builds of backends in all records."""
        query = "SELECT DISTINCT backend_build FROM records WHERE backend_build IS NOT NULL"
        with self._errors():
            return {build for (build,) in self._db.execute(query)}

    def recorded(self, run_ids: Sequence[str], retry_failed: bool = False) -> set[str]:
        """The ids of the runs, among these, that are done and need not be repeated.

        These exclude runs that are outdated, skipped, unavailable or capped, and with
        `retry_failed` crashed runs.
        """
        retried = {*rows.NOT_DONE, Outcome.CRASHED} if retry_failed else rows.NOT_DONE
        with self._errors():
            outcomes = self._of_runs("run_id, outcome", outdated.IS_CURRENT, run_ids)
            return {run_id for run_id, outcome in outcomes if outcome not in retried}

    def imported(self, run_ids: Sequence[str], retry_failed: bool = False) -> dict[str, str]:
        """The ids of the imported records of these runs, by the ids of the runs, of those that need
        not be done again. Of several sources, the first by name counts.
        """
        query = "SELECT DISTINCT imported_from FROM records WHERE imported_from IS NOT NULL"
        with self._errors():
            # In reverse, since a later source replaces an earlier one below.
            sources = sorted((source for (source,) in self._db.execute(query)), reverse=True)
        imported_id_of: dict[str, str] = {}
        for source in sources:
            ids = {origin.imported_id(source, run_id): run_id for run_id in run_ids}
            imported_id_of |= {
                ids[imported_id]: imported_id
                for imported_id in self.recorded(list(ids), retry_failed)
            }
        return imported_id_of

    def elsewhere(self, run_ids: Sequence[str]) -> origin.Elsewhere:
        """How many of the records with these ids were not measured for this store."""
        merged, imported = Counter[str](), Counter[str]()
        with self._errors():
            for store, source in self._of_runs("merged_from, imported_from", "true", run_ids):
                if source is not None:
                    imported[source] += 1
                elif store is not None:
                    merged[store] += 1
        return origin.Elsewhere(merged, imported)

    def made(self) -> list[Made]:
        """What each run was made with that was done here and is not outdated."""
        which = f"{outdated.IS_CURRENT} AND NOT {rows.IS_NOT_DONE} AND imported_from IS NULL"
        with self._errors():
            cursor = self._db.execute(
                f"SELECT {', '.join(Made._fields)} FROM records WHERE {which}"
            )
            return [Made(*row) for row in cursor]

    def outdate(self, run_ids: Iterable[str], why: str) -> None:
        """Mark runs as outdated, all or none, until they are measured again."""
        with self._errors(), self._transaction():
            outdated.add(self._db, run_ids, why)

    @property
    def outdated(self) -> int:
        """The number of records that are outdated."""
        with self._errors():
            return outdated.count(self._db)

    def frame(
        self,
        run_ids: Iterable[str] | None = None,
        columns: Sequence[str] = rows.NAMES,
        *,
        with_outdated: bool = False,
    ) -> "pl.DataFrame":
        """Return records as a table, in the order of their start.

        By default it has all records that are not outdated, and all fields of `Record` as columns.
        `queens` is a list of integers, and each of the `measures` is a column.
        """
        ids = None if run_ids is None else list(run_ids)
        with self._errors(), self._same_rows():
            try:
                return self._frame(columns, ids, with_outdated)
            except sqlite3.OperationalError:
                # Perhaps a text is not UTF-8. As bytes, it is refused with the name of its record.
                self._db.text_factory = store_file.text_or_bytes
                return self._frame(columns, ids, with_outdated)

    def _frame(
        self, columns: Sequence[str], run_ids: Sequence[str] | None, with_outdated: bool
    ) -> "pl.DataFrame":
        import polars as pl

        from nqbench.records import frame as table

        types = {name: kind for name, kind in table.schema().items() if name in columns}
        stored = [*types, "measures"] if "measures" in columns else list(types)
        # One column is read at least, since it says how many rows there are.
        looked_at = [*dict.fromkeys([*stored[1:], "started_at"])]
        same = {} if run_ids is not None else rows.same_in_all(self._db, looked_at)
        order = "" if "started_at" in same else " ORDER BY started_at"
        same = {name: value for name, value in same.items() if name in stored}
        stored = [name for name in stored if name not in same]
        same.pop("measures", None)  # nothing was measured
        types_read = {name: kind for name, kind in types.items() if name not in same}
        names = ", ".join(f'"{name}"' for name in stored)
        is_all = with_outdated or not outdated.count(self._db)
        which = "true" if is_all else outdated.IS_CURRENT
        chunks, row = [pl.DataFrame(schema=types_read)], 1
        if run_ids is None:
            values_of_rows: Iterator[tuple[Any, ...]] = self._db.execute(
                f"SELECT {names} FROM records WHERE {which}{order}"
            )
        else:
            values_of_rows = self._of_runs(names, which, run_ids)
        # In parts, since Python objects need ten times the memory of a table.
        while some := list(itertools.islice(values_of_rows, _ROWS_AT_A_TIME)):
            values = rows.by_column(some, stored)
            measures = values.pop("measures", ())
            in_first = {name: [value] for name, value in same.items()} if row == 1 else {}
            with at(self.path):
                table.check_types({**values, **in_first}, measures, row)
            chunks.append(table.with_measures(pl.DataFrame(values, schema=types_read), measures))
            row += len(some)
        return table.joined(chunks, same, str(self.path))

    def _of_runs(self, names: str, which: str, run_ids: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield these columns of the existing records of these runs, in the order of starts."""
        ids, values = list(run_ids), list[tuple[Any, ...]]()
        for start in range(0, len(ids), _ROWS_AT_A_TIME):
            some = ids[start : start + _ROWS_AT_A_TIME]
            marks = ", ".join("?" * len(some))
            query = f"SELECT started_at, {names} FROM records WHERE {which} AND run_id IN ({marks})"
            values += self._db.execute(query, some)
        return (row[1:] for row in sorted(values, key=operator.itemgetter(0)))

    def _rows(self, table: str, columns: str) -> Iterator[tuple[Any, ...]]:
        """Yield rows unchanged. Errors name this store, not the store that consumes the rows."""
        with self._errors():
            yield from self._db.execute(f"SELECT {columns} FROM {table}")

    @contextmanager
    def _same_rows(self) -> Iterator[None]:
        """See the same rows in several reads, even if another process writes to the store."""
        if self._db.in_transaction:
            yield
            return
        try:
            self._db.execute("BEGIN")
            yield
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            # An interruption may come when it has just begun: what follows would be lost with it.
            self._db.execute("BEGIN IMMEDIATE")
            yield
            self._db.execute("COMMIT")
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except _BROKEN as error:
            reason = printable(str(error))
            raise StoreError(f"cannot use the store {self.path}: {reason}") from error


def _is_file(path: Path, file: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), file)
    except OSError:
        return False
