"""Computes what each solver did: the formula that it was given, and the counts of its work."""

import polars as pl

from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import BOARD, PAIR, SOLVED


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
