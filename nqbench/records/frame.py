"""Records as a table, and checks of tables from outside."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

import polars as pl

from nqbench.common.errors import InputError, Place, at
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Task, Verdict
from nqbench.problems.queens import FAMILIES
from nqbench.records import integrity, measures, origin
from nqbench.records.columns import LONGEST_TEXT, OF_RECORDS, shown
from nqbench.records.measures import Measured
from nqbench.records.record import IDENTITY, Record

_POLARS: Final[dict[type, pl.DataType]] = {
    int: pl.Int64(),
    float: pl.Float64(),
    str: pl.String(),
    list: pl.List(pl.Int64),
}
_UNPRINTABLE: Final = r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]"
MOST_MEASURES: Final = 1000
"""The largest number of measures of a table."""


IDENTIFYING: Final = ("run_id", "started_at", "verdict", "message")
"""The fields in which two records differ: those of one run by their start, those of one start by
their check.
"""


def schema() -> pl.Schema:
    """The columns of a table of records: the fields of `Record` but for the measures. A table
    may have more columns, one for each measure.
    """
    return pl.Schema({name: _POLARS[column.kind] for name, column in OF_RECORDS.items()})


def of(records: Iterable[Record]) -> pl.DataFrame:
    """The records as a table, in their order."""
    rows = [asdict(record) for record in records]
    return with_measures(pl.DataFrame(rows, schema=schema()), [row["measures"] for row in rows])


def of_rows(rows: Sequence[tuple[object, ...]], columns: Sequence[str]) -> pl.DataFrame:
    """Rows of a store as a table with these columns, none of which is packed."""
    types = schema()
    return pl.DataFrame(rows, {name: types[name] for name in columns}, orient="row", strict=False)


def with_measures(table: pl.DataFrame, values_of_rows: Sequence[Measured | None]) -> pl.DataFrame:
    """The table with a column for each measure; `values_of_rows` has those of each row, or
    is empty.
    """
    names = dict.fromkeys(name for row in values_of_rows if row for name in row)
    values = ([row.get(name) if row else None for row in values_of_rows] for name in names)
    return table.with_columns(map(pl.Series, names, values, [pl.Float64] * len(names)))


def measures_of(table: pl.DataFrame) -> list[str]:
    """The columns of a table that are measures."""
    return [name for name in table.columns if measures.is_name(name)]


def stored_once(table: pl.DataFrame) -> pl.DataFrame:
    """The same table, in which a column that has one value in all rows holds it once, which saves
    memory and time: most columns of imported records are such.
    """
    if table.is_empty():
        return table
    plain = [name for name, kind in table.schema.items() if not kind.is_nested()]
    first_row = table.select(plain).head(1)
    is_one = table.select(pl.col(name).eq_missing(pl.col(name).first()).all() for name in plain)
    return table.with_columns(
        pl.lit(first_row[name][0], table.schema[name]).alias(name)
        for name in plain
        if is_one[name][0]
    )


def records_digest(records: pl.DataFrame) -> str:
    """A hash of the records as `IDENTIFYING` shows them, 32 hexadecimal digits: the same for the
    same records in any order.
    """
    # As a CSV: Python needs ten times as long for the rows as tuples.
    rows = records.select(IDENTIFYING).sort(IDENTIFYING).write_csv()
    return hashlib.blake2b(rows.encode(), digest_size=16).hexdigest()


def told_apart(table: pl.DataFrame) -> pl.DataFrame:
    """The table with a unique name for each problem, and for each combination by source."""
    return problems_told_apart(sources_told_apart(table))


def problems_told_apart(table: pl.DataFrame) -> pl.DataFrame:
    """The table with a unique name for each problem. If several share a name, part of their digest
    is added to each.
    """
    name = ["family", "n", "instance"]
    digest = "problem_digest"
    if not {*name, digest} <= set(table.columns) or table[digest].is_null().all():
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


def sources_told_apart(table: pl.DataFrame) -> pl.DataFrame:
    """The table with the source in the name of an imported backend, if another source, or nqbench
    here, has the same combination.
    """
    pair = ["encoding", "backend"]
    if not {*pair, "imported_from"} <= set(table.columns) or table["imported_from"].is_null().all():
        return table
    source = pl.col("imported_from")
    several = source.fill_null("").n_unique().over(pair) > 1
    with_source = pl.format("{} [{}]", "backend", source)
    backend = pl.when(several & source.is_not_null()).then(with_source).otherwise("backend")
    return table.with_columns(backend=backend)


def joined(tables: Sequence[pl.DataFrame], same: Mapping[str, object], source: str) -> pl.DataFrame:
    """All rows of tables from outside, checked as `admitted` does. Their measures may differ. The
    columns in `same` are added to them, with one value in all rows, which is stored once.
    """
    # Before they are joined: each measure is a column of the whole table.
    _check_number({name for table in tables for name in measures_of(table)}, source)
    types, rows = schema(), pl.concat(tables, how="diagonal")
    filled = rows.with_columns(pl.lit(same[name], types[name]).alias(name) for name in same)
    names = [name for name in types if name in filled.columns]
    return admitted(filled.select(*names, *measures_of(rows)), source)


def admitted(table: pl.DataFrame, source: str) -> pl.DataFrame:
    """Check a table from outside, with some or all columns of `schema` and any measures, and
    replace its control characters.

    Raises an `InputError` with the source, the record and the column for a value that nqbench would
    not write.
    """
    _check_number(measures_of(table), source)
    with at(source):
        _check_values(table)
        _check_endings(table)
        _check_boards(table)
        _check_names(table)
        _check_ids(table)
    texts = [
        name
        for name, column in OF_RECORDS.items()
        if name in table.columns and column.kind is str and not (column.words or column.pattern)
    ]
    return table.with_columns(pl.col(texts).str.replace_all(_UNPRINTABLE, "?"))


def _check_number(names: Collection[str], source: str) -> None:
    if len(names) > MOST_MEASURES:
        raise InputError(f"more than {MOST_MEASURES} measures", place=Place(source))


def check_types(
    values: Mapping[str, Sequence[object]], measures: Sequence[object] = (), row: int = 1
) -> None:
    """Raise `InputError` for the first value of another type than its column in `schema`.
    `measures` has those of each record, or is empty; `row` is the number of the first one.
    """

    def error(index: int, flaw: str) -> InputError:
        ids = values.get("run_id")
        return InputError(flaw, place=integrity.place(ids[index] if ids else None, row + index))

    for name, column in values.items():
        if (index := OF_RECORDS[name].misfit(column)) is not None:
            raise error(index, f"{name} {OF_RECORDS[name].flaw(column[index])}")
    for index, of_record in enumerate(measures):
        if flaw := integrity.flaw_of_measures(of_record):
            raise error(index, flaw)


def row_error(table: pl.DataFrame, row: int, flaw: str) -> InputError:
    """The error about the record in a row, counted from 0."""
    run_id = table["run_id"][row] if "run_id" in table.columns else None
    return InputError(flaw, place=integrity.place(run_id, row + 1))


def _check_values(table: pl.DataFrame) -> None:
    """Raise `InputError` for the first value that no record of nqbench has."""
    wrong = {
        name: condition
        for name, kind in table.schema.items()
        if (condition := _wrong(name, kind)) is not None
    }
    has_wrong = table.select(condition.any().alias(name) for name, condition in wrong.items())
    for name, condition in wrong.items():
        if has_wrong[name].item():
            row = _first(table, condition)
            (value,) = table.select(name).row(row)
            flaw = "is missing" if value is None else f"is {shown(value)}, which is not allowed"
            raise row_error(table, row, f"{name} {flaw}")


def _wrong(name: str, kind: pl.DataType) -> pl.Expr | None:
    """Which values of a column are impossible, as `Domain.flaw` says; None if any is possible."""
    values = pl.col(name)
    if name not in OF_RECORDS:
        return ~values.is_finite() if measures.is_name(name) and kind == pl.Float64 else None
    column = OF_RECORDS[name]
    conditions = [values.is_null()] if column.required else []
    if column.words:
        conditions.append(~values.is_in(sorted(column.words)))
    elif column.kind is str:
        length = values.str.len_chars()
        conditions += [length > LONGEST_TEXT, length < column.shortest]
        conditions.append(values.str.contains("\0", literal=True))
        if column.pattern:
            conditions.append(~values.str.contains(f"^(?:{column.pattern})$"))
    elif column.kind is list:
        conditions.append(values.list.eval(pl.element().is_null()).list.any())
    else:
        conditions += [values < column.least, values > column.most]
        conditions.append((values != 0) & (values.abs() < column.finest))
    if column.kind is float:
        conditions.append(~values.is_finite())
    return pl.any_horizontal(condition.fill_null(value=False) for condition in conditions)


def _check_endings(table: pl.DataFrame) -> None:
    """Raise `InputError` for the first record whose columns contradict each other."""
    if table.is_empty() or not {*integrity.ENDING, "solve_s"} <= set(table.columns):
        return
    columns = [name for name in integrity.FILLED if name in table.columns]
    filled = [pl.when(pl.col(name).is_not_null()).then(pl.lit(value=True)) for name in columns]
    ends = table.select(*integrity.ENDING, *map(pl.Expr.alias, filled, columns)).with_row_index(
        "row"
    )
    # There are few different ones, so each is judged in Python.
    for facts in ends.unique([*integrity.ENDING, *columns], keep="first").sort("row").to_dicts():
        assumed: dict[str, object] = dict.fromkeys(integrity.FILLED)
        assumed["cap_s"] = facts["outcome"] == Outcome.CAPPED or None
        assumed["imported_from"] = (
            facts["answer"] == Answer.UNSTATED or facts["checked_by"] == CheckedBy.SOURCE or None
        )
        assumed["memory_limit_bytes"] = True
        of_best = facts.get("queens") if facts["task"] == Task.BEST else None
        if not facts.get("objective_text"):
            assumed["objective"] = facts.get("objective_s") or of_best
        if flaw := integrity.contradiction(assumed | facts):
            raise row_error(table, facts["row"], flaw)


def _check_boards(table: pl.DataFrame) -> None:
    """Raise `InputError` for the first board whose queens are not on it."""
    if not set(integrity.BOARD) <= set(table.columns):
        return
    queens, squares = pl.col("queens").list, pl.col("n") * pl.col("n")
    outside = (queens.max() > squares) | (queens.min() < 1)
    wrong = (
        pl.col("n").is_null()
        | (queens.len() > squares)
        | ((pl.col("verdict") == Verdict.VERIFIED) & outside)
    )
    suspicious = pl.col("family").is_in(FAMILIES) & wrong.fill_null(value=False)
    if not table.select(suspicious.any()).item():
        return
    row = _first(table, suspicious)
    facts = table.select(integrity.BOARD).row(row, named=True)
    raise row_error(table, row, integrity.misplaced(facts) or "")


def _check_names(table: pl.DataFrame) -> None:
    """Raise `InputError` for the first record with an id that only records from elsewhere have, or
    only others.
    """
    if not set(integrity.NAMED) <= set(table.columns):
        return
    if not table.select(origin.flawed().any()).item():
        return
    row = _first(table, origin.flawed())
    facts = table.select(integrity.NAMED).row(row, named=True)
    raise row_error(table, row, origin.flaw(facts) or "")


def _check_ids(table: pl.DataFrame) -> None:
    """Raise `InputError` for the first record with the id of another one."""
    if "run_id" not in table.columns or table["run_id"].n_unique() == len(table):
        return
    row = _first(table, ~pl.col("run_id").is_first_distinct())
    flaw = f"run_id is {table['run_id'][row]}, as in a row before"
    raise InputError(flaw, place=Place(row=row + 1))


def _first(table: pl.DataFrame, condition: pl.Expr) -> int:
    """The first row that fulfils the condition; there must be one."""
    return int(table.select(condition.fill_null(value=False).arg_true()).item(0, 0))


OF_RUNS: Final = (*IDENTITY, "machine", "imported_from", "merged_from")
"""The columns that `measured_again` needs."""


def measured_again(table: pl.DataFrame) -> int:
    """The number of runs with several records, of which at least one was merged."""
    same = [name for name in OF_RUNS if name not in {"run_id", "merged_from"}]
    own = table.filter(pl.col("imported_from").is_null())
    groups = own.group_by(same).agg(pl.len(), merged=pl.col("merged_from").is_not_null().any())
    return len(groups.filter((pl.col("len") > 1) & pl.col("merged")))


def check_same_runs(theirs: pl.DataFrame, ours: pl.DataFrame, path: Path) -> None:
    """Raise `InputError` for the first record of theirs whose id is that of another run in ours,
    at this path. Both have the columns `IDENTITY`.
    """
    pairs = theirs.join(ours, on="run_id", suffix=" here")
    for name in IDENTITY[1:]:
        # Null: not recorded by an earlier version.
        other = pairs.filter(pl.col(name) != pl.col(f"{name} here"))
        if not other.is_empty():
            run_id, their_value, our_value = other.select("run_id", name, f"{name} here").row(0)
            reason = f"{name} is {shown(their_value)}, but {shown(our_value)} in {path}"
            raise InputError(reason, place=Place(field=f"record {run_id}"))
