"""Compares the time to encode with the time to solve."""

from collections.abc import Iterator
from typing import Any, Final

import polars as pl

from nqbench.common.units import factor, seconds
from nqbench.common.vocabulary import combination
from nqbench.records.derived import TOTAL
from nqbench.summary.comparisons import with_intervals, with_one
from nqbench.summary.findings.phrases import in_brackets, interval, on
from nqbench.summary.findings.wording import short
from nqbench.summary.in_total import total_costs
from nqbench.summary.measured import Measured
from nqbench.summary.observed import FIRST_CALLS_S, PAIR, POSSIBLE, THERE
from nqbench.summary.over_instances import SIZED, noun

_LITTLE: Final = 0.1
"""Ratios below are stated in percent."""


def encoding(measured: Measured, time: str) -> Iterator[str]:
    """Compare encoding with solving, and report which is fastest if encoding counts as well.

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
        yield _ratios(boards.records, compared)
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
            pl.col("par2_s", "solved").mean(),
            ratio=ratio.median(),
            short=(~long_enough).sum(),
        )
        .sort("par2_s", "backend")
        .unique("encoding", keep="first", maintain_order=True)
        .filter(pl.col("solved") > 0.5)  # otherwise the median is a limit, not a time
        .sort("ratio", "encoding")
    )


def _ratios(boards: pl.DataFrame, costs: pl.DataFrame) -> str:
    is_little = costs["ratio"][-1] < _LITTLE
    least, most = (_ratio(costs.row(row, named=True), is_little) for row in (0, -1))
    (low, one), (high, other) = least, most
    span = f"{low} ({one}) to {high} ({other})"
    if low == high:
        span = f"{low} ({'; '.join(dict.fromkeys([one, other]))})"
    takes = f"{span} of the time of" if is_little else f"{span} times as long as"
    restriction = " over 1 ms" if costs["short"].sum() else ""
    note = "; encoded once per formula" if _is_encoded_once(boards) else ""
    return (
        f"Encoding takes {takes} solving on the median {noun(boards)}{restriction} "
        f"(best by PAR-2{note})."
    )


def _ratio(row: dict[str, Any], is_little: bool) -> tuple[str, str]:
    """The ratio of an encoding, and its name and time to encode."""
    percent = f"{100 * row['ratio']:.2g}\N{NO-BREAK SPACE}%"
    ratio = percent if is_little else factor(row["ratio"])
    return ratio, f"{short(row['encoding'])}, {seconds(row['encode_s'])}"


def _in_total(boards: Measured) -> Iterator[str]:
    """Name the one of least total time, if it is typically faster in total than the one of least
    solve time.
    """
    total = total_costs(boards)
    solving = boards.unit_costs().group_by(PAIR).agg(pl.col("par2_s").mean()).sort("par2_s", *PAIR)
    if total.is_empty() or solving.is_empty():
        return
    best, best_solving = (combination(*table.select(PAIR).row(0)) for table in (total, solving))
    rows = with_one(boards, TOTAL, best).filter(second=best_solving, typical=-1)
    for row in with_intervals(boards, TOTAL, rows).iter_rows(named=True):
        ratio, low, high = (
            None if row[name] is None else 1 / row[name]
            for name in ("typical_ratio", "high", "low")
        )
        by = "" if ratio is None else f"{factor(ratio)} times "
        yield (
            f"Including encoding, loading and decoding, {short(best)} is typically {by}faster than "
            f"{short(best_solving)}"
            f"{in_brackets(interval(low, high), on(row['faster'], row['problems']))}."
        )
