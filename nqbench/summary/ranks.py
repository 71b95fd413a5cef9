"""The mean rank of each combination, and how many others it beats."""

from typing import Final

import polars as pl

from nqbench.common.metrics import SCORE
from nqbench.summary.comparisons import decided, units_compared
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import NAMED
from nqbench.summary.paired import FEWEST

_COUNTS: Final = {"pair": pl.String, "beats": pl.UInt32, "beaten_by": pl.UInt32}


def ranks(records: Records, time: str = "solve_s") -> pl.DataFrame:
    """Return the mean rank of each combination over the problems that all were measured on, best
    first.

    Columns: pair ('encoding x backend'), rank (1 is best; equal costs share their ranks), and the
    columns of `beaten`.
    """
    measured = Measured.of(records)
    rank = pl.col(SCORE).rank("average").over("unit")
    costs = measured.not_capped.unit_costs(time).select(NAMED, rank=rank)
    means = costs.group_by("pair").agg(pl.col("rank").mean())
    counts = beaten(measured, time)
    return means.join(counts, on="pair", how="left").sort("rank", "pair")


def beaten(measured: Measured, time: str = "solve_s") -> pl.DataFrame:
    """How many other combinations each one is typically faster than, and how many are typically
    faster than it: pair, beats, beaten_by. Both are null with too few problems to decide anything.
    """
    table = decided(measured, time)
    sides = pl.concat(
        [
            table.select(pair="first", side="typical"),
            table.select(pair="second", side=-pl.col("typical")),
        ]
    )
    counts = sides.group_by("pair").agg(
        beats=(pl.col("side") < 0).sum(), beaten_by=(pl.col("side") > 0).sum()
    )
    if units_compared(measured, time) < FEWEST:
        counts = counts.with_columns(pl.lit(None).alias(name) for name in ("beats", "beaten_by"))
    return counts.select(pl.col(name).cast(kind) for name, kind in _COUNTS.items())
