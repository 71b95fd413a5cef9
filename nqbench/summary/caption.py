"""Captions of tables for a paper: what a table shows, and what a reviewer asks about it."""

from collections.abc import Callable
from typing import Final

import polars as pl

from nqbench.common import metrics
from nqbench.common.units import counted, has_limit, is_time, percent
from nqbench.summary import described
from nqbench.summary.by_problem import combinations_of, unit
from nqbench.summary.coverage import coverage
from nqbench.summary.observed import PAR, imported, par_of, time_limits
from nqbench.summary.over_instances import noun
from nqbench.summary.significance import SIGNIFICANT


def of_table(name: str, table: pl.DataFrame, records: pl.DataFrame, metric: str) -> str:
    """The caption of a table of `summary.TABLES` in some sentences: what it shows of which
    campaign, how its numbers are calculated, the statistical test and its correction, how unsolved
    runs count, the number of problems, the limits, and the machine.
    """
    shows, explained = _CAPTIONS[name](table, records, metric)
    whole = f"{shows}: {described.whole(records)}."
    return " ".join([whole, *explained, described.conditions(records)])


def legend(table: pl.DataFrame, records: pl.DataFrame, metric: str) -> str:
    """What the times of an `overview` are, and what its PAR-k is."""
    mean = metrics.noun(metric) if is_time(metric) else metrics.label(metric)
    total = "; the total includes decoding" if table["total_s"].is_not_null().any() else ""
    par = par_of(table)
    lost = _lost(par, records, metric)
    return f"Times are medians over the runs{total}. PAR-{par} is the mean {mean}{lost}."


def _lost(par: int, records: pl.DataFrame, metric: str) -> str:
    """What an unsolved run counts as. Where a source states the limit, it is named."""
    if not has_limit(metric):
        return ""
    times = "twice" if par == PAR else f"{par} times"
    stated = sorted(time_limits(records)) if imported(records) and is_time(metric) else []
    named = " and ".join(f"{limit:g} s" for limit in stated)
    return f", with unsolved runs at {times} the limit{f' of {named}' if named else ''}"


_Caption = Callable[[pl.DataFrame, pl.DataFrame, str], tuple[str, list[str]]]
"""What a table shows, and the sentences that explain it, from the arguments of `of_table`."""


def _overview(table: pl.DataFrame, records: pl.DataFrame, metric: str) -> tuple[str, list[str]]:
    return f"Solved runs, median times and PAR-{par_of(table)} of the {_name(metric)}", [
        legend(table, records, metric),
        *_caution(records),
    ]


def _pairs(table: pl.DataFrame, records: pl.DataFrame, metric: str) -> tuple[str, list[str]]:
    pairs = len(table)
    return f"Comparisons of every two combinations by {_name(metric)}", [
        f"Ratios are those of the first to the second, {_problem_by_problem(records, metric)}.",
        _tested(pairs),
        *_caution(records),
    ]


def _best(table: pl.DataFrame, records: pl.DataFrame, metric: str) -> tuple[str, list[str]]:
    best = table["first"][0] if len(table) else "the best"
    combinations = len(table) + 1
    return f"{best}, which has the least PAR-2, compared with the others by {_name(metric)}", [
        f"Ratios are those of {best} to the other, {_problem_by_problem(records, metric)}.",
        _tested(combinations * (combinations - 1) // 2),
        *_caution(records),
    ]


def _scaling(_: pl.DataFrame, __: pl.DataFrame, metric: str) -> tuple[str, list[str]]:
    return f"How the median {_name(metric)} grows with n", [
        "Polynomial is a times n to the power of b, and exponential is a times b to the power of "
        "n, both fitted by least squares to the logarithms of the medians. Sizes below 1 ms and "
        "sizes with mostly unsolved runs are left out. Low and high are the 95 % interval of b. "
        "The verdict is by the AIC.",
    ]


def _schemes(_: pl.DataFrame, __: pl.DataFrame, metric: str) -> tuple[str, list[str]]:
    return f"At-most-one schemes compared with the formulas as they are by {_name(metric)}", [
        "The ratio is the Hodges-Lehmann estimate over the formulas of the scheme to the formula "
        f"as it is, with its 95 % interval{_penalty(metric)}. p is that of the two-sided Wilcoxon "
        "signed rank test, corrected by Holm for all rows of a family.",
    ]


def _portfolio(table: pl.DataFrame, records: pl.DataFrame, metric: str) -> tuple[str, list[str]]:
    par = par_of(table)
    return f"Combinations and the virtual best one (VBS) by {_name(metric)}", [
        f"PAR-{par} is the mean {_name(metric)}{_lost(par, records, metric)}. The VBS takes the "
        "fastest combination for each problem.",
        *_caution(records),
    ]


def of_values(table: pl.DataFrame, metric: str) -> str:
    """What the values of a table of `by_problem` are, and its marks and columns."""
    named = f" in {unit(table, metric)[0]}" if is_time(metric) else ""
    values = f"Values are medians of the {_name(metric)}{named} over the repeats"
    if len(combinations_of(table)) == 1:
        return f"{values}."
    return (
        f"{values}; * marks the least of a problem. Spread is the greatest divided by the least; "
        "with >, an unsolved run counts as its limit."
    )


def _by_problem(table: pl.DataFrame, _: pl.DataFrame, metric: str) -> tuple[str, list[str]]:
    return f"Answers and {_name(metric)} on each problem", [of_values(table, metric)]


_CAPTIONS: Final[dict[str, _Caption]] = {
    "overview": _overview,
    "pairs": _pairs,
    "best": _best,
    "scaling": _scaling,
    "schemes": _schemes,
    "portfolio": _portfolio,
    "by-problem": _by_problem,
}


def _name(metric: str) -> str:
    return metrics.noun(metric) if is_time(metric) else metrics.label(metric)


def _problem_by_problem(records: pl.DataFrame, metric: str) -> str:
    return f"{noun(records)} by {noun(records)}{_penalty(metric)}"


def _penalty(metric: str) -> str:
    return "; an unsolved run counts as twice the limit" if has_limit(metric) else ""


def _tested(pairs: int) -> str:
    return (
        "p is that of the two-sided Wilcoxon signed rank test of the logarithms, corrected by Holm "
        f"for {counted(pairs, 'pair')} of combinations; below {percent(SIGNIFICANT)} it is "
        "significant. The effect is the matched-pairs rank-biserial correlation: "
        "\N{MINUS SIGN}1 if the first is always better."
    )


def _caution(records: pl.DataFrame) -> list[str]:
    return [said] if (said := coverage(records).caution) else []
