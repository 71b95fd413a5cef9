"""Times by k, of problems that ask for k things, and the best k that is known from the answers."""

from typing import Final

import polars as pl

from nqbench.common.vocabulary import Task
from nqbench.summary.observed import PAIR, observed, spread

_K: Final = r"^(.+?):k=(\d+)(:.*)?$"
"""The name of a family with its k."""


def with_k(records: pl.DataFrame) -> pl.DataFrame:
    """The records whose family says its k, as `queen-domination:k=3` does, with k as a column and
    without it in the name: all k are then of one family. Runs that look for the best k ask for
    several, and are left out.
    """
    family = pl.col("family")
    return (
        records.filter(pl.col("task") != Task.BEST)
        .with_columns(
            k=family.str.extract(_K, 2).cast(pl.Int64), family=family.str.replace(_K, "${1}${3}")
        )
        .drop_nulls("k")
    )


def over_k(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """Solve times by k, of one family and records that have a k: one row for each encoding x
    backend x n x k, in that order.

    Columns: encoding, backend, n, k, those of `spread`, and answer (`sat` or `unsat` if a run was
    solved).
    """
    table = observed(records, time).drop_nulls("time_s")
    answer = pl.col("answer").filter(pl.col("solved")).first()
    return spread(table, [*PAIR, "n", "k"], answer)


def optima(records: pl.DataFrame) -> pl.DataFrame:
    """Between which k the best one is, by the verified answers of all combinations: one row for
    each n with a solution for one k and none for another one, in that order. Of one family and
    records that have a k.

    Columns: n, has (the best k with a solution), lacks (the nearest k without one), best (`least`
    or `greatest`).
    """
    k = pl.col("k")
    has, lacks = (k.filter(pl.col("answer") == answer) for answer in ("sat", "unsat"))
    ends = (
        records.filter(pl.col("verdict") == "verified")
        .group_by("n")
        .agg(least=has.min(), greatest=has.max(), above=lacks.min(), below=lacks.max())
    )
    is_least = pl.col("below") < pl.col("least")
    is_greatest = pl.col("above") > pl.col("greatest")
    return (
        ends.filter(is_least | is_greatest)
        .select(
            "n",
            has=pl.when(is_least).then("least").otherwise("greatest"),
            lacks=pl.when(is_least).then("below").otherwise("above"),
            best=pl.when(is_least).then(pl.lit("least")).otherwise(pl.lit("greatest")),
        )
        .sort("n")
    )
