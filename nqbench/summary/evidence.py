"""The unit of evidence: what counts once in a test, an interval and a number of problems.

The unit is the problem. However many machines measured it, however often, and under however many
names: it says no more about other problems than one measurement does. So what was measured of it
becomes one value, the mean. Whatever tests or counts problems gets them from here.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl

from nqbench.summary.observed import (
    BOARD,
    PAIR,
    PAR,
    PROBLEM,
    common,
    differing,
    par_column,
)
from nqbench.summary.remembered import remembered

UNIT: Final = "unit"
"""The column with the number of a row's unit."""

LEAST_S: Final = 1e-9
"""The least time a clock measures. Zero counts as this, since it has no logarithm."""

_DIGEST: Final = "problem_digest"


def with_unit(table: pl.DataFrame) -> pl.DataFrame:
    """The table, which has the columns of `BOARD`, with the column `unit`. Rows have the same
    number if they are of one task on one problem: the digests are equal, or, where a row has none,
    the names.
    """
    if _DIGEST not in table.columns or table[_DIGEST].is_null().all():
        return table.with_columns(pl.struct(differing(table, BOARD)).rank("dense").alias(UNIT))
    boards = table.select(*BOARD, _DIGEST).unique()
    digest = pl.col(_DIGEST).drop_nulls().first().over(PROBLEM)
    name = pl.when(digest.is_null()).then("instance")
    same = pl.struct("family", "n", "task", digest.alias("digest"), name.alias("name"))
    numbers = (
        boards.with_columns(pl.struct(BOARD).rank("dense").alias(UNIT), same=same)
        # The place of the first of its names, so that units are in the order of boards.
        .select(*BOARD, pl.col(UNIT).min().over("same"))
        .unique()
    )
    keys = differing(table, BOARD)
    numbers = numbers.unique(keys).select(*keys, UNIT)
    return table.join(numbers, on=keys, nulls_equal=True, maintain_order="left")


def problem_count(records: pl.DataFrame) -> int:
    """The number of different problems in a table of records, or in another one with their names
    and digests.
    """
    return with_unit(records)[UNIT].n_unique()


def collapsed(
    table: pl.DataFrame, of: Sequence[str], means: Sequence[str], *also: pl.Expr
) -> pl.DataFrame:
    """One row for each combination of the columns `of` and each unit, in that order: the means of
    these columns, first over what one machine measured and then over the machines, so that a
    machine counts once; and the other aggregates.

    The table has the columns of `THERE`. A mean of equal values is that value, without rounding.
    """
    rows = with_unit(table)
    keys = [*of, UNIT]
    if "machine" in rows.columns and rows["machine"].n_unique() > 1:
        rows = rows.group_by(*keys, "machine").agg(*map(_mean, means), *also).sort(*keys, "machine")
    return rows.group_by(keys, maintain_order=True).agg(*map(_mean, means), *also).sort(keys)


def of_repeats(runs: pl.DataFrame, of: Sequence[str], value: str) -> pl.DataFrame:
    """The values of the repeats of one problem, by the columns `of`: the mean of those of the first
    repeat on each machine, of the second, and so on.
    """
    place = pl.int_range(pl.len()).over([*of, "machine"])
    placed = runs.sort("repeat", value).with_columns(place=place)
    return placed.group_by([*of, "place"]).agg(_mean(value)).drop("place")


def _mean(column: str) -> pl.Expr:
    values = pl.col(column).cast(pl.Float64)
    return (values.min() + (values - values.min()).mean()).alias(column)


@remembered
def unit_costs(records: pl.DataFrame, time: str = "solve_s", par: int = PAR) -> pl.DataFrame:
    """The cost of each problem that all combinations were measured on: one row for each encoding x
    backend x unit, in that order.

    Columns: encoding, backend, unit, time_s and par2_s (means of those of `common`; with another k,
    named after it), log_s (the mean of the logarithms of that cost), solved (whether more than half
    of them are).
    """
    par_s = par_column(par)
    costs = common(records, time, par)
    log_s = pl.Series("log_s", np.log(costs[par_s].to_numpy().clip(LEAST_S)), dtype=pl.Float64)
    means = ["time_s", par_s, "log_s", "solved"]
    table = collapsed(costs.with_columns(log_s), PAIR, means)
    return table.with_columns(pl.col("solved") > 0.5, pl.col("encoding").set_sorted())
