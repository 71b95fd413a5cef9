"""How many boards are solved within a time."""

import polars as pl

from nqbench.summary.observed import PAIR, boards


def cactus(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """How many instances are solved within a time: one row for each solved instance.

    An instance is one board; its time is the median over the repeats with unsolved repeats at the
    limit, and it is solved if more than half of its repeats are. Columns: encoding, backend,
    time_s, instances (solved within time_s).
    """
    return (
        boards(records, time)
        .filter("solved")
        .sort([*PAIR, "time_s"])
        .with_columns(instances=pl.int_range(1, pl.len() + 1).over(PAIR))
        .select([*PAIR, "time_s", "instances"])
    )
