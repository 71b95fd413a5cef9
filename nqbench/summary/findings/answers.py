"""Reports whether the answers can be trusted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Self

import polars as pl

from nqbench.common.units import number_and_noun, thousands
from nqbench.common.vocabulary import NOT_YET
from nqbench.problems.base import title
from nqbench.summary.findings.wording import counted_by_pair, fit_names, joined, listed, short
from nqbench.summary.observed import MEASURED_HERE, PROBLEM, SOLVED
from nqbench.summary.over_instances import noun
from nqbench.summary.overview import disagreements

_HOW: Final = {
    "board": "against the rules of the board",
    "rules": "against the rules of the problem",
    "clauses": "against the clauses",
    "proof": "by a proof",
    "formula": "by a proof about its formula only",
    "theorem": "by a theorem",
    "oracle": "by an exhaustive search",
}


def wrong(records: pl.DataFrame) -> Iterator[str]:
    """Report wrong answers, crashes, and answers that contradict each other."""
    refuted = records.filter(pl.col("verdict") == "refuted")
    crashed = records.filter(pl.col("outcome") == "crashed")
    yield from counted_by_pair(refuted, number_and_noun(len(refuted), "wrong answer"))
    yield from _contradictions(records)
    yield from counted_by_pair(crashed, number_and_noun(len(crashed), "crash", "es"))


def _contradictions(records: pl.DataFrame) -> Iterator[str]:
    """Name the first problem with different answers, and how many more there are."""
    disputed = disagreements(records)
    number = disputed.select(PROBLEM).n_unique()
    more = f" The same holds for {number_and_noun(number - 1, f'more {noun(records)}')}."
    ending = more if number > 1 else ""
    if number:
        sides = disputed.join(disputed.head(1), on=PROBLEM, how="semi", nulls_equal=True)
        yield fit_names(
            lambda max_names: (
                f"At least one answer is wrong: {_name_sides(sides, max_names)}.{ending}"
            )
        )


def _name_sides(sides: pl.DataFrame, max_names: int) -> str:
    """The answers to one problem, and the combinations that gave them."""
    problem = title(*sides.select("family", "n", "instance").row(0))
    phrases = [
        f"{answer} by {listed(by, max_names)}" for answer, by in sides.select("said", "by").rows()
    ]
    return f"{short(problem)} is called {joined(phrases)}"


@dataclass(frozen=True, slots=True)
class Checks:
    """How the answers of the runs that were measured here were checked, none of which is wrong: the
    number of all, and of those that were verified in each way, most first. `is_late` is whether
    some are left for later.
    """

    answers: int
    ways: Mapping[str, int]
    is_late: bool

    @classmethod
    def of(cls, records: pl.DataFrame) -> Self | None:
        """Those of these records; None without answers, and if one is wrong. Imported ones are not
        checked here, which the cautions say.
        """
        solved_runs = records.filter(SOLVED & MEASURED_HERE)
        refuted = (records["verdict"] == "refuted").any()
        if solved_runs.is_empty() or refuted or len(disagreements(records)):
            return None
        ways = solved_runs.filter(verdict="verified").group_by("checked_by").len()
        ordered = dict(ways.sort("len", "checked_by", descending=True).rows())
        is_late = bool(solved_runs["message"].str.starts_with(NOT_YET).any())
        return cls(len(solved_runs), ordered, is_late)


def checked(records: pl.DataFrame, *, in_brief: bool = False) -> Iterator[str]:
    """Report how many answers were checked, and how unless `in_brief`, if none was wrong."""
    checks = Checks.of(records)
    if checks is None:
        return
    verified = sum(checks.ways.values())
    every = f"{thousands(verified)} of {number_and_noun(checks.answers, 'answer')} were"
    every = "Every answer was" if verified == checks.answers else every
    if verified and in_brief:
        yield f"{every} checked, and none was wrong."
    elif verified:
        how = [f"{thousands(number)} {_HOW.get(way, way)}" for way, number in checks.ways.items()]
        yield f"{every} checked and none was wrong ({joined(how)})."
    elif in_brief:
        yield "No answer was checked yet."
    elif not checks.is_late:
        yield "No answer could be checked."
