"""What combinations are worth beside each other: the best for each problem, and mean ranks."""

from typing import Final

import polars as pl

from nqbench.common.metrics import PAR, SCORE
from nqbench.summary.comparisons import decided, units_compared
from nqbench.summary.evidence import UNIT
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import NAMED, PAIR, par_column
from nqbench.summary.paired import FEWEST


def portfolio(records: Records, time: str = "solve_s", par: int = PAR) -> pl.DataFrame:
    """Return the cost of a perfect choice for each board: one row for each encoding x backend, best
    PAR-2 first, over the boards that all of them were measured on.

    The virtual best solver (VBS) takes the time of the fastest combination on each board. The
    single best solver (SBS) is the first row. Columns: encoding, backend, boards, par2_s, wins
    (boards on which it is fastest; ties divide a board, and an unsolved board has no winner), share
    (of the boards that at least one solves), only (boards that no other one solves), vbs_par2_s
    (the same in each row), vbs_without_s (the VBS of the others) and over_vbs (how many times the
    PAR-2 of the VBS it costs). With another k as `par`, they are of PAR-k, and named after it.
    L. Xu, F. Hutter, H. Hoos, K. Leyton-Brown, "Evaluating component solver contributions to
    portfolio-based algorithm selectors", SAT 2012.
    """
    par_s = par_column(par)
    table = Measured.of(records).unit_costs(time, par)
    cost = pl.col(par_s)
    best = cost.min().over(UNIT)
    is_best = pl.col("solved") & (cost == best)
    solvers = pl.col("solved").sum().over(UNIT)
    # The best of the others: the second best where this combination is the best.
    second = cost.sort().slice(1, 1).first().over(UNIT)
    best_of_others = pl.when((cost == best) & (pl.len().over(UNIT) > 1)).then(second)
    judged = table.with_columns(
        best_s=best,
        win=pl.when(is_best).then(1.0 / is_best.sum().over(UNIT)).otherwise(0.0),
        only=pl.col("solved") & (solvers == 1),
        others_s=best_of_others.otherwise(best),
    )
    return (
        judged.group_by(PAIR)
        .agg(
            pl.len().alias("boards"),
            cost.mean(),
            pl.col("win").sum().alias("wins"),
            pl.col("only").sum(),
            pl.col("best_s").mean().alias(f"vbs_{par_s}"),
            pl.col("others_s").mean().alias("vbs_without_s"),
        )
        .with_columns(
            share=pl.col("wins") / pl.col("wins").sum(),
            over_vbs=cost / pl.col(f"vbs_{par_s}"),
        )
        .sort(par_s, *PAIR)
    )


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
