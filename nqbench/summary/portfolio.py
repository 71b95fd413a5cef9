"""The best pair for each board, and what each pair adds to the others."""

import polars as pl

from nqbench.summary.observed import PAIR, THERE, common


def portfolio(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """What a perfect choice for each board would cost: one row for each encoding x backend, best
    PAR-2 first, over the boards that all of them were measured on, each on each machine.

    The virtual best solver (VBS) takes on each board what the fastest pair takes; the single best
    solver (SBS) is the first row. Columns: encoding, backend, boards, par2_s, wins (boards on which
    it is fastest; those of several at once are divided among them, those that nobody solves have no
    winner), share (of the boards that somebody solves), only (boards that nobody else solves),
    vbs_par2_s (the same in each row) and vbs_without_s (that of the others).
    L. Xu, F. Hutter, H. Hoos, K. Leyton-Brown, "Evaluating component solver contributions to
    portfolio-based algorithm selectors", SAT 2012.
    """
    table = common(records, time)
    best = pl.col("par2_s").min().over(THERE)
    first = pl.col("solved") & (pl.col("par2_s") == best)
    solvers = pl.col("solved").sum().over(THERE)
    # What the others' best would be: the second best where this pair is the best.
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
