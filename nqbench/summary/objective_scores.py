"""Scores how near a solver came to the best known value of the objective of each file, and how
soon, as the field does.

The primal gap and the primal integral are those of T. Berthold, "Measuring the impact of primal
heuristics", Operations Research Letters 41(6), 2013, 611-614. The score is that of the incomplete
tracks of the MaxSAT Evaluation (https://maxsat-evaluations.github.io/2020/incomplete.html). The
competitions of pseudo-Boolean solvers rank by the number of optima, and solvers that were stopped
by the value at the limit (O. Roussel and V. Manquinho, "Input/Output Format and Solver Requirements
for the Competitions of Pseudo-Boolean Solvers"): `at_best` counts the best known values.
"""

from typing import Final

import polars as pl

from nqbench.summary.best_values import asked_for_best, best_values
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import PAIR, PROBLEM

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
