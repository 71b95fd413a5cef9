"""Where a record comes from: it was measured for this store, merged from another one, or imported.

A merged record keeps its id, unless that is the id of another measurement: of the same run, on a
machine of the same kind. Then it has an id of its own, too, and is a repeat of that run.

An imported record has a separate id, which no run has. It never replaces a run that would be
measured here, and both can be in one store. Its answer was not checked here, so it is not
verified, whatever its source says.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final

import msgspec

from nqbench.common.vocabulary import CheckedBy, Verdict

if TYPE_CHECKING:
    import polars as pl

MARK: Final = "i"
"""The first character of the id of an imported record. It is not a hexadecimal digit."""

MACHINE_OF: Final = "the machine of "
"""What the machine of a source that does not name it is called, before the name of the source."""

_VERIFIED: Final = "verified elsewhere by "
"""The message about an answer that its source says was verified, before what it was checked by."""


class Origin(IntEnum):
    """Who measured and checked a record, the most trusted first. `MERGED`: this user elsewhere, as
    whoever calls `merge` says.
    """

    HERE = 0
    MERGED = 1
    IMPORTED = 2


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """How many of some records were not measured for this store: by the store that they were
    `merged` from, and by the source that they were `imported` from.
    """

    merged: Mapping[str, int]
    imported: Mapping[str, int]

    def __bool__(self) -> bool:
        return bool(self.merged or self.imported)


def imported_id(source: str, run_id: str) -> str:
    """The id of the record that was imported from this source as `run_id`."""
    digest = hashlib.blake2b(msgspec.json.encode([source, run_id]), digest_size=16).hexdigest()
    return f"{MARK}{digest[1:]}"


def merged_id(run_id: str, started_at: float) -> str:
    """The id of a merged record where another record of its run is already."""
    content = msgspec.json.encode([run_id, started_at])
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def flaw(facts: Mapping[str, Any]) -> str | None:
    """Why a record cannot have its run_id, in words; None if it can. A missing column counts as
    empty.
    """
    run_id, source = str(facts["run_id"]), facts["imported_from"]
    if run_id.startswith(MARK) != (source is not None):
        is_filled = "missing" if source is None else "filled"
        return f"run_id is {run_id}, but imported_from is {is_filled}"
    return None


def flawed() -> "pl.Expr":
    """The condition on a row of a table that `flaw` has something to say."""
    import polars as pl

    marked = pl.col("run_id").str.starts_with(MARK)
    return marked != pl.col("imported_from").is_not_null()


def as_imported(table: "pl.DataFrame") -> "pl.DataFrame":
    """The records with the ids and the verdicts of imported ones where `imported_from` is filled,
    as far as the table has these columns. Records that are as they should be stay as they are.
    """
    import polars as pl

    if "imported_from" not in table.columns or table["imported_from"].is_null().all():
        return table
    is_imported = pl.col("imported_from").is_not_null()
    if "verdict" in table.columns:
        is_verified = is_imported & (pl.col("verdict") == Verdict.VERIFIED)
        values = {
            "verdict": pl.lit(str(Verdict.UNCHECKED)),
            "checked_by": pl.lit(str(CheckedBy.NONE)),
        }
        if {"checked_by", "message"} <= set(table.columns):
            who_verified = pl.format(f"{_VERIFIED}{{}}", "checked_by")
            has_none = pl.col("message").fill_null("") == ""
            values["message"] = pl.when(has_none).then(who_verified).otherwise("message")
        table = table.with_columns(
            pl.when(is_verified).then(value).otherwise(name).alias(name)
            for name, value in values.items()
            if name in table.columns
        )
    if "run_id" in table.columns:
        rows = table.select("imported_from", "run_id").iter_rows()
        ids = [_id_of(source, run_id) for source, run_id in rows]
        table = table.with_columns(run_id=pl.Series(ids, dtype=pl.String))
    return table


def _id_of(source: Any, run_id: Any) -> Any:
    """The id of a record with these values; what cannot be an id stays as it is."""
    texts = isinstance(source, str) and isinstance(run_id, str)
    return imported_id(source, run_id) if texts and not run_id.startswith(MARK) else run_id


EARLIER: Final = (
    f"UPDATE records SET message = '{_VERIFIED}' || checked_by "
    "WHERE imported_from IS NOT NULL AND verdict = 'verified' AND message = ''",
    "UPDATE records SET verdict = 'unchecked', checked_by = 'none' "
    "WHERE imported_from IS NOT NULL AND verdict = 'verified'",
    "UPDATE records SET run_id = imported_id(imported_from, run_id) "
    "WHERE imported_from IS NOT NULL",
)
"""What makes imported records in a store of an earlier schema such as `as_imported` returns."""


def add_functions(db: Any) -> None:
    """Give a connection the function that `EARLIER` calls."""
    db.create_function("imported_id", 2, _id_of, deterministic=True)
