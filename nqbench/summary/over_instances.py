"""Summarises times by formula, for formulas without n."""

import polars as pl

from nqbench.summary.observed import PAIR, SPREAD, observed

OF_BOARDS = pl.col("n") > 0
"""Selects records of boards, not of formulas in files."""


def has_boards(records: pl.DataFrame) -> bool:
    """Whether any record is of a board."""
    return bool((records["n"] > 0).any())


def over_instances(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """Times by formula: one row for each encoding x backend x formula.

    Columns: instance, encoding, backend, median_s, low_s and high_s (fastest and slowest repeat),
    runs, unsolved, clauses, variables, time_limit_s, place (from 1; formulas in the order of the
    fastest combination's time). Sorted by place and combination.
    """
    table = (
        observed(records.filter(~OF_BOARDS & (pl.col("outcome") != "invalid")), time)
        .drop_nulls("time_s")
        .group_by(["instance", *PAIR])
        .agg(
            clauses=pl.col("clauses").max(),
            variables=pl.col("variables").max(),
            **SPREAD,
        )
    )
    order = (
        table.group_by("instance")
        .agg(best_s=pl.col("median_s").min())
        .sort("best_s", "instance")
        .with_row_index("place", offset=1)
        .select("instance", pl.col("place").cast(pl.Int64))
    )
    return table.join(order, on="instance").sort("place", *PAIR)
