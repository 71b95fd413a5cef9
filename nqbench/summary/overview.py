"""Summarises results and work of each encoding x backend, and lists contradicting answers."""

import math
from collections.abc import Collection, Sequence
from typing import Final

import polars as pl

from nqbench.common.metrics import PAR, SCORE
from nqbench.records.derived import TOTAL
from nqbench.summary import intervals
from nqbench.summary.evidence import UNIT, of_repeats
from nqbench.summary.measured import Measured, Records
from nqbench.summary.objectives import files_by_state, objective_scores
from nqbench.summary.observed import (
    BOARD,
    HAS_TOTAL,
    NAMED,
    PAIR,
    PROBLEM,
    SOLVED,
    THERE,
    differing,
    observed,
    par_column,
    sgm_column,
)
from nqbench.summary.portfolio import beaten
from nqbench.summary.series import SIZED

_UNSOLVED: Final = ("timeout", "memout", "work-limit", "crashed", "unavailable", "skipped")

_PHASES: Final = ("encode_s", "load_s", "solve_s", TOTAL)

TIMES: Final = (*_PHASES, "median_s", SCORE)
"""The columns of an `overview` that share a unit where they are shown."""

_BEFORE_PAR: Final = (
    *PAIR, "runs", "solved", "solved_share", "problems", *_PHASES, "median_s", "median_low_s",
    "median_high_s", "q1_s", "q3_s", "p95_s",
)  # fmt: skip
_AFTER_PAR: Final = ("beats", "beaten_by", "largest_n", "wrong", "unsolved")


def overview(
    records: Records, time: str = "solve_s", par: int = PAR, sgm: float | None = None
) -> pl.DataFrame:
    """Summarise each encoding x backend in one row, best PAR-2 first.

    Columns: encoding, backend, runs and solved (of everything measured), solved_share (solved /
    runs), problems (the number that the times are of), encode_s, load_s, solve_s and total_s
    (medians), median_s (the median of `time`), median_low_s and median_high_s (its 95 % interval
    over the problems, or over the repeats of the only one; null for fewer than six), q1_s and q3_s
    (the quartiles), p95_s (95 % of
    the runs take at most this), par2_s, beats and beaten_by (how many combinations this one is
    typically faster than, and how many are typically faster than it, by `comparisons`; null with
    too few problems to decide anything), largest_n (the largest n with every repeat solved, null if
    there is none), wrong (refuted answers), unsolved (text with the number of unsolved runs for
    each reason).

    Times, PAR-2 and the order are those of `on_common`: of the problems that every combination was
    measured on. Without such a problem they are null, and rows are in the order of their names.
    PAR-2 is the mean over these problems, with unsolved runs counted as twice the limit, as in the
    SAT competitions, of the mean of the repeats of each; with another k as `par`, the column is
    named after it, as in par10_s. Medians are over the runs, or over the medians of the problems if
    a combination repeated one more often than another. They do not add up to the median total. An
    unsolved run counts as the limit in solve_s and total_s. What it did not report of encode_s and
    load_s counts as longer than anything; a median of that is null.

    With `sgm`, there is also the geometric mean over these problems, shifted by so many seconds or
    counts, in a column that is named after it, as in sgm10_s: exp(mean(log(x + sgm))) - sgm, where
    x is the median of the repeats, unsolved ones at the limit (T. Achterberg, Constraint Integer
    Programming, 2007). It weighs factors, as the median does, and all problems, as the
    mean does; the shift keeps those that take no time from deciding.

    If files were asked for the best value of their objective, there are also the columns of
    `files_by_state` and of `objective_scores`, after solved_share.

    Runs on invalid files and capped runs are left out, and formulas have no n. Times of an
    unavailable combination are null.
    """
    measured = Measured.of(records)
    valid = measured.valid
    table = observed(valid.records, time)
    unsolved = [
        *(_count_runs(outcome, pl.col("outcome") == outcome) for outcome in _UNSOLVED),
        _count_runs("too large", pl.col("outcome") == "invalid"),
        _count_runs("unknown", (pl.col("answer") == "unknown") & (pl.col("outcome") == "finished")),
    ]
    files = files_by_state(valid).join(objective_scores(valid), on=PAIR, how="left")
    of_files = files.columns[len(PAIR) :] if len(files) else []
    columns = [*_BEFORE_PAR, par_column(par), *_sgm_columns(sgm), *_AFTER_PAR]
    place = columns.index("solved_share") + 1
    return (
        table.group_by(PAIR)
        .agg(
            runs=pl.len(),
            solved=pl.col("solved").sum(),
            wrong=(pl.col("verdict") == "refuted").sum(),
            unsolved=pl.concat_str(unsolved, separator=", ", ignore_nulls=True),
        )
        .join(_times(valid, time, par, sgm), on=PAIR, how="left")
        .join(_largest(table), on=PAIR, how="left")
        .join(files, on=PAIR, how="left")
        .with_columns(NAMED)
        .join(beaten(measured, time), on="pair", how="left")
        .with_columns(
            pl.col("problems").fill_null(0), solved_share=pl.col("solved") / pl.col("runs")
        )
        .sort(par_column(par), *PAIR, nulls_last=True)
        .select(*columns[:place], *of_files, *columns[place:])
    )


def _sgm_columns(sgm: float | None) -> list[str]:
    return [] if sgm is None else [sgm_column(sgm)]


def _times(measured: Measured, time: str, par: int, sgm: float | None) -> pl.DataFrame:
    """The times of each combination, on problems that all were measured on."""
    compared, costs = measured.on_common.records, measured.unit_costs(time, par)
    runs = observed(compared, time).with_columns(_phases(compared))
    problems = costs.group_by(PAIR)
    shifted = [] if sgm is None else [_shifted_mean(sgm)]
    units = measured.evidence(time, par)
    pieces = units if costs[UNIT].n_unique() > 1 else of_repeats(runs, PAIR, "time_s")
    ends = pieces.group_by(PAIR).agg(median_low_s=_of_interval(0), median_high_s=_of_interval(1))
    return (
        (_evenly(runs, ["time_s", *_PHASES]) if measured.on_common.has_repeats else runs)
        .group_by(PAIR)
        .agg(
            median_s=pl.col("time_s").median(),
            q1_s=pl.col("time_s").quantile(0.25, "linear"),
            q3_s=pl.col("time_s").quantile(0.75, "linear"),
            p95_s=pl.col("time_s").quantile(0.95, "linear"),
            **{name: pl.col(name).median().replace(math.inf, None) for name in _PHASES},
        )
        .join(problems.agg(pl.col(par_column(par)).mean(), *shifted, problems=pl.len()), on=PAIR)
        .join(ends, on=PAIR)
    )


def _shifted_mean(shift: float) -> pl.Expr:
    mean = (pl.col("time_s") + shift).log().mean().exp() - shift
    return mean.alias(sgm_column(shift))


def _phases(compared: pl.DataFrame) -> pl.DataFrame:
    """The times of each run to encode, load and solve, and in total."""
    total = pl.when(HAS_TOTAL.over(PAIR)).then(observed(compared, TOTAL)["time_s"]).alias(TOTAL)
    runs = compared.with_columns(observed(compared)["time_s"].alias("solve_s"), total)
    # Runs on one formula share the measurement of its encoding; a skipped run has none.
    encode, load = pl.col("encode_s"), pl.col("load_s")
    if compared["encode_s"].is_not_null().any():
        encode = encode.fill_null(encode.median().over("encoding", *differing(compared, THERE)))
    finished = pl.col("outcome") == "finished"
    filled = [
        pl.when(time.is_null() & ~finished).then(math.inf).otherwise(time).alias(name)
        for name, time in (("encode_s", encode), ("load_s", load))
    ]
    return runs.select(*filled, "solve_s", TOTAL)


def _evenly(runs: pl.DataFrame, values: Sequence[str]) -> pl.DataFrame:
    """These columns of the runs; one row for each problem, with the medians of its repeats, if a
    combination repeated one more often than another, which would count for more.
    """
    keys = [*PAIR, *differing(runs, THERE)]
    repeats = runs.group_by(keys).len().group_by(PAIR).agg(pl.col("len").n_unique())
    if (repeats["len"] == 1).all():
        return runs
    return runs.group_by(keys).agg(pl.col(values).median())


def _largest(table: pl.DataFrame) -> pl.DataFrame:
    """The largest n with every repeat solved, for each combination that has one."""
    sizes = table.filter(SIZED).group_by([*PAIR, "n"]).agg(pl.col("solved").all())
    return sizes.filter("solved").group_by(PAIR).agg(largest_n=pl.col("n").max())


def _of_interval(end: int) -> pl.Expr:
    """The lower or the upper end of the 95 % interval of the median."""
    return pl.col("time_s").map_batches(
        lambda times: intervals.median(times.drop_nulls().to_numpy())[end],
        return_dtype=pl.Float64,
        returns_scalar=True,
    )


def _count_runs(name: str, why: pl.Expr) -> pl.Expr:
    return pl.when(why.any()).then(pl.format(f"{{}} {name}", why.sum()))


def disagreements(records: Records) -> pl.DataFrame:
    """Return the problems with contradicting answers: one row for each problem and answer, in that
    order. Which answer is right is not decided.

    Columns: family, instance, n, said (the answer, the number of solutions, or the best k), by
    (each encoding x backend that gave this answer, once).
    """
    if isinstance(records, Measured):
        return records.once(_disagreements)
    task = pl.col("task")
    number = pl.format("{} solutions", "solutions")
    best = pl.format("best k = {}", "best_k")
    return (
        records.filter(
            (pl.col("outcome") == "finished") & ~pl.col("answer").is_in(["unknown", "unstated"])
        )
        .with_columns(
            said=pl.when(task == "all")
            .then(number)
            .when((task == "best") & pl.col("best_k").is_not_null())
            .then(best)
            .otherwise("answer"),
            by=NAMED,
        )
        .filter(pl.col("said").n_unique().over(differing(records, BOARD)) > 1)
        .group_by([*PROBLEM, "said"])
        .agg(pl.col("by").unique().sort())
        .sort([*PROBLEM, "said"])
    )


def _disagreements(measured: Measured) -> pl.DataFrame:
    return disagreements(measured.records)


def never_ran(
    records: pl.DataFrame, encodings: Collection[str], backends: Collection[str]
) -> dict[str, str]:
    """Return those of these encodings and backends that were unavailable in all their runs, with
    the reason. An encoding is left out if all its runs are those of a backend that is returned.
    """
    reasons: dict[str, str] = {}
    for kind, names in (("backend", backends), ("encoding", encodings)):
        unexplained = records.filter(pl.col(kind).is_in(names) & ~pl.col("backend").is_in(reasons))
        runs = unexplained.group_by(kind).agg(
            pl.col("message").first(), never=(pl.col("outcome") == "unavailable").all()
        )
        reasons |= dict(runs.filter("never").sort(kind).select(kind, "message").iter_rows())
    return reasons


def work(records: Records, time: str = "solve_s") -> pl.DataFrame:
    """Return one row for each encoding x backend, the fewest conflicts first: medians over the runs
    on the problems that every combination solved.

    Columns: encoding, backend, problems, variables, clauses, literals_per_clause, conflicts,
    decisions, propagations, propagation_s (solve_s by propagation) and median_s, the median of
    `time`. Null is what a backend does not count.
    """
    runs = Measured.of(records).on_common.records.filter(SOLVED)
    pairs = pl.struct(PAIR).n_unique()
    every = runs.filter(pairs.over(BOARD) == runs.select(pairs).item())
    propagations = pl.col("propagations")
    return (
        every.group_by(PAIR)
        .agg(
            pl.struct(BOARD).n_unique().alias("problems"),
            pl.col("variables", "clauses").median(),
            (pl.col("literals") / pl.col("clauses")).median().alias("literals_per_clause"),
            pl.col("conflicts", "decisions", "propagations").median(),
            propagation_s=(
                pl.col("solve_s") / pl.when(propagations > 0).then(propagations)
            ).median(),
            median_s=pl.col(time).median(),
        )
        .sort("conflicts", "median_s", *PAIR, nulls_last=True)
    )
