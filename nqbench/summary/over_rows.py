"""Summarises problems with rows by k/n, and by the length of rows."""

import polars as pl

from nqbench.common.metrics import SCORE
from nqbench.records.derived import K_SHARE, ROW_LENGTHS, with_derived
from nqbench.summary.measured import Measured
from nqbench.summary.observed import PAIR


def over_rows(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """PAR-2 of problems with rows by the classes of their longest rows, of problems that all
    combinations ran on: a row for each encoding x backend x class, in that order.

    Columns: encoding, backend, by (`k_share` or `row_lengths`), value (the class), problems (how
    many), par2_s.
    """
    classes = [K_SHARE, ROW_LENGTHS]
    of_problem = ["family", "instance", "n"]
    known = with_derived(records, classes).select(*of_problem, *classes).unique()
    costs = Measured.of(records).common(time).join(known, on=of_problem, nulls_equal=True)
    parts = [
        costs.drop_nulls(by)
        .group_by(*PAIR, by)
        .agg(pl.len().alias("problems"), pl.col(SCORE).mean())
        .select(*PAIR, pl.lit(by).alias("by"), pl.col(by).alias("value"), "problems", SCORE)
        for by in classes
    ]
    return pl.concat(parts).sort(*PAIR, "by", "value")
