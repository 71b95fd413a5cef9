"""Summarises times by formula, for formulas without n."""

import polars as pl

from nqbench.common.vocabulary import AS_IT_IS
from nqbench.problems.queens import FAMILIES
from nqbench.summary.observed import GROUP, PAIR, VALID, observed, spread

SIZED = pl.col("n").is_not_null()
"""Selects records of problems with a size, unlike formulas in files."""


def has_sizes(records: pl.DataFrame) -> bool:
    """Whether any record is of a problem with a size."""
    return bool(records["n"].is_not_null().any())


def has_encodings(records: pl.DataFrame) -> bool:
    """Whether any record has an encoding with a name, unlike formulas as they are in files."""
    return bool((records["encoding"] != AS_IT_IS).any())


def noun(records: pl.DataFrame) -> str:
    """The word for what was measured: boards, formulas, or problems of other kinds."""
    if set(records["family"].unique()) <= set(FAMILIES):
        return "board"
    has_rules = has_sizes(records) or (records["checked_by"] == "rules").any()
    return "problem" if has_rules else "formula"


def unit_noun(records: pl.DataFrame) -> str:
    """The word for a unit of evidence: that for a problem, or a group of them."""
    return "group" if GROUP in records.columns else noun(records)


def over_instances(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """Times by formula: one row for each encoding x backend x formula.

    Columns: instance, encoding, backend, those of `spread`, clauses, variables, place (from 1;
    formulas in the order of the fastest combination's time). Sorted by place and combination.
    """
    formulas = records.filter(~SIZED & VALID)
    runs = observed(formulas, time).drop_nulls("time_s")
    table = spread(runs, ["instance", *PAIR], pl.col("clauses", "variables").max())
    order = (
        table.group_by("instance")
        .agg(best_s=pl.col("median_s").min())
        .sort("best_s", "instance")
        .with_row_index("place", offset=1)
        .select("instance", pl.col("place").cast(pl.Int64))
    )
    return table.join(order, on="instance").sort("place", *PAIR)
