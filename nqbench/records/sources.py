"""Reads records from a store, an export, or an export in a git revision."""

import itertools
import subprocess
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nqbench.common import files
from nqbench.common.errors import InputError, Place, at
from nqbench.common.printable import printable

if TYPE_CHECKING:
    import polars as pl

    from nqbench.common.machine.environment import Environment

LARGEST_FILE: Final = 4 * 2**30
"""The largest export, in bytes."""

STORE: Final = ".db"
"""The ending of stores."""

STORE_NAME = "nqbench.db"
BUNDLE: Final = ".zip"
"""The ending of bundles."""

RECORDS: Final = "records.csv"
"""The export in a bundle."""

EXPORTS: Final = (".csv", ".jsonl", ".parquet")
"""The endings of exports that can be read."""

RESULTS: Final = Path("results")
"""The folder of results if the user names none."""


def is_store(source: Path) -> bool:
    """Whether it is a results folder or a store, existing or not, and no export."""
    return source.is_dir() or source.suffix == STORE


def store(source: Path) -> Path:
    """The path of the store in a results folder, or of a store that is named itself.

    Raises `InputError` if it does not exist, and for an export, which has only records.
    """
    _check_name(source)
    if source.is_dir():
        path = source / STORE_NAME
        if not path.exists():
            raise InputError(f"no store in {shown(source)}: nqbench run creates one")
        return path
    if not source.exists():
        raise _missing_source(source)
    if source.suffix in (*EXPORTS, BUNDLE):
        kind = "a bundle" if source.suffix == BUNDLE else "an export"
        raise InputError(f"{shown(source)} is {kind}: give the results folder, or its store")
    return source


def _check_name(source: Path) -> None:
    """Raise `InputError` for a name that the system refuses, such as one that is too long."""
    try:
        source.exists()
    except OSError as error:
        raise InputError(f"cannot read {shown(source)}: {error.strerror}") from error


def _missing_source(source: str | Path) -> InputError:
    return InputError(f"no results at {shown(source)}: nqbench run creates them")


def new_store(source: Path) -> Path:
    """The same for a store that may be missing: a name that ends in .db is that of the store."""
    return source / STORE_NAME if source.is_dir() or source.suffix != STORE else source


def shown(source: str | Path) -> str:
    """A source for a message; its name may hold anything."""
    return printable(str(source))


def read(source: str | Path, columns: Sequence[str] | None = None) -> "pl.DataFrame":
    """Return the records of a source, at least one, with a unique name for each problem (see
    `frame.told_apart`). With `columns`, only those are read.

    Raises as `read_raw` does.
    """
    from nqbench.records import frame

    return frame.told_apart(read_raw(source, columns))


def read_together(*names: str | Path) -> "list[pl.DataFrame]":
    """Return the records of several sources, with the same unique name for each problem in all, and
    the measures of all as columns.
    """
    import polars as pl

    from nqbench.records import frame

    # Each side is named, so one may have been measured here and the other imported.
    tables = [frame.sources_told_apart(read_raw(name)) for name in names]
    every = frame.problems_told_apart(pl.concat(tables, how="diagonal"))
    ends = list(itertools.accumulate(map(len, tables), initial=0))
    return [every[start:end] for start, end in itertools.pairwise(ends)]


def read_raw(source: str | Path, columns: Sequence[str] | None = None) -> "pl.DataFrame":
    """Return the records of a source unchanged.

    `source` is a results folder, a store (.db), an export (.csv, .jsonl, .parquet), a bundle
    (.zip), or an export in a git revision of the current repository, as in
    `main:results/records.csv`. Raises `InputError`
    if the source does not exist or has no records, `StoreError` for a bad store.
    """
    path, name = Path(source), str(source)
    _check_name(path)
    if not path.exists() and path.suffix not in EXPORTS:
        _check_revision(name)
    if is_store(path):
        from nqbench.records.store import Store

        with Store(store(path), read_only=True) as opened:
            records = opened.frame() if columns is None else opened.frame(columns=columns)
    elif path.suffix in EXPORTS:
        records = parsed(name, _content(name), columns)
    elif path.suffix == BUNDLE and path.is_file():
        records = parsed(f"{name}/{RECORDS}", _in_bundle(path), columns)
    elif path.exists():
        expected = ", ".join([*EXPORTS, BUNDLE])
        raise InputError(f"{shown(name)} is neither a results folder nor a .db, {expected} file")
    else:
        raise _missing_source(name)
    if records.is_empty() and outdated(source):
        raise InputError(f"{shown(name)} has only outdated records: nqbench run measures again")
    if records.is_empty():
        raise InputError(f"{shown(name)} has no records yet")
    return records


def outdated(source: str | Path) -> int:
    """The number of records in a source that `read` leaves out, since their code has changed.
    Raises `InputError` for a store that does not exist.
    """
    _check_name(Path(source))
    if not is_store(Path(source)):
        return 0
    from nqbench.records.store import Store

    with Store(store(Path(source)), read_only=True) as opened:
        return opened.outdated


def environments(source: str | Path) -> "dict[str, Environment]":
    """The environments of the records of a source, by id; none for an export, which lacks them."""
    if not is_store(Path(source)):
        return {}
    from nqbench.records.store import Store

    with Store(store(Path(source)), read_only=True) as opened:
        return {environment.id: environment for environment in opened.environments()}


def _check_revision(source: str) -> None:
    """Raise `InputError` if the source is a git revision, or begins with one, but names no export
    in it.
    """
    revision = source.partition(":")[0]
    command = [
        "git",
        "rev-parse",
        "--quiet",
        "--verify",
        "--end-of-options",
        f"{revision}^{{commit}}",
    ]
    try:
        is_revision = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except (FileNotFoundError, ValueError):
        return
    if is_revision:
        raise InputError(
            f"{shown(source)} names no export in a revision: only {', '.join(EXPORTS)} can be read "
            f"from one, as {shown(revision)}:records.csv"
        )


def _content(source: str) -> bytes:
    if ":" not in source or Path(source).exists():
        return files.content(Path(source), LARGEST_FILE)
    revision, _, path = source.partition(":")
    try:
        process = subprocess.run(
            ["git", "show", f"{revision}:./{path}"], capture_output=True, check=True
        )
    except FileNotFoundError as error:
        raise InputError(f"cannot read {source}: git is not installed") from error
    except subprocess.CalledProcessError as error:
        reason = error.stderr.decode(errors="replace").strip().partition("\n")[0]
        raise InputError(f"cannot read {source}: {reason}") from error
    return process.stdout


def _in_bundle(path: Path) -> bytes:
    """The export in a bundle. What else is in it, a replay checks."""
    try:
        with files.opened(path, LARGEST_FILE) as file, zipfile.ZipFile(file) as archive:
            if archive.getinfo(RECORDS).file_size > LARGEST_FILE:
                raise InputError(f"{RECORDS} is too large", place=Place(shown(path)))
            return archive.read(RECORDS)
    except KeyError as error:
        raise InputError(f"{shown(path)} is no bundle: it has no {RECORDS}") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise InputError(f"{shown(path)} is no bundle, or is damaged: {error}") from error


def of_table(table: Any) -> "pl.DataFrame":
    """Return the records in a table of Polars or pandas as `read` does: one that `nqbench.run`
    returned, or a part of it. Raises `InputError` for anything else.
    """
    from nqbench.records import formats, frame, origin

    admitted = frame.admitted(origin.as_imported(formats.from_table(as_polars(table))), "the table")
    if admitted.is_empty():
        raise InputError("the table has no records")
    return frame.told_apart(admitted)


def is_table(source: object) -> bool:
    """Whether it is a table, and not the place of one."""
    return hasattr(source, "columns") and hasattr(source, "shape")


def as_polars(table: Any) -> "pl.DataFrame":
    """A table of Polars or pandas as one of Polars. Raises `InputError` for anything else."""
    import polars as pl

    if isinstance(table, pl.DataFrame):
        return table.rechunk()  # Polars 2.1 panics if columns consist of different chunks
    if type(table).__module__.partition(".")[0] != "pandas":
        raise InputError(f"{table!r:.40} is no table of records, as returned by run or read")
    try:
        return pl.from_pandas(table)
    except ImportError as error:
        raise InputError(
            "a table of pandas needs pyarrow: pip install 'nqbench[pandas]'"
        ) from error


def parsed(source: str, content: bytes, columns: Sequence[str] | None = None) -> "pl.DataFrame":
    """Return the records in the content of an export; `source` names it, with its ending. With
    `columns`, only those are read. Raises `InputError` for anything else.
    """
    import polars as pl

    from nqbench.records import formats, frame, origin

    readers = {
        ".csv": formats.from_csv,
        ".jsonl": formats.from_jsonl,
        ".parquet": formats.from_parquet,
    }
    try:
        table = _read(readers[Path(source).suffix], source, content, columns)
        ids = table["run_id"].fill_null("")
        if len(ids) and (ids == "").all() and (columns is None or "run_id" in columns):
            raise InputError(f"{source} is no export of nqbench: it lacks run_id, so import it")
        selected = table if columns is None else table.select(columns)
        # Earlier, imported records had the ids and verdicts of their source.
        return frame.admitted(origin.as_imported(selected), source)
    except pl.exceptions.PolarsError as error:
        flaw = formats.misshapen(content) if Path(source).suffix == ".csv" else None
        reason = flaw or str(error).strip().partition("\n")[0]
        raise InputError(f"{source} is not an export of records: {reason}") from error


def _read(
    reader: "Callable[[bytes, Sequence[str] | None], pl.DataFrame]",
    source: str,
    content: bytes,
    columns: Sequence[str] | None,
) -> "pl.DataFrame":
    with at(source):
        return reader(content, columns)
