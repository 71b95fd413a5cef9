"""Records as a table, and checks of tables from outside."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum
from typing import Final

import polars as pl

from nqbench.errors import InputError
from nqbench.limits import MemoryBy
from nqbench.problems.queens import FAMILIES, LARGEST_N
from nqbench.records import measures
from nqbench.records.measures import Measured
from nqbench.records.record import COLUMNS, SIGNED, Record, plain_type
from nqbench.vocabulary import Answer, CheckedBy, Loading, Outcome, Task, Verdict

_POLARS: Final[dict[type, type[pl.DataType]]] = {int: pl.Int64, float: pl.Float64, str: pl.String}
_REQUIRED: Final = (
    "run_id",
    "family",
    "instance",
    "encoding",
    "backend",
    "time_limit_s",
    "memory_limit_bytes",
    "task",
    "repeat",
    "machine",
    "harness",
    "started_at",
    "outcome",
    "verdict",
    "checked_by",
    "message",
)
_VOCABULARIES: Final[dict[str, type[StrEnum]]] = {
    "outcome": Outcome,
    "answer": Answer,
    "verdict": Verdict,
    "checked_by": CheckedBy,
    "task": Task,
    "memory_limit_by": MemoryBy,
    "loading": Loading,
}
_LONGEST_TEXT: Final = 10_000
_UNPRINTABLE: Final = r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]"
_LARGEST_INTEGER: Final = 2**63 - 1
_MOST_MEASURES: Final = 1000


IDENTIFYING: Final = ("run_id", "started_at", "verdict", "message")
"""The fields in which two records differ: those of one run by their start, those of one start by
their check.
"""


def schema() -> pl.Schema:
    """The columns of a table of records: the fields of `Record`, with `queens` as a list of int. A
    table may have more columns, one for each measure.
    """
    columns = {name: _POLARS[plain_type(name)] for name in COLUMNS}
    return pl.Schema(columns | {"queens": pl.List(pl.Int64)})


def of(records: Iterable[Record]) -> pl.DataFrame:
    """The records as a table, in their order."""
    rows = [asdict(record) for record in records]
    return with_measures(pl.DataFrame(rows, schema=schema()), [row["measures"] for row in rows])


def with_measures(table: pl.DataFrame, measured: Sequence[Measured | None]) -> pl.DataFrame:
    """The table with a column for each measure; `measured` has those of each row, or is empty."""
    names = dict.fromkeys(name for each in measured if each for name in each)
    values = ([each.get(name) if each else None for each in measured] for name in names)
    return table.with_columns(map(pl.Series, names, values, [pl.Float64] * len(names)))


def measures_of(table: pl.DataFrame) -> list[str]:
    """The columns of a table that are measures."""
    return [name for name in table.columns if measures.is_name(name)]


def digest(records: pl.DataFrame) -> str:
    """A hash of the records as `IDENTIFYING` shows them, 32 hexadecimal digits: the same for the
    same records in any order.
    """
    rows = sorted(records.select(IDENTIFYING).iter_rows())
    return hashlib.blake2b(repr(rows).encode(), digest_size=16).hexdigest()


def told_apart(table: pl.DataFrame) -> pl.DataFrame:
    """The table with a unique name for each problem. If several share a name, part of their digest
    is added to each.
    """
    name = ["family", "n", "instance"]
    if not {*name, "problem_digest"} <= set(table.columns):
        return table
    several = pl.col("problem_digest").drop_nulls().n_unique().over(name) > 1
    marked = pl.format(
        "{} [{}]", "instance", pl.col("problem_digest").str.head(6)
    ).str.strip_chars()
    return table.with_columns(
        pl.when(several & pl.col("problem_digest").is_not_null())
        .then(marked)
        .otherwise("instance")
        .alias("instance")
    )


def joined(tables: Sequence[pl.DataFrame], source: str) -> pl.DataFrame:
    """All rows of tables from outside, checked as `admitted` does. Their measures may differ."""
    if len({name for table in tables for name in measures_of(table)}) > _MOST_MEASURES:
        raise InputError(f"{source}: more than {_MOST_MEASURES} measures")
    return admitted(pl.concat(tables, how="diagonal"), source)


def flaw_of_measures(measured: Iterable[Measured | None]) -> str | None:
    """The first impossible measure, in words; None if there is none."""
    return next((flaw for each in measured if each and (flaw := measures.flaw(each))), None)


def admitted(table: pl.DataFrame, source: str) -> pl.DataFrame:
    """Check a table from outside, with some or all columns of `schema` and any measures, and
    replace its control characters.

    Raises an `InputError` with the source for a value that nqbench would not write.
    """
    if flaw := _flaw(table):
        raise InputError(f"{source}: {flaw}")
    texts = [name for name, kind in table.schema.items() if kind == pl.String]
    if "n" in table.columns:
        # Formulas had n = 0 in earlier exports.
        table = table.with_columns(n=pl.when(pl.col("n") != 0).then("n"))
    return table.with_columns(pl.col(texts).str.replace_all(_UNPRINTABLE, "?"))


def flaw_of_types(columns: Mapping[str, Sequence[object]]) -> str | None:
    """The first value with a type other than its column in `schema`, in words; None if there is
    none. A float column may hold whole numbers.
    """
    for name, values in columns.items():
        kind = plain_type(name)
        allowed = {type(None), kind} | ({int} if kind is float else set())
        if name == "queens":
            allowed = {type(None), list}
        for value in values if set(map(type, values)) - allowed else ():
            if type(value) not in allowed:
                return f"{name} is {value!r:.40}, which is not of type {kind.__name__}"
        if name == "queens" and any(_beyond(squares) for squares in values):
            return "queens holds a number of more than 64 bits"
    return None


def _beyond(squares: object) -> bool:
    return isinstance(squares, list) and any(abs(s) > _LARGEST_INTEGER for s in squares)


def _flaw(table: pl.DataFrame) -> str | None:
    """The first impossible value of a record, in words; None if there is none."""
    wrong = {
        name: condition
        for name, kind in table.schema.items()
        if (condition := _wrong(name, kind)) is not None
    }
    found = table.select(condition.any().alias(name) for name, condition in wrong.items())
    for name in wrong:
        if found[name].item():
            value = table.filter(wrong[name])[name][0]
            missing = f"a record without {name}"
            return missing if value is None else f"{name} is {value!r:.40}, which is not allowed"
    return _flaw_of_finished(table) or _flaw_of_queens(table)


def _flaw_of_finished(table: pl.DataFrame) -> str | None:
    if not {"outcome", "solve_s"} <= set(table.columns):
        return None
    unmeasured = (pl.col("outcome") == Outcome.FINISHED) & pl.col("solve_s").is_null()
    return None if table.filter(unmeasured).is_empty() else "a finished run without solve_s"


def _flaw_of_queens(table: pl.DataFrame) -> str | None:
    if not {"queens", "n", "family"} <= set(table.columns):
        return None
    on_boards = pl.col("family").is_in(FAMILIES)
    long = table.filter(on_boards & (pl.col("queens").list.len() > pl.col("n") * pl.col("n")))
    if long.is_empty():
        return None
    return f"queens has {len(long['queens'][0])} squares where n is {long['n'][0]}"


def _wrong(name: str, kind: pl.DataType) -> pl.Expr | None:
    """An expression for the impossible values of a column; None if any value is possible."""
    column = pl.col(name)
    conditions = [column.is_null()] if name in _REQUIRED else []
    if name in _VOCABULARIES:
        conditions.append(~column.is_in(list(_VOCABULARIES[name])))
    elif kind == pl.String:
        conditions.append(column.str.len_bytes() > _LONGEST_TEXT)
    if kind == pl.Float64:
        is_measure = measures.is_name(name)
        conditions.append(~column.is_finite() | (column < 0 if not is_measure else False))
    if kind == pl.Int64 and name not in SIGNED:
        conditions.append(column < 0)
    if name == "n":
        conditions.append(column > LARGEST_N)
    if name == "time_limit_s":
        conditions.append(column <= 0)
    return pl.any_horizontal(c.fill_null(False) for c in conditions) if conditions else None
