"""Computes the best combination for each board, and what each one adds to the others."""

import polars as pl

from nqbench.summary.observed import PAIR, THERE, common


def portfolio(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """Return the cost of a perfect choice for each board: one row for each encoding x backend, best
    PAR-2 first, over the boards, on each machine, that all of them were measured on.

    The virtual best solver (VBS) takes the time of the fastest combination on each board. The
    single best solver (SBS) is the first row. Columns: encoding, backend, boards, par2_s, wins
    (boards on which it is fastest; ties divide a board, and an unsolved board has no winner), share
    (of the boards that at least one solves), only (boards that no other one solves), vbs_par2_s
    (the same in each row) and vbs_without_s (the VBS of the others).
    L. Xu, F. Hutter, H. Hoos, K. Leyton-Brown, "Evaluating component solver contributions to
    portfolio-based algorithm selectors", SAT 2012.
    """
    table = common(records, time)
    best = pl.col("par2_s").min().over(THERE)
    first = pl.col("solved") & (pl.col("par2_s") == best)
    solvers = pl.col("solved").sum().over(THERE)
    # The best of the others: the second best where this combination is the best.
    second = pl.col("par2_s").sort().slice(1, 1).first().over(THERE)
    others = pl.when((pl.col("par2_s") == best) & (pl.len().over(THERE) > 1)).then(second)
    judged = table.with_columns(
        best_s=best,
        win=pl.when(first).then(1.0 / first.sum().over(THERE)).otherwise(0.0),
        only=pl.col("solved") & (solvers == 1),
        others_s=others.otherwise(best),
    )
    return (
        judged.group_by(PAIR)
        .agg(
            boards=pl.len(),
            par2_s=pl.col("par2_s").mean(),
            wins=pl.col("win").sum(),
            only=pl.col("only").sum(),
            vbs_par2_s=pl.col("best_s").mean(),
            vbs_without_s=pl.col("others_s").mean(),
        )
        .with_columns(share=pl.col("wins") / pl.col("wins").sum())
        .sort("par2_s", *PAIR)
    )
