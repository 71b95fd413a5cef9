"""Which combination to use, which others the decisions speak for, and which is faster in total."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from nqbench.common.metrics import SCORE, USUAL
from nqbench.common.units import factor, is_time, number_and_noun, seconds, thousands
from nqbench.common.vocabulary import COMBINATION, combination, unshuffled
from nqbench.records.derived import TOTAL
from nqbench.summary.bounded import Duel, duels
from nqbench.summary.comparisons import with_intervals, with_one
from nqbench.summary.evidence import UNIT
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
from nqbench.summary.overview import disagreements
from nqbench.summary.paired import FEWEST, LEVEL
from nqbench.summary.series import noun
from nqbench.summary.shuffles import Samples, of_shuffles


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


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The combination to use, and the first one by PAR-2 or of a race. `others` say for what
    another one is the better choice: those that are typically faster, or solve more. `notes` are
    about encoding and shuffles.
    """

    name: str
    first: str
    others: Sequence[str] = ()
    notes: Sequence[str] = ()


def recommend(measured: Measured, metric: str) -> Recommendation | None:
    """Recommend one of several combinations; None if there are too few problems to compare them, if
    fewer than two solved anything, or if answers contradict each other: any may be wrong.

    The candidates are the first by PAR-2 and all from which no difference to it was decided: of
    these, the one with the least average total time, if the metric is a time. Of a race it is the
    leader, since less is known of the others.
    """
    if not disagreements(measured).is_empty():
        return None
    of_race = duels(measured, metric)
    if of_race is not None:
        return _recommend_leader(measured, metric, of_race) if of_race else None
    costs = measured.unit_costs(metric)
    able = measured.on_common.records.filter(SOLVED).select(NAMED).unique()
    ranking = (
        costs.with_columns(NAMED)
        .join(able, on="pair", how="semi")
        .group_by("pair")
        .agg(pl.col(SCORE, "log_s").mean())
        .sort(SCORE, "pair")
    )
    samples = of_shuffles(measured, metric)
    is_enough = bool(samples) or measured.evidence(metric)[UNIT].n_unique() >= FEWEST
    if ranking.is_empty() or costs.select(NAMED).n_unique() < 2 or not is_enough:
        return None
    first = ranking["pair"][0]
    if samples:
        candidates = _level_on_one_formula(samples, first)
    else:
        rows = with_one(measured, metric, first)
        candidates = rows.filter(typical=0, solves_more=0)["second"].to_list()
    candidates = [first, *(name for name in candidates if name in set(able["pair"]))]
    name = _least_in_total(measured, candidates) if is_time(metric) else first
    others = {} if samples else _better_for(measured, metric, name, ranking)
    also = [note for note in notes(measured, metric, name) if not _names(note, others)]
    return Recommendation(name, first, list(others.values()), also)


def _names(note: str, others: Mapping[str, str]) -> bool:
    """Whether a note is about what is named anyway."""
    return any(f"use {name}:" in note for name in others)


def _recommend_leader(measured: Measured, metric: str, found: Sequence[Duel]) -> Recommendation:
    ranking = pl.DataFrame(
        {
            "pair": [duel.other for duel in found],
            "log_s": [float(duel.logs[:, 1].mean()) for duel in found],
        }
    )
    name = found[0].leader
    others = _better_for(measured, metric, name, ranking)
    also = [note for note in notes(measured, metric, name) if not _names(note, others)]
    return Recommendation(name, name, list(others.values()), also)


def _level_on_one_formula(samples: Sequence[Samples], first: str) -> list[str]:
    """Those whose times on one formula were not told apart from those of the first."""
    return [one.second for one in samples if one.first == first and one.p >= LEVEL]


def _least_in_total(measured: Measured, candidates: Sequence[str]) -> str:
    """The candidate of the least mean total time; the first one if the totals are not known."""
    totals = total_costs(measured).with_columns(NAMED)
    known = totals.filter(pl.col("pair").is_in(candidates))["pair"].to_list()
    return str(known[0]) if candidates[0] in known else candidates[0]


def _better_for(
    measured: Measured, metric: str, name: str, ranking: pl.DataFrame
) -> dict[str, str]:
    """For what another combination than this one is the better choice, by its name."""
    rows = with_one(measured, metric, name)
    problem = noun(measured.records)
    said: dict[str, str] = {}
    order = ranking.sort("log_s", "pair").select(second="pair")
    for column, describe in (("typical", _typically), ("solves_more", _solves_more)):
        better = order.join(rows.filter(pl.col(column) > 0), on="second", maintain_order="left")
        best = better.head(1).select(rows.columns)
        for row in with_intervals(measured, metric, best).iter_rows(named=True):
            text = f"{row['second']} {describe(row, problem)}"
            said[row["second"]] = (
                f"{said[row['second']]}; {text}" if row["second"] in said else text
            )
    return said


def _typically(row: dict[str, Any], problem: str) -> str:
    """That the second of a row of `comparisons` is typically faster, and what it is on average."""
    ratio = row["typical_ratio"]
    times = "" if ratio is None else f"{factor(1 / ratio)} times as long, "
    count = f"on {thousands(row['slower'])} of {thousands(row['problems'])}"
    mean = f"about {factor(1 / row['mean_ratio'])} times on average"
    return f"for the typical {problem} ({times}{count}; {mean})"


def _solves_more(row: dict[str, Any], problem: str) -> str:
    """How many more problems the second of a row of `comparisons` solves."""
    more, less = row["only_second"], row["only_first"]
    return (
        f"to solve more ({number_and_noun(more, problem)} that {row['first']} does not, and "
        f"{thousands(less)} the other way round)"
    )
