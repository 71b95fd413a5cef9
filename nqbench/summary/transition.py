"""Summarises random boards by their density."""

import math
from collections.abc import Iterable

import polars as pl

from nqbench.summary import intervals
from nqbench.summary.observed import NOT_CAPPED, PAIR, PROBLEM, SOLVED


def satisfiable(records: pl.DataFrame) -> pl.DataFrame:
    """Count the boards that have a solution: one row for each family x n x density, in that order.

    Columns: family, n, density, boards, satisfiable, unsolved (boards that no run solved), share
    (of the solved ones), low and high: Wilson's 95 % interval for the share. low counts the
    unsolved boards as unsatisfiable, high as satisfiable.
    """
    boards = (
        records.filter(NOT_CAPPED & pl.col("density").is_not_null())
        .group_by([*PROBLEM, "density"])
        .agg(
            satisfiable=(SOLVED & (pl.col("answer") == "sat")).any(),
            unsatisfiable=(SOLVED & (pl.col("answer") == "unsat")).any(),
        )
    )
    table = (
        boards.group_by(["family", "n", "density"])
        .agg(
            boards=pl.len(),
            satisfiable=pl.col("satisfiable").sum(),
            no=pl.col("unsatisfiable").sum(),
        )
        .with_columns(unsolved=pl.col("boards") - pl.col("satisfiable") - pl.col("no"))
        .with_columns(share=pl.col("satisfiable") / (pl.col("satisfiable") + pl.col("no")))
        .drop("no")
        .sort("family", "n", "density")
    )
    counts = table.select("satisfiable", "unsolved", "boards").rows()
    return table.with_columns(
        low=_floats(intervals.share(sat, boards)[0] for sat, _, boards in counts),
        high=_floats(
            intervals.share(sat + unsolved, boards)[1] for sat, unsolved, boards in counts
        ),
    )


def _floats(values: Iterable[float | None]) -> pl.Series:
    return pl.Series(list(values), dtype=pl.Float64)


def effort(records: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Return the cost of boards by density: one row for each encoding x backend x family x n x
    density, in that order.

    `metric` is a column of records. The cost of a board is the median of its repeats, infinite for
    unsolved repeats. Columns: encoding, backend, family, n, density, boards, median, low, high: the
    median over the boards and its 95 % confidence interval by order statistics, null if there are
    too few boards.
    """
    keys = [*PAIR, "family", "n", "density"]
    table = (
        records.filter(NOT_CAPPED & pl.col("density").is_not_null())
        .with_columns(
            cost=pl.when(SOLVED).then(pl.col(metric).cast(pl.Float64)).otherwise(math.inf)
        )
        .group_by([*PAIR, *PROBLEM, "density"])
        .agg(pl.col("cost").median())
        .group_by(keys)
        .agg(boards=pl.len(), median=pl.col("cost").median(), costs=pl.col("cost"))
        .sort(keys)
    )
    bounds = [intervals.median(costs) for costs in table["costs"].to_list()]
    return table.drop("costs").with_columns(
        low=_floats(low for low, _ in bounds), high=_floats(high for _, high in bounds)
    )
