"""What encodings cost and gain: time to encode, formulas that are alike, and other schemes."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import polars as pl

from nqbench.common import metrics
from nqbench.common.metrics import SCORE, SCORE_NAME
from nqbench.common.units import counted, factor, number_and_noun, seconds
from nqbench.common.vocabulary import AS_IT_IS, combination
from nqbench.records.derived import KNOWN, TOTAL
from nqbench.summary.comparisons import with_intervals, with_one
from nqbench.summary.findings.leaders import Ratios
from nqbench.summary.findings.wording import (
    Fact,
    fit_names,
    in_brackets,
    interval,
    listed,
    on,
    short,
    with_names,
)
from nqbench.summary.formulas import Alike, alike, left_alone
from nqbench.summary.groups import groups
from nqbench.summary.measured import Measured
from nqbench.summary.observed import FIRST_CALLS_S, PAIR, POSSIBLE, THERE
from nqbench.summary.paired import LEVEL
from nqbench.summary.recommendation import total_costs
from nqbench.summary.schemes import schemes
from nqbench.summary.series import SIZED, noun

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


_MOST: Final = 3
"""Names of encodings in a list."""


def formulas(measured: Measured) -> Iterator[Fact]:
    """Encodings whose formulas have the same clauses, or the same sizes, on every problem; and how
    many formulas have no at-most-one constraint.
    """
    alone, every = left_alone(measured.records)
    if alone:
        yield Fact(left_as_they_are, list(map(short, alone)), every)
    for group in alike(measured):
        in_other_order = all(name.startswith(AS_IT_IS) for name in group.encodings)
        if len(group.encodings) > 1 and not in_other_order:
            yield Fact(alike_formulas, group, noun(measured.records))


def left_as_they_are(names: Sequence[str], every: int) -> str:
    """Name the formulas that no scheme changed."""
    head = f"No at-most-one constraint was found in {len(names)} of {counted(every, 'formula')}"
    return with_names(f"{head}, which every scheme left as they are: ", names)


def alike_formulas(group: Alike, problem_noun: str) -> str:
    """Name these encodings, and those that have n clauses fewer."""
    return fit_names(partial(_describe_alike, group, problem_noun))


def _describe_alike(group: Alike, problem_noun: str, max_names: int) -> str:
    names, less = (
        listed(list(map(short, encodings)), min(max_names, _MOST))
        for encodings in (group.encodings, group.less)
    )
    ending = f"; those of {less} have n clauses fewer" if less else ""
    if group.how == "clauses":
        return (
            f"{names} give the same clauses on every {problem_noun}, in another order, and count "
            f"once as formulas{ending}."
        )
    alike = f"are the same on every {problem_noun}" if group.same else "have equal sizes"
    return f"The formulas of {names} {alike}{ending}."


_KINDS: Final = {"sat": "satisfiable", "unsat": "unsatisfiable"}


def best_schemes(records: pl.DataFrame, time: str) -> Iterator[Fact]:
    """The best scheme and the formulas as they are, satisfiable and unsatisfiable ones apart, and
    the control.
    """
    if records["encoding"].n_unique() < 2:
        return
    for group in groups(records, [KNOWN]):
        kind = _KINDS.get(str(group.values.get(KNOWN)))
        table = schemes(group.records, time)
        rows = table.filter(~pl.col("encoding").str.starts_with(AS_IT_IS))
        if kind and len(rows):
            control = table.filter(pl.col("encoding").str.starts_with(AS_IT_IS)).rows(named=True)
            yield Fact(best_scheme, kind, rows.row(0, named=True), control[:1], time)


def best_scheme(
    known: str, best: Mapping[str, Any], control: Sequence[Mapping[str, Any]], metric: str
) -> str:
    """Compare the best scheme with the formulas as they are, and with the control, if any."""
    others = "".join(
        f"; the control {row['encoding']} multiplies the typical one by "
        f"{factor(row['typical_ratio'])}"
        for row in control
        if row["typical_ratio"] is not None
    )
    on = f"On {number_and_noun(best['formulas'], f'{known} formula')}"
    return f"{on}, {_describe_best(best, metric)}{others}."


def _describe_best(best: Mapping[str, Any], time: str) -> str:
    """What the scheme of least average cost does, typically and on average."""
    name, noun = short(best["encoding"]), metrics.noun(time)
    ratio = best["typical_ratio"]
    ends = interval(best["low"], best["high"])
    is_less, runs = best["faster"] > best["slower"], best["runs"]
    side, word = ("faster", "less") if is_less else ("slower", "more")
    count = f"{word} {on(best[side], runs)} runs"
    by = f" by {factor(ratio)}" if ratio else ""
    mean = f"the average by about {factor(best['mean_ratio'])}"
    if best["p"] < LEVEL:
        typically = f"the typical {noun} of {AS_IT_IS}{by}"
        return f"{name} multiplies {typically}{in_brackets(ends, count)}, {mean}"
    return (
        f"no difference was found between {name}, which is least on average, and {AS_IT_IS}: it "
        f"multiplies the typical {noun}{by}{in_brackets(ends, count)}, {mean}"
    )
