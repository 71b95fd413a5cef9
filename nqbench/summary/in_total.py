"""Whether another combination is faster if encoding counts as well as solving."""

from collections.abc import Collection
from typing import Final

import polars as pl

from nqbench.common.metrics import USUAL
from nqbench.common.units import seconds
from nqbench.common.vocabulary import COMBINATION, combination, unshuffled
from nqbench.summary.measured import Measured
from nqbench.summary.observed import (
    FIRST_CALLS_S,
    HAS_TOTAL,
    NAMED,
    PAIR,
    POSSIBLE,
    SOLVED,
    THERE,
    TOTAL,
    boards,
    fulfilling,
)

_MORE: Final = 1.1
"""A smaller difference on average does not change what to use."""


def total_costs(measured: Measured) -> pl.DataFrame:
    """The mean cost of each combination by total time, the least first: encoding, backend, par2_s.
    Only of those that solved something, and whose total times are known: imported runs may have
    none.
    """
    runs = measured.on_common.records
    able = runs.group_by(PAIR).agg(is_able=HAS_TOTAL & SOLVED.any()).filter("is_able")
    costs = measured.unit_costs(TOTAL).join(able, on=PAIR, how="semi")
    return costs.group_by(PAIR).agg(pl.col("par2_s").mean()).sort("par2_s", *PAIR)


def in_total(records: pl.DataFrame, best: str) -> str | None:
    """Say in one sentence which combination to use if encoding counts as well, and not only the
    solve time, for which `best` is; None if that is the same one, or takes at most 10 % more.

    Loading and decoding count with it. Compared are the means over the problems of `best`, with
    those that were measured on all of them in full. If none of these is better, but a race stopped
    others, the sentence says whether encoding takes longer than solving.
    """
    possible = fulfilling(records, POSSIBLE)
    is_able = (HAS_TOTAL & SOLVED.any()).over(PAIR)
    costs = boards(fulfilling(possible, is_able), TOTAL, THERE).with_columns(NAMED)
    own = costs.filter(pair=best)
    if own.is_empty():
        return None
    shared = costs.filter(pl.col("pair") != best).join(own, on=THERE, how="semi", nulls_equal=True)
    rivals = (
        shared.group_by("pair", "encoding")
        .agg(pl.col("par2_s").mean(), problems=pl.len())
        .filter(problems=own.height)
        .sort("par2_s", "pair")
    )
    own_s = own["par2_s"].mean()
    assert isinstance(own_s, float)
    for row in rivals.iter_rows(named=True):
        least_s = max(_MORE * row["par2_s"], row["par2_s"] + FIRST_CALLS_S)
        if unshuffled(row["encoding"]) == row["encoding"] and own_s > least_s:
            took, against = seconds(row["par2_s"]), seconds(own_s)
            return (
                f"If encoding counts as well, use {row['pair']}: {took} on average, against "
                f"{against} for {best}."
            )
    if rivals.height == records.select(pl.struct("encoding", "backend").n_unique()).item() - 1:
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


def notes(records: pl.DataFrame, metric: str, best: str) -> list[str]:
    """What to say beside the best combination by this metric: that it is a shuffle, and whether
    another one is better if encoding counts as well.
    """
    if records.is_empty():
        return []
    measured = records.select(NAMED)["pair"].unique().to_list()
    used, why = without_shuffle(measured, best)
    total = in_total(records, used if used in measured else best) if metric == USUAL else None
    return [sentence for sentence in (why, total) if sentence]
