"""Reads records from a store, an export, or an export in a git revision."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nqbench import files
from nqbench.errors import InputError
from nqbench.records.store import Store

if TYPE_CHECKING:
    import polars as pl

LARGEST_FILE: Final = 4 * 2**30
"""The largest export, in bytes."""

STORE_NAME = "nqbench.db"
RESULTS: Final = Path("results")
"""The folder of results if the user names none."""


def read(source: str, columns: Sequence[str] | None = None) -> "pl.DataFrame":
    """Return the records of a source, at least one, with a unique name for each problem (see
    `frame.told_apart`). With `columns`, only those are read from a store.

    Raises as `read_raw` does.
    """
    from nqbench.records import frame

    return frame.told_apart(read_raw(source, columns))


def read_both(first: str, second: str) -> "tuple[pl.DataFrame, pl.DataFrame]":
    """Return the records of two sources, with the same unique name for each problem in both, and
    the measures of both as columns.
    """
    import polars as pl

    from nqbench.records import frame

    one, other = read_raw(first), read_raw(second)
    both = frame.told_apart(pl.concat([one, other], how="diagonal"))
    return both.head(len(one)), both.tail(len(other))


def read_raw(source: str, columns: Sequence[str] | None = None) -> "pl.DataFrame":
    """Return the records of a source unchanged.

    `source` is a results folder, a store (.db), an export (.csv, .jsonl, .parquet), or an export in
    a git revision of the current repository, as in `main:results/records.csv`. Raises `InputError`
    if the source does not exist or has no records, `StoreError` for a bad store.
    """
    path = Path(source)
    store = path / STORE_NAME if path.is_dir() else path
    if store.suffix == ".db":
        if not store.exists():
            raise InputError(f"no store at {store}: nqbench run creates one")
        with Store(store, read_only=True) as opened:
            records = opened.frame() if columns is None else opened.frame(columns=columns)
    else:
        records = _parsed(source, _content(source))
    if records.is_empty():
        raise InputError(f"{source} has no records yet")
    return records


def _content(source: str) -> bytes:
    if ":" not in source or Path(source).exists():
        return files.content(Path(source), LARGEST_FILE)
    revision, _, path = source.partition(":")
    try:
        shown = subprocess.run(
            ["git", "show", f"{revision}:./{path}"], capture_output=True, check=True
        )
    except FileNotFoundError as error:
        raise InputError(f"cannot read {source}: git is not installed") from error
    except subprocess.CalledProcessError as error:
        reason = error.stderr.decode(errors="replace").strip().partition("\n")[0]
        raise InputError(f"cannot read {source}: {reason}") from error
    return shown.stdout


def _parsed(source: str, content: bytes) -> "pl.DataFrame":
    import polars as pl

    from nqbench.records import formats, frame

    readers = {
        ".csv": formats.from_csv,
        ".jsonl": formats.from_jsonl,
        ".parquet": formats.from_parquet,
    }
    suffix = Path(source).suffix
    if suffix not in readers:
        expected = ", ".join(readers)
        raise InputError(f"{source} is neither a results folder nor a .db, {expected} file")
    try:
        return frame.admitted(_read(readers[suffix], source, content), source)
    except pl.exceptions.PolarsError as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{source} is not an export of records: {reason}") from error
    except BaseException as error:
        # Polars ends with a Rust panic on some damaged files.
        if type(error).__name__ != "PanicException":
            raise
        raise InputError(f"{source} is not an export of records: it is damaged") from error


def _read(reader: "Callable[[bytes], pl.DataFrame]", source: str, content: bytes) -> "pl.DataFrame":
    try:
        return reader(content)
    except InputError as error:
        raise InputError(f"{source}: {error}") from error
