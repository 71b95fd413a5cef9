"""Makes records of what a file states about runs.

A statement is a row of a table, whose columns are those of records, or measures. A file states what
it knows: a problem, a solver and a time at least. Nothing in it was checked here, so each verdict
is `unchecked`; a run that took as long as its limit, or longer, is a timeout whatever it answered.
"""

import hashlib
from collections.abc import Mapping
from typing import Final

import polars as pl

from nqbench.errors import InputError
from nqbench.imported import cells, words
from nqbench.limits import Limits
from nqbench.records import frame, origin, record
from nqbench.records.columns import OF_RECORDS
from nqbench.records.measures import is_name
from nqbench.spelling import suggestion
from nqbench.vocabulary import AS_IT_IS, Answer, CheckedBy, Outcome, Task, Verdict

_DECIDED_HERE: Final = {
    "run_id", "environment_id", "verdict", "checked_by", "imported_from", "queens", "solutions",
    "task", "cap_s", "best_k", "merged_from", "stopped_in", "load_at_least_s", "solve_at_least_s",
    "decode_at_least_s",
}  # fmt: skip
"""The columns that no file can state."""

FIELDS: Final = tuple(name for name in OF_RECORDS if name not in _DECIDED_HERE)
"""The columns of records that a file can state; others are measures."""

IDENTITY: Final = (
    "imported_from",
    *(name for name in record.IDENTITY if name not in {"run_id", "repeat"}),
    *("cpus", "machine"),
)
"""What differs between two runs that are not repeats of each other."""

Stated = Mapping[str, str | float | None]
"""What holds for all runs of a file, by column."""


def check_field(name: str) -> None:
    """Raise `InputError` for what is neither one of `FIELDS` nor a measure."""
    if name not in FIELDS and (name in OF_RECORDS or not is_name(name)):
        raise InputError(f"'{name}' cannot be imported: {suggestion(name, FIELDS)}")


def as_records(
    statements: pl.DataFrame, source: str, stated: Stated | None = None, label: str = ""
) -> pl.DataFrame:
    """The records of these runs, with the columns of `frame.schema` and the measures.

    `stated` holds for all of them and replaces what a row states. `source` is the name by which the
    records say where they come from; `label` is that of the file in this source. Raises
    `InputError` for a value that no record can have, and if a problem, a solver, a time or its
    limit is missing.
    """
    constant = {name: value for name, value in (stated or {}).items() if value is not None}
    for name in (*statements.columns, *constant):
        check_field(name)
    table = statements.with_columns(pl.lit(v).alias(name) for name, v in constant.items())
    table = _typed(table)
    for needed in ("backend", "time_limit_s"):
        if needed not in table.columns:
            raise InputError(f"nothing states {needed}{_HINTS[needed]}")
    if not {"instance", "n"} & set(table.columns):
        raise InputError("nothing states instance or n, which name the problem")
    _check_problems(table)
    table = _completed(_ended(_with_time(table)), source)
    ids = _ids(table, label or source)
    # Without ids, a message names the row of the file.
    types, admitted = frame.schema(), frame.admitted(table, source)
    found = origin.as_imported(admitted.with_columns(ids))
    return found.select(*types, *frame.measures_of(table))


_HINTS: Final = {
    "backend": ", the name of the solver: give --set backend=NAME, take it from the name of the "
    "file as in --match 'file=(?P<backend>.+)[.]csv', or choose --from wide-csv if each solver has "
    "a column",
    "time_limit_s": ", without which unsolved runs have no cost: give the time limit",
}


def _typed(table: pl.DataFrame) -> pl.DataFrame:
    """The table with numbers where a column has numbers, without spaces around texts. Raises
    `InputError` for a text that is no number.
    """
    made = []
    for name in table.columns:
        kind = frame.schema().get(name, pl.Float64())
        column = table[name]
        if column.dtype == pl.String:
            column = column.str.strip_chars()
            column = column.set(column == "", None)
        if kind != pl.String and name not in ("answer", "outcome"):
            made.append(cells.numbers(column, kind))
        else:
            made.append(column.cast(pl.String))
    return table.with_columns(made)


def _check_problems(table: pl.DataFrame) -> None:
    """Raise `InputError` for a row that does not name its problem."""
    names = [table[name].is_null() for name in ("instance", "n") if name in table.columns]
    unnamed = names[0] & names[-1]
    if unnamed.any():
        raise InputError(f"row {int(unnamed.arg_max() or 0) + 1}: instance is missing")


def _with_time(table: pl.DataFrame) -> pl.DataFrame:
    """The table with solve_s: the time that the file states, whatever it includes."""
    times = [name for name in ("solve_s", "wall_s", "cpu_s") if name in table.columns]
    if not times:
        raise InputError("nothing states solve_s, wall_s or cpu_s, the time of a run")
    return table.with_columns(solve_s=pl.coalesce(times))


def _ended(table: pl.DataFrame) -> pl.DataFrame:
    """The table with outcomes and answers of the closed vocabularies."""
    if not set(words.KNOWN) & set(table.columns):
        raise InputError("nothing states answer or outcome, so nobody knows which runs were solved")
    for name, known in words.KNOWN.items():
        there = name in table.columns
        column = words.read(table, name, known) if there else pl.lit(None, pl.String)
        table = table.with_columns(column.alias(name))
    answer, outcome = pl.col("answer"), pl.col("outcome")
    finished = str(Outcome.FINISHED)
    is_answered = answer.is_in([Answer.SAT, Answer.UNSAT, Answer.UNSTATED])
    failed = outcome.is_not_null() & (outcome != finished)
    ended = (
        pl.when(failed)
        .then(outcome)
        .when(_is_over(table))
        .then(pl.lit(str(Outcome.TIMEOUT)))
        .when(is_answered | (outcome == finished))
        .then(pl.lit(finished))
        # A solver that gave up, and took nobody knows how long, did not leave a whole record.
        .when((answer == Answer.UNKNOWN) & pl.col("solve_s").is_not_null())
        .then(pl.lit(finished))
        .otherwise(pl.lit(str(Outcome.CRASHED)))
    )
    table = table.with_columns(outcome=ended)
    is_finished = outcome == finished
    # A work limit is an answer, too: the solver said that it does not know.
    said = (
        pl.when(is_finished)
        .then(answer.fill_null(str(Answer.UNSTATED)))
        .when(outcome == Outcome.WORK_LIMIT)
        .then(pl.lit(str(Answer.UNKNOWN)))
    )
    has_answer = is_finished | (outcome == Outcome.WORK_LIMIT)
    return table.with_columns(answer=said, solve_s=pl.when(has_answer).then("solve_s"))


def _is_over(table: pl.DataFrame) -> pl.Expr:
    """Whether a run took as long as a limit. If only CPU time was limited, `time_limit_s` is that
    limit, and a run may wait for longer.
    """
    over = pl.col("solve_s") >= pl.col("time_limit_s")
    if not {"cpu_s", "cpu_limit_s"} <= set(table.columns):
        return over
    is_other = pl.col("time_limit_s") != pl.col("cpu_limit_s")
    by_cpu = (pl.col("cpu_s") >= pl.col("cpu_limit_s")) | (over & is_other)
    known = pl.col("cpu_s").is_not_null() & pl.col("cpu_limit_s").is_not_null()
    return pl.when(known).then(by_cpu).otherwise(over)


def _completed(table: pl.DataFrame, source: str) -> pl.DataFrame:
    """The table with all columns of records."""
    defaults: dict[str, str | float] = {
        "family": "cnf",
        "instance": "",
        "encoding": AS_IT_IS,
        "memory_limit_by": str(Limits().memory_by),
        "cpus": "",
        "seed": 0,
        "machine": f"{origin.MACHINE_OF}{source}",
        "harness": "imported",
        "started_at": 0.0,
        "message": "",
    }
    decided = {
        "environment_id": "",
        "verdict": str(Verdict.UNCHECKED),
        "checked_by": str(CheckedBy.NONE),
        "task": str(Task.FIRST),
        "imported_from": source,
    }
    types = {name: kind for name, kind in frame.schema().items() if name != "run_id"}
    filled = [
        pl.col(name).fill_null(value) if name in table.columns else pl.lit(value, types[name])
        for name, value in defaults.items()
    ]
    table = table.with_columns(
        *(each.cast(types[name]).alias(name) for each, name in zip(filled, defaults, strict=True)),
        *(pl.lit(value).alias(name) for name, value in decided.items()),
    )
    missing = [name for name in types if name not in table.columns]
    table = table.with_columns(pl.lit(None, types[name]).alias(name) for name in missing)
    if table["repeat"].is_null().any():
        table = table.with_columns(repeat=pl.int_range(pl.len()).over(IDENTITY).cast(pl.Int64))
    return table


def _ids(table: pl.DataFrame, label: str) -> pl.Series:
    """The id of each run, from its identity and from the file that it is in. Raises `InputError`
    for two rows about one run.
    """
    facts = table.select(*IDENTITY, "repeat").iter_rows()
    hashes = [
        hashlib.blake2b(repr((label, row)).encode(), digest_size=16).hexdigest() for row in facts
    ]
    ids = pl.Series("run_id", hashes, pl.String)
    if ids.n_unique() < len(ids):
        row = int((~ids.is_first_distinct()).arg_max() or 0)
        raise InputError(f"row {row + 1}: the same run and repeat as in a row before")
    return ids


def with_next_repeats(records: pl.DataFrame, earlier: pl.DataFrame) -> pl.DataFrame:
    """The records, in which the numbers of repeats go on after those of `earlier` records of the
    same source. Those that replace one of them get its number. `earlier` has the columns
    `EARLIER`.
    """
    if earlier.is_empty():
        return records
    stored = earlier.select("run_id", stored="repeat")
    counted = earlier.group_by(IDENTITY).agg(taken="repeat", following=pl.col("repeat").max() + 1)
    table = records.select("run_id", "repeat", *IDENTITY).with_row_index("row")
    table = table.join(stored, on="run_id", how="left")
    table = table.join(counted, on=IDENTITY, how="left", nulls_equal=True).sort("row")
    is_new = pl.col("stored").is_null()
    clashes = is_new & pl.col("repeat").is_in(pl.col("taken"))
    moves = clashes.fill_null(value=False).any().over(IDENTITY) & is_new
    place = pl.col("repeat").rank("ordinal").over(*IDENTITY, is_new) - 1
    number = pl.when(moves).then(pl.col("following") + place.cast(pl.Int64)).otherwise("repeat")
    repeat = table.select(pl.coalesce("stored", number).alias("repeat"))["repeat"]
    return records.with_columns(repeat=repeat.cast(pl.Int64))


EARLIER: Final = ("run_id", "repeat", *IDENTITY)
"""The columns by which `with_next_repeats` finds repeats of a run."""
