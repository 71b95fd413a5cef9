"""How the searches for the best value of each file ended, and scores of how near they came.

The primal gap and the primal integral are those of T. Berthold, "Measuring the impact of primal
heuristics", Operations Research Letters 41(6), 2013, 611-614. The score is that of the incomplete
tracks of the MaxSAT Evaluation (https://maxsat-evaluations.github.io/2020/incomplete.html). The
competitions of pseudo-Boolean solvers rank by the number of optima, and solvers that were stopped
by the value at the limit (O. Roussel and V. Manquinho, "Input/Output Format and Solver Requirements
for the Competitions of Pseudo-Boolean Solvers"): `at_best` counts the best known values.
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


SCORES: Final = ("at_best", "gap", "integral_s", "mse_score")
"""The columns of `objective_scores`, besides those of the combination."""

_RUN: Final = "run"
_LEAST_S: Final = 1e-6
_WITHOUT_PATH: Final = ("incumbents", "objective_s", "solve_s")
"""Columns of which an imported or an older record may have none."""


def primal_gap(value: pl.Expr, best: pl.Expr) -> pl.Expr:
    """How far a value is from the best known one: 0 if it is the same, 1 if one of them is positive
    and the other negative, and otherwise their distance as a share of the larger one.
    """
    value, best = value.cast(pl.Float64), best.cast(pl.Float64)
    larger = pl.max_horizontal(value.abs(), best.abs())
    differs = pl.when(value * best < 0).then(1.0).otherwise((value - best).abs() / larger)
    return pl.when(value == best).then(0.0).otherwise(differs)


def objective_scores(records: Records) -> pl.DataFrame:
    """Return the scores of each combination over the files that every combination was asked for the
    best value of, and of which a value is known: one row for each encoding x backend. A file counts
    once: the mean of its repeats.

    Columns: encoding, backend, at_best (the number of files whose best known value it found), gap
    (the mean primal gap at the end), integral_s (the mean primal integral in seconds: the integral
    of the gap over the time limit, with a gap of 1 before the first value), mse_score (the mean of
    (best known cost + 1) / (cost + 1), 0 without a value; the cost is the distance to the ideal,
    which for soft clauses is the weight of the false ones; null if an ideal is not recorded).

    A record has at most 64 values of a run. Of more, an integral is an upper bound.
    """
    runs = _scored(records)
    cost, least = (((pl.col(name) - pl.col("ideal")).abs() + 1) for name in ("value", "known"))
    scores = {
        "at_best": (pl.col("value") == pl.col("known")).fill_null(value=False).cast(pl.Float64),
        "gap": primal_gap(pl.col("value"), pl.col("known")).fill_null(1.0),
        "mse_score": pl.when(pl.col("ideal").is_not_null()).then((least / cost).fill_null(0.0)),
    }
    integrals = _steps(runs).group_by(_RUN).agg(gained=pl.col("gained_s").sum())
    table = runs.join(integrals, on=_RUN, how="left").with_columns(
        integral_s=pl.col("time_limit_s") - pl.col("gained").fill_null(0.0), **scores
    )
    # In the order of the runs: the last digit of a mean depends on the order of its terms.
    files = table.group_by([*PAIR, *PROBLEM], maintain_order=True).agg(pl.col(SCORES).mean())
    is_found, score = pl.col("at_best") > 0, pl.col("mse_score")
    return (
        files.group_by(PAIR)
        .agg(
            is_found.sum().alias("at_best"),
            pl.col("gap", "integral_s").mean(),
            pl.when(score.is_not_null().all()).then(score.mean()),
        )
        .select(*PAIR, *SCORES)
        .sort(PAIR)
    )


def gap_over_time(records: Records) -> pl.DataFrame:
    """Return the mean primal gap of each combination over time, over the files of
    `objective_scores`: a row for each moment at which it changes, in the order of the time. The
    area below is the mean primal integral.

    Columns: encoding, backend, time_s (since the solver began to solve; at least a microsecond),
    gap (from then on; 1 before the first row), time_limit_s (the largest one).
    """
    runs = _scored(records)
    repeats = runs.group_by([*PAIR, *PROBLEM]).len("repeats")
    files = repeats.group_by(PAIR).len("files")
    limits = runs.group_by(PAIR).agg(pl.col("time_limit_s").max())
    share = pl.col("fall") / pl.col("repeats") / pl.col("files")
    return (
        _steps(runs)
        .join(repeats, on=[*PAIR, *PROBLEM], nulls_equal=True)
        .join(files, on=PAIR)
        .group_by([*PAIR, "time_s"])
        .agg(fall=share.sum())
        .sort([*PAIR, "time_s"])
        .with_columns(gap=(1 - pl.col("fall").cum_sum().over(PAIR)).clip(0.0, 1.0))
        .join(limits, on=PAIR, maintain_order="left")
        .select(*PAIR, "time_s", "gap", "time_limit_s")
    )


def _scored(records: Records) -> pl.DataFrame:
    """The runs that are scored, with `known`, the best known value of the file."""
    measured = Measured.of(records)
    known = best_values(measured).select(*PROBLEM, "known").unique().drop_nulls("known")
    runs = asked_for_best(measured.on_common.records)
    missing = [pl.lit(None).alias(name) for name in _WITHOUT_PATH if name not in runs.columns]
    return (
        runs.with_columns(missing)
        .select(*PAIR, *PROBLEM, "value", "ideal", "time_limit_s", *_WITHOUT_PATH)
        .join(known, on=PROBLEM, nulls_equal=True, maintain_order="left")
        .with_row_index(_RUN)
    )


def _steps(runs: pl.DataFrame) -> pl.DataFrame:
    """The moments before its limit at which the gap of a run falls: those of its better values, or
    the only one where its path is not recorded. Columns: those of the combination and of the
    problem, run, time_s, fall (the decrease), and gained_s (what that takes off the integral).
    """
    limit, value = pl.col("time_limit_s"), pl.col("value")
    found_s = pl.coalesce(
        pl.col("objective_s").cast(pl.Float64), pl.col("solve_s").cast(pl.Float64), limit
    )
    only = pl.format("{}:{}", found_s, value)
    point = pl.col("point").str.split_exact(":", 1)
    gap = primal_gap(pl.col("at"), pl.col("known"))
    before = gap.shift(1).over(_RUN).fill_null(1.0)  # records have them in the order of time
    return (
        runs.filter(value.is_not_null())
        .with_columns(
            point=pl.coalesce(pl.col("incumbents").cast(pl.String), only).str.split(" ")
        )
        .explode("point")
        .with_columns(
            time_s=point.struct.field("field_0").cast(pl.Float64).clip(_LEAST_S),
            at=point.struct.field("field_1").cast(pl.Int64),
        )
        .filter(pl.col("time_s") < limit)
        .with_columns(fall=before - gap)
        .select(
            *PAIR, *PROBLEM, _RUN, "time_s", "fall",
            gained_s=pl.col("fall") * (limit - pl.col("time_s")),
        )
    )  # fmt: skip
