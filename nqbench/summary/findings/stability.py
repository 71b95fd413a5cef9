"""How easily another combination would have been first."""

from collections.abc import Iterator
from typing import Any, Final

import polars as pl

from nqbench.common.units import percent, seconds
from nqbench.common.vocabulary import combination
from nqbench.summary.findings.wording import joined, listed, number_and_noun, short
from nqbench.summary.measured import Measured
from nqbench.summary.observed import FIRST_CALLS_S, PAIR
from nqbench.summary.over_instances import noun
from nqbench.summary.stability import CLOSE, STABLE, stability

_MOST_FAMILIES: Final = 2


def stable(measured: Measured, time: str) -> Iterator[str]:
    """Report in how many draws of the problems the first stays first, and when it would not be
    first. Below `FEWEST` problems nothing is said.
    """
    table = stability(measured, time)
    if len(table):
        problem = noun(measured.records)
        yield f"{describe_draws(table, problem)} {describe_conditions(table)}"


def describe_draws(table: pl.DataFrame, problem: str) -> str:
    """The sentence with the shares of draws; `table` is what `stability` returns, with rows."""
    first = table.row(0, named=True)
    of = f"draws of a quarter of the {number_and_noun(first['problems'], problem)}"
    of += ", with resampled seeds" if first["has_seeds"] else ""
    share, close = percent(first["first_share"]), percent(first["close_share"])
    of_families = first["family_share"]
    families = (
        ""
        if of_families is None
        else (
            f"; of a quarter of the {number_and_noun(first['families'], 'famil', 'ies')} "
            f"in {percent(of_families)}"
        )
    )
    if first["first_share"] >= STABLE:
        where = "" if of_families is None or of_families >= STABLE else " on these families"
        stays = f"it stays first in {share} of {of}{families}"
        return f"{_name(first)} is a stable first{where}: {stays}."
    return (
        f"{_name(first)} stays first in {share} of {of}, and within {percent(CLOSE)} of the first "
        f"in {close}{families}."
    )


def describe_conditions(table: pl.DataFrame) -> str:
    """The sentence with the limits, families and average by which the first is so, too. Seeds that
    the draws do not resample are mentioned.
    """
    first = table.row(0, named=True)
    by_median = table.sort("median_s", maintain_order=True).row(0, named=True)
    is_first_by_median = first["median_s"] <= by_median["median_s"]
    lost = first["without"].split(", ") if first["without"] else []
    same = [
        *_limits(first),
        *(["without any one family"] if first["families"] > 1 and not lost else []),
        *(["by median"] if is_first_by_median else []),
    ]
    other = [
        *([f"not without {listed(lost, _MOST_FAMILIES)}"] if lost else []),
        *_others_ahead(table),
        *([] if is_first_by_median else [f"by median it is {_name(by_median)}"]),
        *([] if first["has_seeds"] else ["other seeds are not included"]),
    ]
    if not same:
        return "; ".join(other).capitalize() + "." if other else ""
    return "; ".join([f"It is first {joined(same)}", *other]) + "."


def _others_ahead(table: pl.DataFrame) -> list[str]:
    """The combination that is first in more draws, if there is one."""
    most = table.sort("first_share", descending=True, maintain_order=True).row(0, named=True)
    is_other = most["first_share"] > table["first_share"][0]
    return [f"{_name(most)} is first in {percent(most['first_share'])}"] if is_other else []


def _limits(first: dict[str, Any]) -> list[str]:
    """Where it is first if slower runs counted as unsolved, the highest range of limits."""
    low, high = first["limit_low_s"], first["limit_high_s"]
    if low is None:
        return []
    if low == high:
        return [f"at no limit below {seconds(high)}"]
    return ["at every limit" + (f" from {seconds(low)}" if low > FIRST_CALLS_S else "")]


def _name(row: dict[str, Any]) -> str:
    return short(combination(*(row[name] for name in PAIR)))
