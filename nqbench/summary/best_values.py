"""How the searches for the best value of the objective of each file ended, in the words of
`optimum`.
"""

from collections.abc import Iterable
from typing import Final

import polars as pl

from nqbench.common.vocabulary import AMBIGUOUS, SHOWN_BY, Answer, Outcome, State, Task, Verdict
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import (
    MEASURED_HERE,
    NAMED,
    PAIR,
    PROBLEM,
    REFUSED_BY_BACKEND,
    REFUSED_BY_ENCODING,
)

ENDS: Final = (State.OPTIMAL, State.CLAIMED, State.BEST_FOUND, State.INFEASIBLE, State.OPEN)
"""How a search ends whose file was read."""

_RANKS: Final = (*ENDS, State.AMBIGUOUS, State.INVALID)
"""What says most about a file first."""

OF_FILES: Final = pl.col("n").is_null() & (pl.col("task") == Task.BEST)
"""Whether a run looks for the best value of a file."""

_OF_VALUES: Final = {"ideal": pl.Int64, "objective": pl.Int64, "objective_text": pl.String}
"""Columns that older records lack."""

_NOT_ASKED: Final = pl.col("outcome").is_in([Outcome.UNAVAILABLE, Outcome.CAPPED])


def column_of(state: State) -> str:
    """The column with the number of files in this state.

    >>> column_of(State.BEST_FOUND)
    'best_found'
    """
    return state.value.replace(" ", "_")


def best_values(records: Records) -> pl.DataFrame:
    """Return how the search of each combination for the best value of each file ended: one row for
    each encoding x backend x file, over all repeats.

    Columns: encoding, backend, pair, family, instance, n, state (a word of `State`), value (the
    best one with a verified model; null if there is none), and known and known_state (the same of
    the file, by all combinations). What was claimed to be the best, where a better value is known,
    is only the best that was found. Without an ideal in the records, which says what is better,
    several values of a file are compared only if one is optimal. Values beyond 2^63 - 1 are not in
    the table, but their states are.
    """
    runs = asked_for_best(Measured.of(records).records)
    known = _of_each(runs, PROBLEM).rename({"value": "known", "state": "known_state"})
    own = _of_each(runs, [*PAIR, "pair", *PROBLEM])
    table = own.join(known, on=PROBLEM, how="left", nulls_equal=True, maintain_order="left")
    is_contradicted = (pl.col("state") == State.CLAIMED) & (pl.col("value") != pl.col("known"))
    return table.with_columns(
        state=pl.when(is_contradicted).then(pl.lit(State.BEST_FOUND.value)).otherwise("state")
    ).sort(*PAIR, *PROBLEM)


def files_by_state(records: Records) -> pl.DataFrame:
    """Return the number of files that each combination was asked for the best value of, and of
    those in each state of `ENDS`: one row for each encoding x backend. Columns: encoding, backend,
    files, optimal, claimed, best_found, infeasible, open. Invalid files are left out.
    """
    table = best_values(records)
    states = [(pl.col("state") == state).sum().alias(column_of(state)) for state in ENDS]
    read = table.filter(pl.col("state").is_in(ENDS))
    return read.group_by(PAIR).agg(pl.len().alias("files"), *states)


def best_known(table: pl.DataFrame) -> pl.DataFrame:
    """Return what is known of each file, from the result of `best_values`.

    Columns: family, instance, n, best (the best value with a verified model), state, and by (the
    combinations that found that value and showed most about it; null if nothing is known).
    """
    is_by = (pl.col("value") == pl.col("known")) | pl.col("known").is_null()
    rank = pl.col("state").replace_strict(dict(_ranked(_RANKS)), return_dtype=pl.Int64)
    most = rank.filter(is_by).min()
    shows = pl.col("known_state").first().is_in([State.OPEN, State.AMBIGUOUS, State.INVALID])
    return table.group_by(PROBLEM, maintain_order=True).agg(
        best=pl.col("known").first(),
        state=pl.col("known_state").first(),
        by=pl.when(~shows).then(
            pl.col("pair").filter(is_by & (rank == most)).unique().sort().str.join(", ")
        ),
    )


def _ranked(states: Iterable[State]) -> Iterable[tuple[str, int]]:
    return ((state.value, rank) for rank, state in enumerate(states))


def asked_for_best(records: pl.DataFrame) -> pl.DataFrame:
    """Return the records of the runs that were asked for the best value of a file, with the columns
    pair, state, value (null if there is none with a right model), and order, a number that is less
    for a better value; null if nobody knows what is better.
    """
    names = set(records.columns)
    if lacking := _OF_VALUES.keys() - names:
        return asked_for_best(
            records.with_columns(pl.lit(None, _OF_VALUES[name]).alias(name) for name in lacking)
        )
    asked = OF_FILES & ~_NOT_ASKED
    if records.filter(asked).is_empty():
        nothing = {name: pl.lit(None, pl.Int64) for name in ("value", "order")}
        return records.clear().with_columns(NAMED, state=pl.lit(""), **nothing)
    is_refuted = pl.col("verdict") == Verdict.REFUTED
    is_invalid = pl.col("outcome") == Outcome.INVALID
    is_refused = REFUSED_BY_ENCODING | REFUSED_BY_BACKEND
    is_done = (pl.col("outcome") == Outcome.FINISHED) & ~is_refuted
    here = MEASURED_HERE
    if "merged_from" in names:
        here &= pl.col("merged_from").is_null()
    is_shown = (
        here & (pl.col("verdict") == Verdict.VERIFIED) & pl.col("checked_by").is_in(list(SHOWN_BY))
    )
    # Where `unsat` is wrong, a search may have found models before.
    is_false = is_refuted & (pl.col("answer") == Answer.SAT)
    is_counted = ~is_false.fill_null(value=False) & ~is_invalid
    value = pl.when(is_counted).then("objective")
    ideal = pl.col("ideal")
    is_more_better = (value < ideal).any().over(PROBLEM)
    order = pl.when(ideal.is_not_null()).then(pl.when(is_more_better).then(-value).otherwise(value))

    def word(state: State) -> pl.Expr:
        return pl.lit(state.value)

    has_value = value.is_not_null() | (is_counted & pl.col("objective_text").is_not_null())
    state = (
        pl.when(is_invalid & ~is_refused & pl.col("message").str.contains(AMBIGUOUS, literal=True))
        .then(word(State.AMBIGUOUS))
        .when(is_invalid & ~is_refused)
        .then(word(State.INVALID))
        .when(has_value & is_done & (pl.col("answer") == Answer.SAT) & is_shown)
        .then(word(State.OPTIMAL))
        .when(has_value & is_done & (pl.col("answer") == Answer.SAT))
        .then(word(State.CLAIMED))
        .when(has_value)
        .then(word(State.BEST_FOUND))
        .when(is_done & (pl.col("answer") == Answer.UNSAT) & is_shown)
        .then(word(State.INFEASIBLE))
        .otherwise(word(State.OPEN))
    )
    of_runs = {"state": state, "value": value, "order": order}
    return records.filter(asked).with_columns(NAMED, **of_runs)


def _of_each(runs: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """The best value of the runs that are equal in the keys, and what is known of it."""
    value, state = pl.col("value"), pl.col("state")
    optimal = value.filter(state == State.OPTIMAL).first()
    alone = pl.when(value.drop_nulls().n_unique() == 1).then(value.drop_nulls().first())
    first = value.sort_by("order", nulls_last=True).first()
    has_order = (value.is_null() | pl.col("order").is_not_null()).all()
    best = pl.when(has_order).then(first).otherwise(pl.coalesce(optimal, alone))
    rank = state.replace_strict(dict(_ranked(_RANKS)), return_dtype=pl.Int64)
    words = {number: word for word, number in _ranked(_RANKS)}
    return (
        runs.join(runs.group_by(keys).agg(best=best), on=keys, nulls_equal=True)
        .filter((value == pl.col("best")) | pl.col("best").is_null())
        .group_by(keys, maintain_order=True)
        .agg(value=pl.col("best").first(), state=rank.min())
        .with_columns(state=state.replace_strict(words, return_dtype=pl.String))
    )
