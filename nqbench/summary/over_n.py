"""Times, sizes and phases of the formulas and runs, by size of the board."""

import polars as pl

from nqbench.summary.observed import NOT_CAPPED, PAIR, observed, spread


def over_n(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """Solve times by size: one row for each encoding x backend x n, in that order.

    Columns: encoding, backend, n, and those of `spread`.
    """
    table = observed(records, time).drop_nulls("time_s")
    return spread(table, [*PAIR, "n"])


def sizes(records: pl.DataFrame) -> pl.DataFrame:
    """The size of each formula: one row for each encoding x n, in that order.

    Columns: encoding, n, variables, clauses, literals.
    """
    return (
        records.drop_nulls("clauses")
        .group_by(["encoding", "n"])
        .agg(pl.col("variables", "clauses", "literals").max())
        .sort(["encoding", "n"])
    )


def phases(records: pl.DataFrame) -> pl.DataFrame:
    """Mean time of each phase: one row for each encoding x backend, in that order.

    Columns: encoding, backend, encode_s, load_s, solve_s, other_s: mean seconds of a finished run.
    `other_s` is the rest of the process's time: fork, decoding, report, exit.
    """
    return (
        records.filter(pl.col("outcome") == "finished")
        .with_columns(other_s=pl.col("wall_s") - pl.col("load_s") - pl.col("solve_s"))
        .group_by(PAIR)
        .agg(pl.col("encode_s", "load_s", "solve_s", "other_s").mean())
        .sort(PAIR)
    )


def memory(records: pl.DataFrame) -> pl.DataFrame:
    """Peak memory by size: one row for each encoding x backend x n, in that order.

    Columns: encoding, backend, n, median_mib, low_mib and high_mib (least and most). A run that was
    stopped counts with its peak until then.
    """
    mib = pl.col("peak_rss_bytes") / 2**20
    return (
        records.filter(NOT_CAPPED)
        .drop_nulls("peak_rss_bytes")
        .group_by([*PAIR, "n"])
        .agg(median_mib=mib.median(), low_mib=mib.min(), high_mib=mib.max())
        .sort([*PAIR, "n"])
    )
