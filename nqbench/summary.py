"""What a table of records says: pure functions from tables to tables.

Unsolved runs are in every figure: they count as the time limit in a median, as twice the limit in
PAR-2, and as not solved in a count.
"""

import math

import polars as pl

from nqbench import intervals

SOLVED = (
    (pl.col("outcome") == "finished")
    & pl.col("answer").is_in(["sat", "unsat"])
    & (pl.col("verdict") != "refuted")
).alias("solved")
"""Whether a run came to an answer that was not found wrong. An unchecked answer counts."""

PAIR = ["encoding", "backend"]
PROBLEM = ["family", "instance", "n"]


TOTAL = "total_s"
"""The name for encode_s + load_s + solve_s wherever a time is asked for."""


def observed(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """Add `solved` and `time_s`: the time of a solved run, the time limit of any other.

    `time` is the column that counts, in seconds, or `TOTAL`.
    """
    limit = pl.col("time_limit_s")
    total = pl.col("encode_s") + pl.col("load_s") + pl.col("solve_s")
    return records.with_columns(SOLVED, total.alias(TOTAL)).with_columns(
        time_s=pl.when("solved").then(pl.min_horizontal(time, limit)).otherwise(limit)
    )


def overview(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """One row for each encoding x backend, best PAR-2 first.

    Columns: encoding, backend, runs, solved, median_s, par2_s, largest_n (the largest n of which
    every repeat was solved, null if there is none), wrong (refuted answers), crashed, timeouts,
    memouts, unavailable. PAR-2 is the mean of the solved runs' times with each unsolved run
    counted at twice its limit, as in the SAT competitions.
    """
    table = observed(records, time)
    solved_sizes = (
        table.group_by([*PAIR, "n"])
        .agg(pl.col("solved").all())
        .filter("solved")
        .group_by(PAIR)
        .agg(largest_n=pl.col("n").max())
    )
    penalised = pl.when("solved").then("time_s").otherwise(2 * pl.col("time_limit_s"))
    counts = {"crashed": "crashed", "timeouts": "timeout", "memouts": "memout"}
    return (
        table.group_by(PAIR)
        .agg(
            runs=pl.len(),
            solved=pl.col("solved").sum(),
            median_s=pl.col("time_s").median(),
            par2_s=penalised.mean(),
            wrong=(pl.col("verdict") == "refuted").sum(),
            **{name: (pl.col("outcome") == outcome).sum() for name, outcome in counts.items()},
            unavailable=(pl.col("outcome") == "unavailable").sum(),
        )
        .join(solved_sizes, on=PAIR, how="left")
        .sort("par2_s", *PAIR)
    )


def disagreements(records: pl.DataFrame) -> pl.DataFrame:
    """Problems of which two runs say different things, whoever is right: one row for each problem
    and thing said, in that order.

    Columns: family, instance, n, said (the answer, or how many solutions there are), by (the
    encoding x backend of each run that says so, each once).
    """
    counted = pl.format("{} solutions", "solutions")
    return (
        records.filter((pl.col("outcome") == "finished") & (pl.col("answer") != "unknown"))
        .with_columns(
            said=pl.when(pl.col("task") == "all").then(counted).otherwise("answer"),
            by=pl.format("{} x {}", *PAIR),
        )
        .filter(pl.col("said").n_unique().over([*PROBLEM, "task"]) > 1)
        .group_by([*PROBLEM, "said"])
        .agg(pl.col("by").unique().sort())
        .sort([*PROBLEM, "said"])
    )


def over_n(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """Solve times by size: one row for each encoding x backend x n, in that order.

    Columns: encoding, backend, n, median_s, low_s and high_s (fastest and slowest repeat),
    runs, unsolved, time_limit_s.
    """
    return (
        observed(records, time)
        .group_by([*PAIR, "n"])
        .agg(
            median_s=pl.col("time_s").median(),
            low_s=pl.col("time_s").min(),
            high_s=pl.col("time_s").max(),
            runs=pl.len(),
            unsolved=(~pl.col("solved")).sum(),
            time_limit_s=pl.col("time_limit_s").max(),
        )
        .sort([*PAIR, "n"])
    )


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
    """Where the time goes: one row for each encoding x backend, in that order.

    Columns: encoding, backend, encode_s, load_s, solve_s, other_s: mean seconds of a finished run.
    `other_s` is what the run's process took besides: fork, decoding, report, exit.
    """
    return (
        records.filter(pl.col("outcome") == "finished")
        .with_columns(other_s=pl.col("wall_s") - pl.col("load_s") - pl.col("solve_s"))
        .group_by(PAIR)
        .agg(pl.col("encode_s", "load_s", "solve_s", "other_s").mean())
        .sort(PAIR)
    )


def cactus(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """How many instances are solved within a time: one row for each solved instance.

    An instance is one board; its time is the median over the repeats with unsolved repeats at the
    limit, and it is solved if more than half of its repeats are. Columns: encoding, backend,
    time_s, instances (solved within time_s).
    """
    return (
        observed(records, time)
        .group_by([*PAIR, *PROBLEM])
        .agg(pl.col("time_s").median(), pl.col("solved").mean())
        .filter(pl.col("solved") > 0.5)
        .sort([*PAIR, "time_s"])
        .with_columns(instances=pl.int_range(1, pl.len() + 1).over(PAIR))
        .select([*PAIR, "time_s", "instances"])
    )


def satisfiable(records: pl.DataFrame) -> pl.DataFrame:
    """How many boards have a solution: one row for each family x n x density, in that order.

    Columns: family, n, density, boards, satisfiable, unsolved (boards that no run solved), share
    (of the solved ones), low and high: Wilson's interval for the share, 95 %, as if the unsolved
    boards were all unsatisfiable and all satisfiable.
    """
    boards = (
        records.filter(pl.col("density").is_not_null())
        .group_by([*PROBLEM, "density"])
        .agg(
            satisfiable=(SOLVED & (pl.col("answer") == "sat")).any(),
            unsatisfiable=(SOLVED & (pl.col("answer") == "unsat")).any(),
        )
    )
    table = (
        boards.group_by(["family", "n", "density"])
        .agg(
            boards=pl.len(),
            satisfiable=pl.col("satisfiable").sum(),
            no=pl.col("unsatisfiable").sum(),
        )
        .with_columns(unsolved=pl.col("boards") - pl.col("satisfiable") - pl.col("no"))
        .with_columns(share=pl.col("satisfiable") / (pl.col("satisfiable") + pl.col("no")))
        .drop("no")
        .sort("family", "n", "density")
    )
    counts = table.select("satisfiable", "unsolved", "boards").rows()
    return table.with_columns(
        low=pl.Series(
            [intervals.share(sat, boards)[0] for sat, _, boards in counts], dtype=pl.Float64
        ),
        high=pl.Series(
            [intervals.share(sat + unsolved, boards)[1] for sat, unsolved, boards in counts],
            dtype=pl.Float64,
        ),
    )


def effort(records: pl.DataFrame, metric: str) -> pl.DataFrame:
    """What boards of a density cost: one row for each encoding x backend x family x n x density, in
    that order.

    `metric` is a column of records. A board costs the median of its repeats; an unsolved one costs
    infinitely much. Columns: encoding, backend, family, n, density, boards, median, low, high: the
    median over the boards and its 95 % confidence interval by order statistics, null where there
    are too few boards for one.
    """
    keys = [*PAIR, "family", "n", "density"]
    table = (
        records.filter(pl.col("density").is_not_null())
        .with_columns(
            cost=pl.when(SOLVED).then(pl.col(metric).cast(pl.Float64)).otherwise(math.inf)
        )
        .group_by([*PAIR, *PROBLEM, "density"])
        .agg(pl.col("cost").median())
        .group_by(keys)
        .agg(boards=pl.len(), median=pl.col("cost").median(), costs=pl.col("cost"))
        .sort(keys)
    )
    bounds = [intervals.median(costs) for costs in table["costs"].to_list()]
    return table.drop("costs").with_columns(
        low=pl.Series([low for low, _ in bounds], dtype=pl.Float64),
        high=pl.Series([high for _, high in bounds], dtype=pl.Float64),
    )
