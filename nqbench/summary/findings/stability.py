"""How easily another combination would have been first."""

import re
from collections.abc import Collection, Iterator
from typing import Any, Final

import polars as pl

from nqbench.common.metrics import SCORE_NAME
from nqbench.common.units import number_and_noun, percent, seconds, thousands
from nqbench.common.vocabulary import combination
from nqbench.summary.findings.fact import Fact
from nqbench.summary.findings.wording import LONGEST, joined, listed, short
from nqbench.summary.measured import Measured
from nqbench.summary.observed import FIRST_CALLS_S, PAIR, SOLVED, different
from nqbench.summary.over_instances import noun
from nqbench.summary.stability import CLOSE, stability

_MOST_FAMILIES: Final = 2


def stable(measured: Measured, time: str) -> Iterator[Fact]:
    """In how many draws of the problems the first stays first, and when it would not be first.
    Below `FEWEST` problems nothing is said, nor if fewer than two combinations solved any.
    """
    able = measured.on_common.records.filter(SOLVED)
    table = stability(measured, time)
    if len(table) and different(able, PAIR) > 1:
        yield Fact(stays_first, table, noun(measured.records))


def stays_first(table: pl.DataFrame, problem: str) -> str:
    """As much of the description as fits in a sentence of findings."""
    sentences = [
        describe(table, problem, _DISPENSABLE[:dropped]) for dropped in range(len(_DISPENSABLE) + 1)
    ]
    return next((text for text in sentences if len(text) <= LONGEST), sentences[-1])


_DISPENSABLE: Final = ("limits", "median", "without", "others", "seeds", "families", "lost")
"""What is left out of a sentence that is too long, the first ones first."""


def describe(table: pl.DataFrame, problem: str, left_out: Collection[str] = ()) -> str:
    """The shares of draws in which the first stays first; the limits, families and average by which
    it is so, too; and that seeds are not included if draws do not take others. `table` is what
    `stability` returns, with rows.
    """
    first = table.row(0, named=True)
    whatever_family = first["families"] > 1 and not first["without"]
    conditions = {
        "limits": _limits(first),
        "without": "without any one family" if whatever_family else "",
        "median": "by median" if _name_by_median(table) == _name(first) else "",
    }
    exceptions = {
        "lost": _lost(first, problem),
        "others": _others_ahead(table),
        "limits": _no_limit(first),
        "median": "" if conditions["median"] else f"by median it is {_name_by_median(table)}",
        "seeds": "" if first["has_seeds"] else "seeds are not included",
    }
    same, other = (
        [text for name, text in texts.items() if text and name not in left_out]
        for texts in (conditions, exceptions)
    )
    head = [f"It is first {joined(same)}"] if same else []
    rest = "; ".join([*head, *other])
    rest = rest if same else re.sub("^not", "it is not first", rest)
    shares = _describe_shares(first, problem, with_families="families" not in left_out)
    return f"{shares} {rest[:1].upper()}{rest[1:]}." if rest else shares


def _describe_shares(first: dict[str, Any], problem: str, *, with_families: bool) -> str:
    name, share = _name(first), percent(first["first_share"])
    units = (first["problems"], problem) if first["groups"] is None else (first["groups"], "group")
    of = f"draws of a quarter of the {number_and_noun(*units)}"
    of_families, families = first["family_share"], ""
    if with_families and of_families is not None:
        count = f"{thousands(first['families'])}\N{NO-BREAK SPACE}families"
        families = f"; of the {count}, in {percent(of_families)}"
    close = f"within {percent(CLOSE)} of the first in {percent(first['close_share'])}"
    also = f", and {close}" if first["close_share"] > first["first_share"] else ""
    return f"By {SCORE_NAME}, {name} stays first in {share} of {of}{also}{families}."


def _lost(first: dict[str, Any], problem: str) -> str:
    families = first["without"].split(", ") if first["without"] else []
    return f"not without the {problem}s of {listed(families, _MOST_FAMILIES)}" if families else ""


def _name_by_median(table: pl.DataFrame) -> str:
    return _name(table.sort("median_s", maintain_order=True).row(0, named=True))


def _others_ahead(table: pl.DataFrame) -> str:
    """The combination that is first in more draws, if there is one."""
    most = table.sort("first_share", descending=True, maintain_order=True).row(0, named=True)
    is_other = most["first_share"] > table["first_share"][0]
    return f"in {percent(most['first_share'])} of draws {_name(most)} is" if is_other else ""


def _limits(first: dict[str, Any]) -> str:
    """Where it is first if slower runs counted as unsolved, the highest range of limits."""
    low, high = first["limit_low_s"], first["limit_high_s"]
    if low is None or low == high:
        return ""
    return "at every limit" + (f" from {seconds(low)}" if low > FIRST_CALLS_S else "")


def _no_limit(first: dict[str, Any]) -> str:
    """Up to which limit it is first at none."""
    low, high = first["limit_low_s"], first["limit_high_s"]
    return f"at no limit below {seconds(high)}" if low is not None and low == high else ""


def _name(row: dict[str, Any]) -> str:
    return short(combination(*(row[name] for name in PAIR)))
