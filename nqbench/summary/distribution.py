"""The empirical distribution of the runs of each combination on one board."""

import polars as pl

from nqbench.summary.observed import BOARD, MANY, PAIR, POSSIBLE, observed


def distribution(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """The share of runs that are solved within a time: one row for each solved run of a board that
    a combination was measured on at least `MANY` times, as with seeds.

    Columns: encoding, backend, those of `BOARD`, time_s, share (of all its runs on this board,
    unsolved ones included, solved within time_s), runs.
    """
    keys = [*PAIR, *BOARD]
    return (
        observed(records, time)
        .filter(POSSIBLE)
        .with_columns(runs=pl.len().over(keys))
        .filter((pl.col("runs") >= MANY) & pl.col("solved"))
        .sort(*keys, "time_s")
        .with_columns(share=pl.int_range(1, pl.len() + 1).over(keys) / pl.col("runs"))
        .select(*keys, "time_s", "share", "runs")
    )
