"""Compares the time to encode with the time to solve."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import polars as pl

from nqbench.common.metrics import SCORE, SCORE_NAME
from nqbench.common.units import factor, seconds
from nqbench.common.vocabulary import combination
from nqbench.records.derived import TOTAL
from nqbench.summary.comparisons import with_intervals, with_one
from nqbench.summary.findings.fact import Fact
from nqbench.summary.findings.leaders import Ratios
from nqbench.summary.findings.phrases import in_brackets, interval, on
from nqbench.summary.findings.wording import short
from nqbench.summary.in_total import total_costs
from nqbench.summary.measured import Measured
from nqbench.summary.observed import FIRST_CALLS_S, PAIR, POSSIBLE, THERE
from nqbench.summary.over_instances import SIZED, noun

_LITTLE: Final = 0.1
"""Ratios below are stated in percent."""


def encoding(measured: Measured, time: str) -> Iterator[Fact]:
    """How encoding compares with solving, and which is fastest if encoding counts as well.

    Each encoding is compared with its backend of least PAR-2, on the boards that all combinations
    were measured on. Unsolved boards count as their limit. Boards on which either takes less than
    `FIRST_CALLS_S` are left out. Formulas in files are not encoded.
    """
    boards = measured.where(SIZED & POSSIBLE)
    costs = _costs(boards)
    if costs.is_empty():
        return
    compared = costs.filter(pl.col("ratio").is_not_null())
    if not compared.is_empty():
        is_once = _is_encoded_once(boards.records)
        yield Fact(cost_of_encoding, compared, noun(boards.records), is_once)
    if time == "solve_s":
        yield from _in_total(boards)


def _encoding_times(boards: pl.DataFrame) -> pl.DataFrame:
    """The time to make each formula, one row for each encoding and board."""
    by_formula = boards.drop_nulls(["clauses", "encode_s"]).group_by("encoding", *THERE)
    return by_formula.agg(pl.col("encode_s").unique().median(), times=pl.col("encode_s").n_unique())


def _is_encoded_once(boards: pl.DataFrame) -> bool:
    """Whether all runs on a formula share one measurement of its encoding."""
    return bool((_encoding_times(boards)["times"] == 1).all())


def _costs(boards: Measured) -> pl.DataFrame:
    """For each encoding, its backend of least PAR-2, the median encode_s over the boards, and the
    median ratio of encode_s to the solve time, null if no board has one; smallest ratio first; and
    on how many boards there is none.
    """
    long_enough = pl.min_horizontal("encode_s", "time_s") >= FIRST_CALLS_S
    ratio = pl.when(long_enough).then(pl.col("encode_s") / pl.col("time_s"))
    return (
        boards.common()
        .join(_encoding_times(boards.records), on=["encoding", *THERE], nulls_equal=True)
        .filter(pl.col("time_s") > 0)
        .group_by(PAIR)
        .agg(
            pl.col("encode_s").filter(long_enough).median(),
            pl.col(SCORE, "solved").mean(),
            ratio=ratio.median(),
            short=(~long_enough).sum(),
        )
        .sort(SCORE, "backend")
        .unique("encoding", keep="first", maintain_order=True)
        .filter(pl.col("solved") > 0.5)  # otherwise the median is a limit, not a time
        .sort("ratio", "encoding")
    )


def cost_of_encoding(costs: pl.DataFrame, problem: str, is_once: bool) -> str:
    """The least and the greatest ratio of the time to encode to that of solving."""
    is_little = costs["ratio"][-1] < _LITTLE
    least, most = (_ratio(costs.row(row, named=True), is_little) for row in (0, -1))
    (low, one), (high, other) = least, most
    span = f"{low} ({one}) to {high} ({other})"
    if low == high:
        span = f"{low} ({'; '.join(dict.fromkeys([one, other]))})"
    takes = f"{span} of the time of" if is_little else f"{span} times as long as"
    restriction = " over 1 ms" if costs["short"].sum() else ""
    best = f"best by {SCORE_NAME}{'; encoded once per formula' if is_once else ''}"
    return f"Encoding takes {takes} solving on the median {problem}{restriction} ({best})."


def _ratio(row: dict[str, Any], is_little: bool) -> tuple[str, str]:
    """The ratio of an encoding, and its name and time to encode."""
    percent = f"{100 * row['ratio']:.2g}\N{NO-BREAK SPACE}%"
    ratio = percent if is_little else factor(row["ratio"])
    return ratio, f"{short(row['encoding'])}, {seconds(row['encode_s'])}"


def _in_total(boards: Measured) -> Iterator[Fact]:
    """The one of least total time, if it is typically faster in total than the one of least
    solve time.
    """
    total = total_costs(boards)
    solving = boards.unit_costs().group_by(PAIR).agg(pl.col(SCORE).mean()).sort(SCORE, *PAIR)
    if total.is_empty() or solving.is_empty():
        return
    best, best_solving = (combination(*table.select(PAIR).row(0)) for table in (total, solving))
    rows = with_one(boards, TOTAL, best).filter(second=best_solving, typical=-1)
    for row in with_intervals(boards, TOTAL, rows).iter_rows(named=True):
        yield Fact(faster_in_total, row["first"], row["second"], Ratios.of(row), row)


def faster_in_total(first: str, second: str, ratios: Ratios, row: Mapping[str, int]) -> str:
    """By how much the first one is faster than the second one."""
    by = "" if ratios.typical is None else f"{factor(ratios.typical)} times "
    count = on(row["faster"], row["problems"])
    return (
        f"Including encoding, loading and decoding, {short(first)} is typically {by}faster than "
        f"{short(second)}{in_brackets(interval(ratios.low, ratios.high), count)}."
    )
