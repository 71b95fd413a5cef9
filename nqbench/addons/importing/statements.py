"""Makes records of what a file states about runs.

A statement is a row of a table, whose columns are those of records, measures, and `ONLY_STATED`. A
file states what it knows: a problem, a solver and a time at least. Nothing in it was checked here,
so no answer is verified. One that the file calls wrong, or that it did not expect, is refuted by
its source. A run that took as long as its limit, or longer, is a timeout whatever it answered, and
one of which the file states neither an ending nor a time did not take place.
"""

import hashlib
import itertools
import math
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final

import polars as pl

from nqbench.addons.importing import cells, status_words
from nqbench.addons.importing.cells import RowsError
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.spelling import suggestion
from nqbench.common.units import counted
from nqbench.common.vocabulary import AS_IT_IS, Answer, CheckedBy, Outcome, Task, Verdict
from nqbench.records import frame, origin, record
from nqbench.records.columns import OF_RECORDS
from nqbench.records.measures import is_name
from nqbench.records.record import DECIDED_HERE

ONLY_STATED: Final = ("status", "solved", "expected", "wrong")
"""What a file can state besides the columns of records: an answer or an outcome in one column,
whether a run was solved, which answer was expected, and whether the answer is wrong.
"""

FIELDS: Final = (*(name for name in OF_RECORDS if name not in DECIDED_HERE), *ONLY_STATED)
"""What a file can state; other columns are measures."""

LINE: Final = "line of the file"
"""The column with the number of the line of each row, for messages, if a file has lines."""

RUN_TIMES: Final = ("solve_s", "wall_s", "cpu_s")
"""The times of a run, in the order in which the first that is stated counts."""

_OF_ENDING: Final = (*status_words.ENDINGS, "solved")
"""What says how a run ended."""

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
    statements: pl.DataFrame,
    source: str,
    stated: Stated | None = None,
    notes: list[str] | None = None,
    label: str = "",
) -> pl.DataFrame:
    """The records of these runs, with the columns of `frame.schema` and the measures.

    `stated` holds for all of them and replaces what a row states. `source` is the name by which the
    records say where they come from; `label` is that of the file in this source. What a user should
    know is added to `notes`: how many runs are left out, or wrong. Raises `InputError` for a value
    that no record can have, and if a problem, a solver, a time or its limit is missing.
    """
    constants = {name: value for name, value in (stated or {}).items() if value is not None}
    for name in (*statements.columns, *constants):
        if name not in (LINE, status_words.INSTEAD_OF_TIME):
            check_field(name)
    table = split_times(statements)
    table = table.with_columns(pl.lit(v).alias(name) for name, v in constants.items())
    _check_columns(table)
    sentences = [] if notes is None else notes
    noun = "line" if LINE in table.columns else "row"
    if noun == "row":
        table = table.with_row_index(LINE, 1)
    table = _those_that_ran(table, sentences)
    with cells.in_lines(table[LINE], noun):
        return _as_records(table.drop(LINE), source, sentences, label)


def _as_records(table: pl.DataFrame, source: str, notes: list[str], label: str) -> pl.DataFrame:
    table = _parse_columns(table)
    _check_problems(table)
    ended = _set_endings(_with_time(table), notes)
    notes.extend(_notes(ended))
    notes.extend(_notes_of_copies(table))
    only_stated = (*ONLY_STATED, status_words.INSTEAD_OF_TIME)
    completed = _fill_columns(ended.drop(only_stated, strict=False), source)
    ids = _ids(completed, label or source)
    # Without ids, a message names the row of the file.
    types, admitted = frame.schema(), _admit_rows(completed, source)
    records = origin.as_imported(admitted.with_columns(ids))
    return records.select(*types, *frame.measures_of(completed))


def _admit_rows(table: pl.DataFrame, source: str) -> pl.DataFrame:
    """What `frame.admitted` returns. What it says about a row is an error about that row."""
    try:
        return frame.admitted(table, source)
    except InputError as error:
        if error.place.row is not None:
            raise RowsError([error.place.row - 1], error.reason) from error
        raise


_LATE: Final = (
    "every answer came after the time limit, so no run is solved: times in milliseconds need an "
    "option such as --unit solve_s=ms"
)


def split_times(table: pl.DataFrame, meanings: Mapping[str, str] | None = None) -> pl.DataFrame:
    """The table with words such as TIMEOUT, which are in columns of times, in a column of their
    own. If no other column says how runs ended, those with a time have finished.
    """
    words = {
        name: status_words.instead_of_times(table[name], meanings)
        for name in RUN_TIMES
        if name in table.columns and table.schema[name] == pl.String
    }
    if not any(column.is_not_null().any() for column in words.values()):
        return table
    if not {*_OF_ENDING} & {*table.columns}:
        has_time = ~pl.all_horizontal(*map(status_words.is_nothing, table[list(words)]))
        table = table.with_columns(outcome=pl.when(has_time).then(pl.lit(str(Outcome.FINISHED))))
    return table.with_columns(
        *(table[name].set(column.is_not_null(), None) for name, column in words.items()),
        pl.DataFrame(words)
        .select(pl.coalesce(pl.all()))
        .to_series()
        .alias(status_words.INSTEAD_OF_TIME),
    )


def _check_columns(table: pl.DataFrame) -> None:
    """Raise `InputError` if a column is missing without which there are no records."""
    names = set(table.columns)
    if "backend" not in names:
        raise InputError(
            "nothing states backend, the name of the solver: write --map backend=COLUMN or "
            "--set backend=NAME, take it from the name of the file as in --match "
            "'file=(?P<backend>.+)[.]csv', or choose --from wide-csv if each solver has a column"
        )
    if "time_limit_s" not in names:
        raise InputError(
            "nothing states time_limit_s, without which unsolved runs have no cost: give the time "
            "limit, as in --time-limit 5000s"
        )
    if not {"instance", "n"} & names:
        raise InputError(
            "nothing states instance or n, which name the problem: write --map instance=COLUMN"
        )
    if not {*RUN_TIMES} & names:
        raise InputError(
            "nothing states solve_s, wall_s or cpu_s, the time of a run: write --map solve_s=COLUMN"
        )
    if not {*_OF_ENDING} & names:
        raise InputError(
            "nothing states answer or outcome, so nobody knows which runs were solved: write "
            "--map answer=COLUMN, or --map status=COLUMN for answers and outcomes in one column"
        )


def _those_that_ran(table: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """The rows of runs that took place. Raises `InputError` if there is none."""
    endings = [table[name] for name in _OF_ENDING if name in table.columns]
    times = [table[name] for name in RUN_TIMES if name in table.columns]
    texts = [column.cast(pl.String) for column in (*endings, *times)]
    says_nothing = pl.all_horizontal(*map(status_words.is_nothing, texts))
    not_run = (status_words.is_not_run(column.cast(pl.String)) for column in endings)
    left_out = table.select((says_nothing | pl.any_horizontal(*not_run)).alias("left out"))
    number = int(left_out["left out"].sum())
    if not number:
        return table
    if number == len(table):
        raise InputError(f"none of its {counted(number, 'run')} took place: it states no time")
    are = "is" if number == 1 else "are"
    notes.append(f"{counted(number, 'run')} that never started {are} left out")
    return table.filter(~left_out["left out"])


def _parse_columns(table: pl.DataFrame) -> pl.DataFrame:
    """The table with numbers where a column has numbers, without spaces around texts. Raises
    `InputError` for a text that is no number. The time of a run without an end is infinite.
    """
    columns = []
    for name in table.columns:
        kind = frame.schema().get(name, pl.Float64())
        column = table[name]
        if column.dtype == pl.String:
            column = column.str.strip_chars()
            column = column.set(column == "", None)
        if kind == pl.String or name in status_words.KNOWN:
            columns.append(column.cast(pl.String))
        elif name in RUN_TIMES:
            columns.append(_times(column))
        else:
            columns.append(cells.numbers(column, kind))
    return table.with_columns(columns)


def _times(column: pl.Series) -> pl.Series:
    """Times as numbers, of which some may be infinite."""
    if column.dtype == pl.String:
        return cells.numbers(column, pl.Float64())
    is_endless = (column.cast(pl.Float64) == math.inf).fill_null(value=False)
    times = cells.numbers(column.cast(pl.Float64).set(is_endless, None), pl.Float64())
    return times.set(is_endless, math.inf)


def _check_problems(table: pl.DataFrame) -> None:
    """Raise `InputError` for a row that does not name its problem."""
    names = [table[name].is_null() for name in ("instance", "n") if name in table.columns]
    unnamed = names[0] & names[-1]
    if unnamed.any():
        raise RowsError(unnamed.arg_true().to_list(), "instance is missing")


def _with_time(table: pl.DataFrame) -> pl.DataFrame:
    """The table with solve_s: the time that the file states, whatever it includes."""
    return table.with_columns(
        solve_s=pl.coalesce(name for name in RUN_TIMES if name in table.columns)
    )


def _set_endings(table: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """The table with outcomes, answers and verdicts of the closed vocabularies."""
    table, has_answers = _stated_endings(table)
    answer, outcome = pl.col("answer"), pl.col("outcome")
    finished = str(Outcome.FINISHED)
    is_answered = answer.is_in([Answer.SAT, Answer.UNSAT, Answer.UNSTATED])
    failed = outcome.is_not_null() & (outcome != finished)
    over = _is_over(table).fill_null(value=False)
    _check_times(table, ~failed, is_answered)
    is_late = table.filter(is_answered & ~failed).select(over).to_series()
    if len(is_late) and is_late.all():
        notes.append(_LATE)
    ended = (
        pl.when(failed)
        .then(outcome)
        .when(over)
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
    final_answer = (
        pl.when(is_finished)
        .then(answer.fill_null(str(Answer.UNKNOWN if has_answers else Answer.UNSTATED)))
        .when(outcome == Outcome.WORK_LIMIT)
        .then(pl.lit(str(Answer.UNKNOWN)))
    )
    has_answer = is_finished | (outcome == Outcome.WORK_LIMIT)
    # The time of a run that failed may be a mark, such as -1 or inf.
    times = [
        pl.when(pl.col(name).is_between(0, sys.float_info.max)).then(name).alias(name)
        for name in RUN_TIMES
        if name in table.columns
    ]
    table = table.with_columns(times).with_columns(
        answer=final_answer, solve_s=pl.when(has_answer).then("solve_s")
    )
    return _set_verdicts(table)


def _stated_endings(table: pl.DataFrame) -> tuple[pl.DataFrame, bool]:
    """The table with the answer and the outcome that each row states, in whichever column, and
    whether the file states answers at all. Raises `InputError` for two answers to one run.
    """
    known_words = status_words.read(table)
    endings = [known_words[name] for name in status_words.ENDINGS if name in known_words.columns]
    definite = [_only(column, (Answer.SAT, Answer.UNSAT)) for column in endings]
    vague = [_only(column, (Answer.UNSTATED, Answer.UNKNOWN)) for column in endings]
    _check_agreement(definite)
    failures = [_only(column, set(Outcome) - {Outcome.FINISHED}) for column in endings]
    finished = [_only(column, (Outcome.FINISHED,)) for column in endings]
    is_wrong = pl.any_horizontal(
        pl.lit(value=False),
        *((column == status_words.WRONG).fill_null(value=False) for column in endings),
    )
    has_answers = any(column.is_not_null().any() for column in definite) or any(
        column.name == "answer" and (column.is_in(list(Answer)).any() or column.is_null().all())
        for column in endings
    )
    nothing = pl.lit(None, pl.String)
    table = table.with_columns(known_words).with_columns(
        answer=pl.coalesce(
            *definite, pl.when(is_wrong).then(pl.lit(str(Answer.UNSTATED))), *vague, nothing
        ),
        outcome=pl.coalesce(
            *failures, *finished, pl.when(is_wrong).then(pl.lit(str(Outcome.FINISHED))), nothing
        ),
        wrong=pl.when(is_wrong)
        .then(pl.lit("yes"))
        .otherwise(known_words["wrong"] if "wrong" in known_words.columns else nothing),
    )
    return _with_solved(table) if "solved" in known_words.columns else table, has_answers


def _only(column: pl.Series, words_of_interest: Collection[str]) -> pl.Series:
    """The column with null for all but these words."""
    return column.set(~column.is_in(list(map(str, words_of_interest))), None)


def _check_agreement(answers: Sequence[pl.Series]) -> None:
    """Raise `InputError` for a row to which these columns have different answers."""
    for one, other in itertools.combinations(answers, 2):
        differ = (one != other).fill_null(value=False)
        if differ.any():
            rows = differ.arg_true().to_list()
            flaw = f"{one.name} is {one[rows[0]]}, but {other.name} is {other[rows[0]]}"
            raise RowsError(rows, f"{flaw}: if one was expected, write --map expected=COLUMN")


def _with_solved(table: pl.DataFrame) -> pl.DataFrame:
    """The table with the outcome and answer of rows that state whether they were solved. Raises
    `InputError` for an answer in time of a run that was not solved.
    """
    answer, outcome = pl.col("answer"), pl.col("outcome")
    finished = pl.lit(str(Outcome.FINISHED))
    is_right = (pl.col("wrong") != "yes").fill_null(value=True)
    is_solved, is_unsolved = pl.col("solved") == "yes", is_right & (pl.col("solved") == "no")
    is_answered = answer.is_in([Answer.SAT, Answer.UNSAT])
    in_time = ~_is_over(table).fill_null(value=False) & (outcome.fill_null(finished) == finished)
    lost = table.select(odd=(is_unsolved & is_answered & in_time).fill_null(value=False))["odd"]
    if lost.any():
        rows = lost.arg_true().to_list()
        flaw = f"answer is {table['answer'][rows[0]]}, but solved says no"
        raise RowsError(rows, f"{flaw}: if the answer is wrong, write --map wrong=COLUMN")
    return table.with_columns(
        answer=pl.when(is_unsolved & (outcome == finished))
        .then(pl.lit(str(Answer.UNKNOWN)))
        .otherwise(answer),
        outcome=pl.when(is_solved).then(outcome.fill_null(finished)).otherwise(outcome),
    )


def _check_times(table: pl.DataFrame, counts: pl.Expr, is_answered: pl.Expr) -> None:
    """Raise `InputError` for the time of a run that `counts` and cannot have taken so long."""
    needs_time = is_answered | (pl.col("outcome") == Outcome.FINISHED)
    flaws: dict[str, Callable[[pl.Expr], pl.Expr]] = {
        "which is not allowed: a time is at least 0": lambda time: counts & (time < 0),
        "which is no time of an answer": lambda time: counts & is_answered & time.is_infinite(),
    }
    for name in RUN_TIMES:
        if name not in table.columns:
            continue
        for flaw, condition in flaws.items():
            rows = table.select(odd=condition(pl.col(name)).fill_null(value=False))["odd"]
            if rows.any():
                cells.refuse(table[name], rows, flaw)
    # When a wrong answer came is often not stated, and it does not count.
    counts &= (pl.col("wrong") != "yes").fill_null(value=True)
    lacks_time = counts & needs_time & pl.col("solve_s").is_null()
    rows = table.select(odd=lacks_time.fill_null(value=False))["odd"]
    if rows.any():
        raise RowsError(rows.arg_true().to_list(), "solve_s is missing, but outcome is finished")


def _set_verdicts(table: pl.DataFrame) -> pl.DataFrame:
    """The table with the verdict on each answer: refuted if the file calls it wrong, or expected
    another one.
    """
    answer = pl.col("answer")
    no_word = pl.lit(None, pl.String)
    expected, wrong = (
        pl.col(name) if name in table.columns else no_word for name in ("expected", "wrong")
    )
    definite = [Answer.SAT, Answer.UNSAT]
    is_unexpected = answer.is_in(definite) & expected.is_in(definite) & (answer != expected)
    is_wrong = answer.is_in([*definite, Answer.UNSTATED]) & (wrong == "yes")
    is_refuted = (pl.col("outcome") == Outcome.FINISHED) & (
        is_unexpected.fill_null(value=False) | is_wrong.fill_null(value=False)
    )
    reason = (
        pl.when(is_unexpected.fill_null(value=False))
        .then(pl.format("the source expected {}", expected))
        .otherwise(pl.lit("the source calls this answer wrong"))
    )
    message = pl.col("message") if "message" in table.columns else no_word
    messages = pl.concat_str(
        pl.when(message != "").then(message),
        pl.when(is_refuted).then(reason),
        separator="; ",
        ignore_nulls=True,
    )
    by = pl.when(is_refuted)
    return table.with_columns(
        verdict=by.then(pl.lit(str(Verdict.REFUTED))).otherwise(pl.lit(str(Verdict.UNCHECKED))),
        checked_by=by.then(pl.lit(str(CheckedBy.SOURCE))).otherwise(pl.lit(str(CheckedBy.NONE))),
        message=messages,
    )


def _notes(table: pl.DataFrame) -> Iterator[str]:
    """What a user should know about these runs."""
    if wrong := int((table["verdict"] == Verdict.REFUTED).sum()):
        yield f"{counted(wrong, 'answer')} {'is' if wrong == 1 else 'are'} wrong, says the file"


def _notes_of_copies(table: pl.DataFrame) -> Iterator[str]:
    """How many rows state what an earlier one does, with a time that would hardly repeat."""
    times = [name for name in RUN_TIMES if name in table.columns]
    timed = table.filter(pl.any_horizontal(pl.col(times) > 0))
    if copies := len(timed) - timed.n_unique():
        rows = "1 row is" if copies == 1 else f"{copies:,} rows are"
        yield (
            f"{rows} equal to another one in all that is read; equal rows count as repeats: remove "
            "copies from the file, or map what tells them apart"
        )


def _is_over(table: pl.DataFrame) -> pl.Expr:
    """Whether a run took as long as a limit. If only CPU time was limited, `time_limit_s` is that
    limit, and a run may wait for longer.
    """
    over = pl.col("solve_s") >= pl.col("time_limit_s")
    if not {"cpu_s", "cpu_limit_s"} <= set(table.columns):
        return over
    is_other = pl.col("time_limit_s") != pl.col("cpu_limit_s")
    by_cpu = (pl.col("cpu_s") >= pl.col("cpu_limit_s")) | (over & is_other)
    has_cpu_time = pl.col("cpu_s").is_not_null() & pl.col("cpu_limit_s").is_not_null()
    return pl.when(has_cpu_time).then(by_cpu).otherwise(over)


def _fill_columns(table: pl.DataFrame, source: str) -> pl.DataFrame:
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
        "task": str(Task.FIRST),
        "imported_from": source,
    }
    types = {name: kind for name, kind in frame.schema().items() if name != "run_id"}
    filled = [
        pl.col(name).fill_null(value) if name in table.columns else pl.lit(value, types[name])
        for name, value in defaults.items()
    ]
    table = table.with_columns(
        *(
            column.cast(types[name]).alias(name)
            for column, name in zip(filled, defaults, strict=True)
        ),
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
    ids = _hashes(table, label)
    if ids.n_unique() < len(ids):
        rows = (~ids.is_first_distinct()).arg_true().to_list()
        raise RowsError(rows, "the same run and repeat as in a row before")
    return ids


def are_of_file(earlier: pl.DataFrame, label: str) -> pl.Series:
    """Whether records of a source, with the columns `EARLIER`, are of the file with this label.
    Their repeats were numbered after those of other files.
    """
    found = pl.Series("run_id", [False] * len(earlier), pl.Boolean)
    for repeat in range(int(earlier["repeat"].max() or 0) + 1):  # type: ignore[arg-type]
        in_file = earlier.with_columns(pl.lit(repeat, pl.Int64).alias("repeat"))
        ids = in_file.select("imported_from", run_id=_hashes(in_file, label))
        found |= origin.as_imported(ids)["run_id"] == earlier["run_id"]
    return found


def _hashes(table: pl.DataFrame, label: str) -> pl.Series:
    # The text is `repr((label, row))`. To make it by column takes two thirds of the time.
    facts = [_literals(column) for column in table.select(*IDENTITY, "repeat")]
    start = pl.lit(f"({label!r}, (")
    texts = pl.select(pl.concat_str(start, pl.concat_str(facts, separator=", "), pl.lit("))")))
    hashes = [
        hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        for text in texts.to_series().to_list()
    ]
    return pl.Series("run_id", hashes, pl.String)


def _literals(column: pl.Series) -> pl.Series:
    """The values of a column as `repr` writes them."""
    values = column.unique()
    # Zeros are equal, and written in two ways.
    has_two_zeros = column.dtype.is_float() and (values == 0).any()
    if has_two_zeros or len(values) == len(column):
        return pl.Series(column.name, map(repr, column.to_list()), pl.String)
    literals = pl.Series(column.name, map(repr, values.to_list()), pl.String)
    if len(values) == 1:
        return literals.new_from_index(0, len(column))
    return column.replace_strict(values, literals, return_dtype=pl.String)


def with_next_repeats(records: pl.DataFrame, earlier: pl.DataFrame) -> pl.DataFrame:
    """The records, in which the numbers of repeats go on after those of `earlier` records of the
    same source. Those that replace one of them get its number. `earlier` has the columns
    `EARLIER`.
    """
    if earlier.is_empty():
        return records
    stored = earlier.select("run_id", stored="repeat")
    numbers = earlier.group_by(IDENTITY).agg(taken="repeat", following=pl.col("repeat").max() + 1)
    table = records.select("run_id", "repeat", *IDENTITY).with_row_index("row")
    table = table.join(stored, on="run_id", how="left")
    table = table.join(numbers, on=IDENTITY, how="left", nulls_equal=True).sort("row")
    is_new = pl.col("stored").is_null()
    clashes = is_new & pl.col("repeat").is_in(pl.col("taken"))
    moves = clashes.fill_null(value=False).any().over(IDENTITY) & is_new
    place = pl.col("repeat").rank("ordinal").over(*IDENTITY, is_new) - 1
    number = pl.when(moves).then(pl.col("following") + place.cast(pl.Int64)).otherwise("repeat")
    repeat = table.select(pl.coalesce("stored", number).alias("repeat"))["repeat"]
    return records.with_columns(repeat=repeat.cast(pl.Int64))


EARLIER: Final = ("run_id", "repeat", *IDENTITY)
"""The columns by which `with_next_repeats` finds repeats of a run."""
