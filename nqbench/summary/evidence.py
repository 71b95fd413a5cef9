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
    differing,
    par_column,
)

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
    keys = differing(table, BOARD)
    if not _has_digests(table):
        return table.with_columns(pl.struct(keys).rank("dense").alias(UNIT))
    return table.join(_units(table, keys), on=keys, nulls_equal=True, maintain_order="left")


def _has_digests(table: pl.DataFrame) -> bool:
    return _DIGEST in table.columns and table[_DIGEST].null_count() < len(table)


def _units(table: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The unit of each board of a table with digests; boards differ in the columns `keys`."""
    boards = table.select(*keys, _DIGEST).unique()
    name_keys = [name for name in keys if name != "task"] or keys
    digest = pl.col(_DIGEST).min().over(name_keys)  # with `told_apart`, each name has one
    name = pl.when(digest.is_null()).then("instance" if "instance" in keys else keys[0])
    other_keys = [key for key in keys if key != "instance"]
    same = pl.struct(*other_keys, digest.alias("digest"), name.alias("name"))
    # The place of the first of its names, so that units are in the order of boards.
    first_place = pl.struct(keys).rank("dense").alias(UNIT)
    numbered = boards.with_columns(first_place, same=same)
    return numbered.select(*keys, pl.col(UNIT).min().over("same")).unique(keys)


def problem_count(records: pl.DataFrame) -> int:
    """The number of different problems in a table of records, or in another one with their names
    and digests.
    """
    keys = differing(records, BOARD)
    if not _has_digests(records):
        return records.select(keys).n_unique()
    return _units(records, keys)[UNIT].n_unique()


def collapsed(table: pl.DataFrame, by: Sequence[str], means: Sequence[str]) -> pl.DataFrame:
    """One row for each combination of the columns `by` and each unit, in that order: the means of
    these columns, first over what one machine measured and then over the machines, so that a
    machine counts once.

    The table has the columns of `THERE`, or of `BOARD` only. A mean of equal values is that value,
    without rounding.
    """
    rows, keys = with_unit(table), [*by, UNIT]
    if rows.select(keys).n_unique() == len(rows):
        return rows.select(*keys, pl.col(means).cast(pl.Float64)).sort(keys)
    if "machine" in rows.columns and rows["machine"].n_unique() > 1:
        rows = rows.group_by(*keys, "machine").agg(map(_mean, means)).sort(*keys, "machine")
    return rows.group_by(keys, maintain_order=True).agg(map(_mean, means)).sort(keys)


def of_repeats(runs: pl.DataFrame, by: Sequence[str], value: str) -> pl.DataFrame:
    """The values of the repeats of one problem, by the columns `by`: the mean of those of the first
    repeat on each machine, of the second, and so on.
    """
    place = pl.int_range(pl.len()).over([*by, "machine"])
    placed = runs.sort("repeat", value).with_columns(place=place)
    return placed.group_by([*by, "place"]).agg(_mean(value)).drop("place")


def _mean(column: str) -> pl.Expr:
    values = pl.col(column).cast(pl.Float64)
    return (values.min() + (values - values.min()).mean()).alias(column)


def costs_by_unit(costs: pl.DataFrame, par: int = PAR) -> pl.DataFrame:
    """The cost of each problem, from the costs of boards on each machine that `boards` returns: one
    row for each encoding x backend x unit, in that order.

    Columns: encoding, backend, unit, time_s and par2_s (means of those of the boards; with another
    k, named after it), log_s (the mean of the logarithms of that cost), solved (whether more than
    half of them are).
    """
    par_s = par_column(par)
    log_s = pl.Series("log_s", np.log(costs[par_s].to_numpy().clip(LEAST_S)), dtype=pl.Float64)
    means = ["time_s", par_s, "log_s", "solved"]
    table = collapsed(costs.with_columns(log_s), PAIR, means)
    return table.with_columns(pl.col("solved") > 0.5, pl.col("encoding").set_sorted())
