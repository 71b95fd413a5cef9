"""Records with counters, as campaigns leave them."""

import polars as pl
from made_records import campaign

from nqbench.records import formats

SIX = campaign(a=[1.0, 2, 4, 1, 2, 4], b=[2.0, 4, 8, 2, 4, 8])


def counting(records, **counters):
    """The records with these counters: a value for all, or one for each row."""
    return records.with_columns(
        **{
            name: pl.Series(values, dtype=pl.Int64)
            if isinstance(values, list)
            else pl.lit(values, pl.Int64)
            for name, values in counters.items()
        }
    )


COUNTED = counting(SIX, conflicts=[100, 200, 400, 100, 200, 400] * 2)

SEVEN = counting(campaign(a=[1.0, 2, 4, 1, 2, 4, 1]), conflicts=[100, 200, 400, 100, 200, 400, 100])
"""As many boards as a gate of one combination needs."""


def write_exports(folder):
    """Exports of two campaigns of one solver: 5 % more conflicts, and a machine half as fast."""
    old = SEVEN.with_columns(
        run_id=pl.format("f{}", pl.int_range(pl.len()).cast(pl.String).str.zfill(31)),
        checked_by=pl.lit("board"),
        confl=pl.lit(7.0),
    )
    new = old.with_columns(conflicts=pl.col("conflicts") * 21 // 20, solve_s=pl.col("solve_s") * 2)
    for name, records in (("old", old), ("new", new)):
        (folder / f"{name}.csv").write_bytes(formats.to_csv(records))
    return folder
