"""Summarises the results of each encoding x backend, and lists contradicting answers."""

from typing import Final

import polars as pl

from nqbench.summary import intervals
from nqbench.summary.observed import PAIR, PENALISED, PROBLEM, observed
from nqbench.summary.over_instances import SIZED
from nqbench.vocabulary import COMBINATION

_UNSOLVED: Final = ("timeout", "memout", "work-limit", "crashed", "unavailable", "skipped")


def overview(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """Summarise each encoding x backend in one row, best PAR-2 first.

    Columns: encoding, backend, runs, solved, median_s, median_low_s and median_high_s (its 95 %
    interval over the runs, null for fewer than six), q1_s and q3_s (the quartiles), p95_s (95 % of
    the runs take at most this), par2_s, largest_n (the largest n with every repeat solved, null if
    there is none), wrong (refuted answers), unsolved (text with the number of unsolved runs for
    each reason). Runs on invalid files are left out, and formulas have no n. PAR-2 is the mean
    time, with unsolved runs counted as twice the limit, as in the SAT competitions. Times of an
    unavailable combination are null.
    """
    table = observed(records.filter(pl.col("outcome") != "invalid"), time)
    unsolved = [
        *(_counted(outcome, pl.col("outcome") == outcome) for outcome in _UNSOLVED),
        _counted("unknown", (pl.col("answer") == "unknown") & (pl.col("outcome") == "finished")),
    ]
    return (
        table.group_by(PAIR)
        .agg(
            runs=pl.len(),
            solved=pl.col("solved").sum(),
            median_s=pl.col("time_s").median(),
            median_low_s=_of_interval(0),
            median_high_s=_of_interval(1),
            q1_s=pl.col("time_s").quantile(0.25, "linear"),
            q3_s=pl.col("time_s").quantile(0.75, "linear"),
            p95_s=pl.col("time_s").quantile(0.95, "linear"),
            par2_s=PENALISED.mean(),
            wrong=(pl.col("verdict") == "refuted").sum(),
            unsolved=pl.concat_str(unsolved, separator=", ", ignore_nulls=True),
        )
        .join(_largest(table), on=PAIR, how="left")
        .sort("par2_s", *PAIR, nulls_last=True)
    )


def _largest(table: pl.DataFrame) -> pl.DataFrame:
    """The largest n with every repeat solved, for each combination that has one."""
    sizes = table.filter(SIZED).group_by([*PAIR, "n"]).agg(pl.col("solved").all())
    return sizes.filter("solved").group_by(PAIR).agg(largest_n=pl.col("n").max())


def _of_interval(end: int) -> pl.Expr:
    """The lower or the upper end of the 95 % interval of the median."""
    return pl.col("time_s").map_batches(
        lambda times: intervals.median(times.drop_nulls().to_list())[end],
        return_dtype=pl.Float64,
        returns_scalar=True,
    )


def _counted(name: str, why: pl.Expr) -> pl.Expr:
    return pl.when(why.any()).then(pl.format(f"{{}} {name}", why.sum()))


def disagreements(records: pl.DataFrame) -> pl.DataFrame:
    """Return the problems with contradicting answers: one row for each problem and answer, in that
    order. Which answer is right is not decided.

    Columns: family, instance, n, said (the answer, or the number of solutions), by (each
    encoding x backend that gave this answer, once).
    """
    counted = pl.format("{} solutions", "solutions")
    return (
        records.filter((pl.col("outcome") == "finished") & (pl.col("answer") != "unknown"))
        .with_columns(
            said=pl.when(pl.col("task") == "all").then(counted).otherwise("answer"),
            by=pl.format(COMBINATION, *PAIR),
        )
        .filter(pl.col("said").n_unique().over([*PROBLEM, "task"]) > 1)
        .group_by([*PROBLEM, "said"])
        .agg(pl.col("by").unique().sort())
        .sort([*PROBLEM, "said"])
    )
