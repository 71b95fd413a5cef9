"""Whether another combination is faster if encoding counts as well as solving."""

from collections.abc import Collection
from typing import Any

import polars as pl

from nqbench.common.metrics import SCORE, USUAL
from nqbench.common.units import factor, seconds, thousands
from nqbench.common.vocabulary import COMBINATION, combination, unshuffled
from nqbench.records.derived import TOTAL
from nqbench.summary.comparisons import with_intervals, with_one
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import (
    FIRST_CALLS_S,
    HAS_TOTAL,
    NAMED,
    PAIR,
    POSSIBLE,
    SOLVED,
    fulfilling,
)


def total_costs(measured: Measured) -> pl.DataFrame:
    """The mean cost of each combination by total time, the least first: encoding, backend, par2_s.
    Only of those that solved something, and whose total times are known: imported runs may have
    none.
    """
    return measured.once(_total_costs)


def _total_costs(measured: Measured) -> pl.DataFrame:
    runs = measured.on_common.records
    able = runs.group_by(PAIR).agg(is_able=HAS_TOTAL & SOLVED.any()).filter("is_able")
    if able.is_empty():  # as of imported runs: to compare all takes long
        return able.select(*PAIR, pl.lit(None, pl.Float64).alias(SCORE))
    costs = measured.unit_costs(TOTAL).join(able, on=PAIR, how="semi")
    return costs.group_by(PAIR).agg(pl.col(SCORE).mean()).sort(SCORE, *PAIR)


def in_total(records: Records, best: str) -> str | None:
    """Say in one sentence which combination to use if encoding counts as well, and not only the
    solve time, for which `best` is; None if none is typically faster in total.

    Loading and decoding count with it. If others are not known, since a race stopped them, the
    sentence says whether encoding takes longer than solving.
    """
    measured = Measured.of(records)
    totals = total_costs(measured).with_columns(NAMED)
    is_plain = pl.col("encoding").map_elements(_is_plain, return_dtype=pl.Boolean)
    others = totals.filter(is_plain).select(second="pair")
    if len(others):
        rows = with_one(measured, TOTAL, best).filter(typical=1)
        better = others.join(rows, on="second", maintain_order="left")
        if len(better):
            first = better.head(1).select(rows.columns)
            (row,) = with_intervals(measured, TOTAL, first).iter_rows(named=True)
            return _describe_total(row)
    possible = fulfilling(measured.records, POSSIBLE)
    if possible.select(PAIR).n_unique() == measured.records.select(PAIR).n_unique():
        return None
    encode_s, solve_s = (
        possible.with_columns(NAMED).filter(pair=best)[name].mean()
        for name in ("encode_s", "solve_s")
    )
    if not isinstance(encode_s, float) or not isinstance(solve_s, float):
        return None
    if encode_s < max(FIRST_CALLS_S, solve_s):
        return None
    return (
        f"Encoding for {best} takes {seconds(encode_s)} on average and solving "
        f"{seconds(solve_s)}: with the metric total_s, another combination may be the best."
    )


def _is_plain(encoding: str) -> bool:
    return unshuffled(encoding) == encoding


def _describe_total(row: dict[str, Any]) -> str:
    """That the second of a row of `comparisons` takes less in total."""
    by, ratio = "", row["typical_ratio"]
    ends = (
        ""
        if None in (row["low"], row["high"])
        else (f"{factor(row['low'])} to {factor(row['high'])}, ")
    )
    if ratio is not None:
        by = f" by {factor(ratio)} times"
    count = f"on {thousands(row['slower'])} of {thousands(row['problems'])}"
    return (
        f"If encoding counts as well, use {row['second']}: in total it is typically faster than "
        f"{row['first']}{by} ({ends}{count})."
    )


def without_shuffle(names: Collection[str], best: str) -> tuple[str, str | None]:
    """The combination to use, and in one sentence why it is not `best`: that of the unshuffled
    formula, if `best` is a shuffle. A shuffle shows how much is luck, and is no way to encode.
    `names` are the combinations that were measured.
    """
    encoding, is_encoded, backend = best.partition(COMBINATION.format("", ""))
    if not is_encoded or unshuffled(encoding) == encoding:
        return best, None
    used = combination(unshuffled(encoding), backend)
    measured = "" if used in names else ", which was not measured"
    return used, f"{best} is {used} with the clauses in another order{measured}: that is luck."


def notes(records: Records, metric: str, best: str) -> list[str]:
    """What to say beside the best combination by this metric: that it is a shuffle, and whether
    another one is better if encoding counts as well.
    """
    measured = Measured.of(records)
    if measured.records.is_empty():
        return []
    names = measured.records.select(NAMED)["pair"].unique().to_list()
    used, why = without_shuffle(names, best)
    total = in_total(measured, used if used in names else best) if metric == USUAL else None
    return [sentence for sentence in (why, total) if sentence]
