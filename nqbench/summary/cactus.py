"""Counts the boards that are solved within a time."""

import polars as pl

from nqbench.summary.evidence import UNIT, with_unit
from nqbench.summary.observed import PAIR, TITLE, boards


def cactus(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """Count the instances that are solved within a time: one row for each solved instance.

    An instance is one board, however many machines measured it and under however many names. Its
    time is the median of its repeats, with unsolved repeats at the limit. It is solved if more than
    half of its repeats are solved. Columns: encoding, backend, time_s, instances (solved within
    time_s), problem (its name).
    """
    of_units = with_unit(records)
    problems = of_units.group_by(UNIT).agg(problem=TITLE.min())
    return (
        boards(of_units, time, [UNIT])
        .filter("solved")
        .sort([*PAIR, "time_s"])
        .with_columns(instances=pl.int_range(1, pl.len() + 1).over(PAIR))
        .join(problems, on=UNIT, maintain_order="left")
        .select([*PAIR, "time_s", "instances", "problem"])
    )
