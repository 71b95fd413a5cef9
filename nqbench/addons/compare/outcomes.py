"""What changed in the answers and outcomes of two campaigns, the worst first.

A wrong or lost answer, a crash and a solver that does not work say more than any counter or time.
They are in the tables of `changes` and `missing`, among much else.
"""

from enum import StrEnum
from typing import Final

import polars as pl

from nqbench.addons.compare.changes import ANSWERS, RUN, finished
from nqbench.addons.compare.missing import ABSENT, FAILED
from nqbench.summary.observed import BOARD, PAIR, TITLE


class What(StrEnum):
    """What became of runs, the worst first."""

    WRONG = "wrong answer"
    LOST = "lost answer"
    OTHER = "other answer"
    FOUND = "new answer"
    CORRECTED = "corrected answer"
    CRASH = "crash"
    NO_SOLVER = "missing solver"
    NO_ENCODING = "missing encoding"
    INVALID = "invalid file"


OF_ANSWERS: Final = (What.WRONG, What.LOST, What.OTHER, What.FOUND, What.CORRECTED)
"""The changes of answers, which are in no list of missing runs."""

_GOT: Final = ("sat", "unsat", "unstated")
"""The answers that a solver is asked for."""

_SCHEMA: Final = pl.Schema(
    {
        "what": pl.String,
        "encoding": pl.String,
        "backend": pl.String,
        "runs": pl.Int64,
        "example": pl.String,
        "old": pl.String,
        "new": pl.String,
        "why": pl.String,
    }
)

_NO_RUN: Final = "no run"


def outcomes(
    old: pl.DataFrame, new: pl.DataFrame, changes: pl.DataFrame, missing: pl.DataFrame
) -> pl.DataFrame:
    """Return what changed in answers and outcomes, and the wrong answers of the new campaign even
    if they did not change. `changes` and `missing` are what the functions of these names return.

    One row for each combination and change, in the order of `What`. Columns: what, encoding,
    backend, runs, example (the first problem), old, new (the answer, or how the run ended), why
    (the message of a run; null if there is none).
    """
    tables = [_answers(changes), _others_wrong(old, new), _not_measured(new, missing)]
    table = pl.concat([rows.select([*_SCHEMA]).cast(_SCHEMA) for rows in tables])
    why = _why_wrong(new)
    table = (
        table.join(why, on=[*PAIR, "example"], how="left", maintain_order="left")
        .with_columns(why=pl.when(what=What.WRONG).then("message").otherwise("why"))
        .drop("message")
    )
    place = pl.col("what").replace_strict({change: i for i, change in enumerate(What)})
    return table.sort(place, *PAIR, "old", "new", maintain_order=True)


def changed(outcomes: pl.DataFrame, change: What) -> int:
    """The number of runs of which an answer changed in this way."""
    other = pl.col("old").ne_missing(pl.col("new"))
    return int(outcomes.filter(other & (pl.col("what") == change))["runs"].sum())


def besides_answers(changes: pl.DataFrame) -> pl.DataFrame:
    """The changes of sizes, hashes and counters."""
    return changes.filter(~pl.col("quantity").is_in(ANSWERS))


def besides_failures(missing: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """The missing runs that are not among the outcomes."""
    return missing.filter(_what_is_missing(new).is_null())


def _answers(changes: pl.DataFrame) -> pl.DataFrame:
    """The changes of answers. A row of `changes` has either one pair of answers, or one quantity of
    a solution.
    """
    before, after = pl.col("old"), pl.col("new")
    is_answer = pl.col("quantity") == "answer"
    quantity = pl.format("{} ", pl.col("quantity").str.replace("_", " "))
    prefix = pl.when(is_answer).then(pl.lit("")).otherwise(quantity)
    return changes.filter(pl.col("quantity").is_in(ANSWERS)).with_columns(
        what=pl.when(is_answer & after.str.starts_with("refuted"))
        .then(pl.lit(What.WRONG))
        .when(is_answer & before.is_in(_GOT) & ~after.is_in(_GOT))
        .then(pl.lit(What.LOST))
        .when(is_answer & before.str.starts_with("refuted"))
        .then(pl.lit(What.CORRECTED))
        .when(is_answer & ~before.is_in(_GOT) & after.is_in(_GOT))
        .then(pl.lit(What.FOUND))
        .otherwise(pl.lit(What.OTHER)),
        old=pl.when(before.is_not_null()).then(pl.concat_str([prefix, before])),
        new=pl.when(after.is_not_null()).then(pl.concat_str([prefix, after])),
        why=pl.lit(None, pl.String),
    )


def _others_wrong(old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """The wrong answers of runs that are in no row of `changes`: the old campaign was as wrong, or
    did not finish the run.
    """
    wrong = finished(new.filter(verdict="refuted"), RUN)
    before = finished(old, RUN).select(*RUN, old="answer")
    keys = [*PAIR, *BOARD, "repeat"]
    answers = finished(old, keys).select(*keys, said="answer")
    ended = (
        old.join(answers, on=keys, how="left", nulls_equal=True)
        .unique(keys, keep="first", maintain_order=True)
        .select(*keys, ended=pl.coalesce("said", "outcome"))
    )
    runs = wrong.join(before, on=RUN, how="left", nulls_equal=True).join(
        ended, on=keys, how="left", nulls_equal=True
    )
    return (
        runs.filter(pl.col("old").is_null() | (pl.col("old") == pl.col("answer")))
        .with_columns(
            TITLE,
            what=pl.lit(What.WRONG),
            old=pl.coalesce("old", "ended", pl.lit(_NO_RUN)),
            new=pl.col("answer"),
        )
        .sort("n", "title", maintain_order=True)
        .group_by("what", *PAIR, "old", "new", maintain_order=True)
        .agg(runs=pl.len(), example=pl.col("title").first(), why=pl.lit(None, pl.String))
    )


def _not_measured(new: pl.DataFrame, missing: pl.DataFrame) -> pl.DataFrame:
    """The missing runs that the new campaign did not measure, although it tried, and those of
    solvers and encodings that it does not have at all.
    """
    return missing.with_columns(what=_what_is_missing(new)).filter(pl.col("what").is_not_null())


def _what_is_missing(new: pl.DataFrame) -> pl.Expr:
    """What a row of the missing runs is; null if the new campaign has no fault in it."""
    unavailable = FAILED[0]
    state = pl.col("new")
    available = new.filter(pl.col("outcome") != unavailable)
    lacks = (state == unavailable) | (state == ABSENT[0])
    return (
        pl.when(state == "crashed")
        .then(pl.lit(What.CRASH))
        .when(state == "invalid")
        .then(pl.lit(What.INVALID))
        .when(lacks & ~pl.col("backend").is_in(available["backend"].unique().to_list()))
        .then(pl.lit(What.NO_SOLVER))
        .when(lacks & ~pl.col("encoding").is_in(available["encoding"].unique().to_list()))
        .then(pl.lit(What.NO_ENCODING))
        .when(state == unavailable)
        .then(pl.lit(What.NO_SOLVER))
    )


def _why_wrong(new: pl.DataFrame) -> pl.DataFrame:
    """The first message about a wrong answer, by combination and problem."""
    wrong = new.filter((pl.col("verdict") == "refuted") & (pl.col("message") != ""))
    return wrong.select(*PAIR, TITLE.alias("example"), "message").unique(
        [*PAIR, "example"], keep="first", maintain_order=True
    )
