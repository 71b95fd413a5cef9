"""What plots draw: costs over n, k, rows or density, of each formula, and solved within a time."""

import math
from collections.abc import Iterable
from typing import Final

import polars as pl

from nqbench.common.metrics import SCORE
from nqbench.common.vocabulary import AS_IT_IS, Task
from nqbench.problems.queens import FAMILIES
from nqbench.records.derived import K_SHARE, ROW_LENGTHS, with_derived
from nqbench.summary import intervals
from nqbench.summary.evidence import UNIT, with_unit
from nqbench.summary.measured import Measured
from nqbench.summary.observed import (
    BOARD,
    GROUP,
    MANY,
    NOT_CAPPED,
    PAIR,
    POSSIBLE,
    PROBLEM,
    SOLVED,
    TITLE,
    VALID,
    boards,
    observed,
    spread,
)

SIZED = pl.col("n").is_not_null()
"""Selects records of problems with a size, unlike formulas in files."""


def has_sizes(records: pl.DataFrame) -> bool:
    """Whether any record is of a problem with a size."""
    return bool(records["n"].is_not_null().any())


def has_encodings(records: pl.DataFrame) -> bool:
    """Whether any record has an encoding with a name, unlike formulas as they are in files."""
    return bool((records["encoding"] != AS_IT_IS).any())


def noun(records: pl.DataFrame) -> str:
    """The word for what was measured: boards, formulas, or problems of other kinds."""
    if set(records["family"].unique()) <= set(FAMILIES):
        return "board"
    has_rules = has_sizes(records) or (records["checked_by"] == "rules").any()
    return "problem" if has_rules else "formula"


def unit_noun(records: pl.DataFrame) -> str:
    """The word for a unit of evidence: that for a problem, or a group of them."""
    return "group" if GROUP in records.columns else noun(records)


def over_instances(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """Times by formula: one row for each encoding x backend x formula.

    Columns: instance, encoding, backend, those of `spread`, clauses, variables, place (from 1;
    formulas in the order of the fastest combination's time). Sorted by place and combination.
    """
    formulas = records.filter(~SIZED & VALID)
    runs = observed(formulas, time).drop_nulls("time_s")
    table = spread(runs, ["instance", *PAIR], pl.col("clauses", "variables").max())
    order = (
        table.group_by("instance")
        .agg(best_s=pl.col("median_s").min())
        .sort("best_s", "instance")
        .with_row_index("place", offset=1)
        .select("instance", pl.col("place").cast(pl.Int64))
    )
    return table.join(order, on="instance").sort("place", *PAIR)


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


_K: Final = r"^(.+?):k=(\d+)(:.*)?$"
"""The name of a family with its k."""


def with_k(records: pl.DataFrame) -> pl.DataFrame:
    """The records whose family says its k, as `queen-domination:k=3` does, with k as a column and
    without it in the name: all k are then of one family. Runs that look for the best k ask for
    several, and are left out.
    """
    family = pl.col("family")
    return (
        records.filter(pl.col("task") != Task.BEST)
        .with_columns(
            k=family.str.extract(_K, 2).cast(pl.Int64), family=family.str.replace(_K, "${1}${3}")
        )
        .drop_nulls("k")
    )


def over_k(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """Solve times by k, of one family and records that have a k: one row for each encoding x
    backend x n x k, in that order.

    Columns: encoding, backend, n, k, those of `spread`, and answer (`sat` or `unsat` if a run was
    solved).
    """
    table = observed(records, time).drop_nulls("time_s")
    answer = pl.col("answer").filter(pl.col("solved")).first()
    return spread(table, [*PAIR, "n", "k"], answer)


def optima(records: pl.DataFrame) -> pl.DataFrame:
    """Between which k the best one is, by the verified answers of all combinations: one row for
    each n with a solution for one k and none for another one, in that order. Of one family and
    records that have a k.

    Columns: n, has (the best k with a solution), lacks (the nearest k without one), best (`least`
    or `greatest`).
    """
    k = pl.col("k")
    has, lacks = (k.filter(pl.col("answer") == answer) for answer in ("sat", "unsat"))
    ends = (
        records.filter(pl.col("verdict") == "verified")
        .group_by("n")
        .agg(least=has.min(), greatest=has.max(), above=lacks.min(), below=lacks.max())
    )
    is_least = pl.col("below") < pl.col("least")
    is_greatest = pl.col("above") > pl.col("greatest")
    return (
        ends.filter(is_least | is_greatest)
        .select(
            "n",
            has=pl.when(is_least).then("least").otherwise("greatest"),
            lacks=pl.when(is_least).then("below").otherwise("above"),
            best=pl.when(is_least).then(pl.lit("least")).otherwise(pl.lit("greatest")),
        )
        .sort("n")
    )


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


def satisfiable(records: pl.DataFrame) -> pl.DataFrame:
    """Count the boards that have a solution: one row for each family x n x density, in that order.

    Columns: family, n, density, boards, satisfiable, unsolved (boards that no run solved), share
    (of the solved ones), low and high: Wilson's 95 % interval for the share. low counts the
    unsolved boards as unsatisfiable, high as satisfiable.
    """
    boards = (
        records.filter(NOT_CAPPED & pl.col("density").is_not_null())
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
        low=_floats(intervals.share(sat, boards)[0] for sat, _, boards in counts),
        high=_floats(
            intervals.share(sat + unsolved, boards)[1] for sat, unsolved, boards in counts
        ),
    )


def _floats(values: Iterable[float | None]) -> pl.Series:
    return pl.Series(list(values), dtype=pl.Float64)


def effort(records: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Return the cost of boards by density: one row for each encoding x backend x family x n x
    density, in that order.

    `metric` is a column of records. The cost of a board is the median of its repeats, infinite for
    unsolved repeats. Columns: encoding, backend, family, n, density, boards, median, low, high: the
    median over the boards and its 95 % confidence interval by order statistics, null if there are
    too few boards.
    """
    keys = [*PAIR, "family", "n", "density"]
    table = (
        records.filter(NOT_CAPPED & pl.col("density").is_not_null())
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
        low=_floats(low for low, _ in bounds), high=_floats(high for _, high in bounds)
    )


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


def distribution(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """The share of runs that are solved within a time: one row for each solved run of a board that
    a combination was measured on at least `MANY` times, as with seeds.

    Columns: encoding, backend, those of `BOARD`, time_s, share (of all its runs on this board,
    unsolved ones included, solved within time_s), runs.
    """
    keys = [*PAIR, *BOARD]
    return (
        observed(records, time)
        .filter(POSSIBLE)
        .with_columns(runs=pl.len().over(keys))
        .filter((pl.col("runs") >= MANY) & pl.col("solved"))
        .sort(*keys, "time_s")
        .with_columns(share=pl.int_range(1, pl.len() + 1).over(keys) / pl.col("runs"))
        .select(*keys, "time_s", "share", "runs")
    )
