"""The unit of evidence: what counts once in a test, an interval and a number of problems.

The unit is the problem. However many machines measured it, however often, and under however many
names: it says no more about other problems than one measurement does. So what was measured of it
becomes one value, the mean. Whatever tests or counts problems gets them from here.

Problems of one family may share what makes them hard. On request, the unit of tests and intervals
is the group: see `in_groups`. Problems are still counted as such, and PAR-k is over problems.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nqbench.common.errors import InputError
from nqbench.common.metrics import PAR
from nqbench.common.spelling import suggestion
from nqbench.records.derived import with_derived
from nqbench.summary.observed import (
    BOARD,
    GROUP,
    PAIR,
    different,
    differing,
    par_column,
)

UNIT: Final = "unit"
"""The column with the number of a row's unit."""

_SHARED: Final = (pl.String, pl.Categorical, pl.Enum, pl.Boolean)
"""The kinds of columns whose values name groups, beside whole numbers."""

LEAST_S: Final = 1e-9
"""The least time a clock measures. Zero counts as this, since it has no logarithm."""

_DIGEST: Final = "problem_digest"


def with_unit(table: pl.DataFrame) -> pl.DataFrame:
    """The table, which has the columns of `BOARD`, with the column `unit`. Rows have the same
    number if they are of one task on one problem: the digests are equal, or, where a row has none,
    the names. A table that has this column keeps it.
    """
    if UNIT in table.columns:
        return table
    keys = differing(table, BOARD)
    if not _has_digests(table):
        return table.with_columns(pl.struct(keys).rank("dense").alias(UNIT))
    return table.join(_units(table, keys), on=keys, nulls_equal=True, maintain_order="left")


def in_groups(records: pl.DataFrame, column: str) -> pl.DataFrame:
    """The records with the column `GROUP`, so that all problems with one value of this column are
    one unit of evidence. It can be one of `records.derived`, such as 'formula_family'. A problem
    without a value is a unit, too. Raises `InputError` for an unknown column, and for one without
    groups.
    """
    table = with_derived(records, [column])
    if column not in table.columns:
        raise InputError(f"unknown unit '{column}': {suggestion(column, table.columns)}")
    kind = table.schema[column]
    if not (kind.is_integer() or kind in _SHARED):
        raise InputError(f"unit '{column}' is no name of a group: choose a column with names")
    # Numbered from -1 downwards, so that no group has the number of a problem.
    return records.with_columns(-pl.Series(GROUP, table[column]).rank("dense").cast(pl.Int64))


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
    and digests, or with their units.
    """
    if UNIT in records.columns:
        return records[UNIT].n_unique()
    keys = differing(records, BOARD)
    if not _has_digests(records):
        return records.select(keys).n_unique()
    return _units(records, keys)[UNIT].n_unique()


def collapsed(
    table: pl.DataFrame, by: Sequence[str], means: Sequence[str], *, in_problems: bool = False
) -> pl.DataFrame:
    """One row for each combination of the columns `by` and each unit, in that order: the means of
    these columns, first over what one machine measured, then over the machines, so that a machine
    counts once, and then over the problems of a group if the table is `in_groups`, unless
    `in_problems`.

    The table has the columns of `THERE`, or of `BOARD` only. A mean of equal values is that value,
    without rounding.
    """
    rows, keys = with_unit(table), [*by, UNIT]
    groups = None if in_problems else unit_groups(rows)
    if different(rows, keys) == len(rows):
        rows = rows.select(*keys, pl.col(means).cast(pl.Float64)).sort(differing(rows, keys))
    else:
        if "machine" in rows.columns and rows["machine"].n_unique() > 1:
            rows = rows.group_by(*keys, "machine").agg(map(_mean, means)).sort(*keys, "machine")
        rows = rows.group_by(keys, maintain_order=True).agg(map(_mean, means)).sort(keys)
    if groups is None:
        return rows
    rows = rows.join(groups, on=UNIT, maintain_order="left").drop(UNIT)
    return rows.group_by(*by, pl.col(GROUP).alias(UNIT)).agg(map(_mean, means)).sort(keys)


def unit_groups(rows: pl.DataFrame) -> pl.DataFrame | None:
    """The number of the group of each problem, by its number; None if problems are the units. The
    table is `with_unit`.
    """
    if GROUP not in rows.columns:
        return None
    # A problem whose copies are in several groups is in the first one.
    groups = rows.group_by(UNIT).agg(pl.col(GROUP).max())
    return groups.with_columns(pl.coalesce(GROUP, pl.col(UNIT).cast(pl.Int64)))


def group_means(values: NDArray[np.float64], groups: NDArray[np.intp]) -> NDArray[np.float64]:
    """The mean of the values of each group, in the order of the groups' numbers, as `collapsed` has
    them. `values` have the shape (problems,) or (problems, combinations), `groups` (problems,).
    """
    numbers, places = np.unique(groups, return_inverse=True)
    sums = np.zeros((len(numbers), *values.shape[1:]))
    np.add.at(sums, places, values)
    means: NDArray[np.float64] = (sums.T / np.bincount(places)).T
    return means


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


def costs_by_unit(costs: pl.DataFrame, par: int = PAR, *, in_problems: bool = True) -> pl.DataFrame:
    """The cost of each problem, from the costs of boards on each machine that `boards` returns: one
    row for each encoding x backend x unit, in that order. Units are those of `collapsed`.

    Columns: encoding, backend, unit, time_s and par2_s (means of those of the boards; with another
    k, named after it), log_s (the mean of the logarithms of that cost), limit_s (that of the time
    limits), solved (whether more than half of them are).
    """
    par_s = par_column(par)
    log_s = pl.Series("log_s", np.log(costs[par_s].to_numpy().clip(LEAST_S)), dtype=pl.Float64)
    means = ["time_s", par_s, "log_s", "solved", "limit_s"]
    costs = costs.with_columns(log_s, limit_s="time_limit_s")
    table = collapsed(costs, PAIR, means, in_problems=in_problems)
    return table.with_columns(pl.col("solved") > 0.5, pl.col("encoding").set_sorted())
