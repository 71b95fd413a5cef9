"""Reports whether the answers can be trusted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

import polars as pl

from nqbench.common.units import number_and_noun, thousands
from nqbench.common.vocabulary import NOT_YET
from nqbench.problems.base import title
from nqbench.summary.findings.fact import Fact
from nqbench.summary.findings.wording import count_pairs, counts, fit_names, joined, listed, short
from nqbench.summary.measured import Measured
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


def wrong(measured: Measured) -> Iterator[Fact]:
    """Wrong answers, answers that contradict each other, and crashes."""
    records = measured.records
    if refuted := count_pairs(records.filter(pl.col("verdict") == "refuted")):
        yield Fact(wrong_answers, refuted)
    disputed = disagreements(measured)
    if number := disputed.select(PROBLEM).n_unique():
        sides = disputed.join(disputed.head(1), on=PROBLEM, how="semi", nulls_equal=True)
        problem = title(*sides.select("family", "n", "instance").row(0))
        answers = dict(sides.select("said", "by").rows())
        yield Fact(contradiction, problem, answers, number - 1, noun(records))
    if crashed := count_pairs(records.filter(pl.col("outcome") == "crashed")):
        yield Fact(crashes, crashed)


def wrong_answers(whose: Mapping[str, int]) -> str:
    """Count the wrong answers of each combination."""
    return counts(number_and_noun(sum(whose.values()), "wrong answer"), whose)


def crashes(whose: Mapping[str, int]) -> str:
    """Count the crashes of each combination."""
    return counts(number_and_noun(sum(whose.values()), "crash", "es"), whose)


def contradiction(
    problem: str, answers: Mapping[str, Sequence[str]], others: int, noun: str
) -> str:
    """Name the first problem with different answers, and how many others there are."""
    ending = f" The same holds for {number_and_noun(others, f'more {noun}')}." if others else ""

    def sentence(max_names: int) -> str:
        sides = [f"{answer} by {listed(by, max_names)}" for answer, by in answers.items()]
        return f"At least one answer is wrong: {short(problem)} is called {joined(sides)}.{ending}"

    return fit_names(sentence)


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
    def of(cls, measured: Measured) -> Self | None:
        """Those of these records; None without answers, and if one is wrong. Imported ones are not
        checked here, which the cautions say.
        """
        records = measured.records
        solved_runs = records.filter(SOLVED & MEASURED_HERE)
        refuted = (records["verdict"] == "refuted").any()
        if solved_runs.is_empty() or refuted or len(disagreements(measured)):
            return None
        ways = solved_runs.filter(verdict="verified").group_by("checked_by").len()
        ordered = dict(ways.sort("len", "checked_by", descending=True).rows())
        is_late = bool(solved_runs["message"].str.starts_with(NOT_YET).any())
        return cls(len(solved_runs), ordered, is_late)


def checked(measured: Measured) -> Iterator[Fact]:
    """How many answers were checked, if none was wrong."""
    checks = Checks.of(measured)
    if checks and (checks.ways or not checks.is_late):
        yield Fact(how_checked, checks)


def how_checked(checks: Checks) -> str:
    """Count the answers that were checked in each way."""
    how = [f"{thousands(number)} {_HOW.get(way, way)}" for way, number in checks.ways.items()]
    if not how:
        return "No answer could be checked."
    return f"{_checked(checks)} checked and none was wrong ({joined(how)})."


def checked_in_brief(checks: Checks) -> str:
    """The same without the ways."""
    if not checks.ways:
        return "No answer was checked yet."
    return f"{_checked(checks)} checked, and none was wrong."


def _checked(checks: Checks) -> str:
    verified = sum(checks.ways.values())
    if verified == checks.answers:
        return "Every answer was"
    return f"{thousands(verified)} of {number_and_noun(checks.answers, 'answer')} were"
