"""Reports whether the answers can be trusted."""

from collections.abc import Iterator
from typing import Final

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


def checked(records: pl.DataFrame) -> Iterator[str]:
    """Report how many answers were checked, and how, if no answer was wrong. Imported ones are not
    checked here, which the cautions say.
    """
    solved_runs = records.filter(SOLVED & MEASURED_HERE)
    refuted = (records["verdict"] == "refuted").any()
    if solved_runs.is_empty() or refuted or len(disagreements(records)):
        return
    verified = solved_runs.filter(pl.col("verdict") == "verified")
    every = f"{thousands(len(verified))} of {number_and_noun(len(solved_runs), 'answer')} were"
    every = "Every answer was" if len(verified) == len(solved_runs) else every
    how = f"{every} checked and none was wrong ({_how(verified)})."
    if len(verified):
        yield how
    elif not solved_runs["message"].str.starts_with(NOT_YET).any():
        yield "No answer could be checked."


def checked_in_brief(records: pl.DataFrame) -> Iterator[str]:
    """How many answers were checked, if none was wrong, without saying how."""
    solved_runs = records.filter(SOLVED & MEASURED_HERE)
    wrong = (records["verdict"] == "refuted").any() or len(disagreements(records))
    if solved_runs.is_empty() or wrong:
        return
    verified = len(solved_runs.filter(pl.col("verdict") == "verified"))
    every = f"{thousands(verified)} of {number_and_noun(len(solved_runs), 'answer')} were"
    every = "Every answer was" if verified == len(solved_runs) else every
    yield f"{every} checked, and none was wrong." if verified else "No answer was checked yet."


def _how(verified: pl.DataFrame) -> str:
    ways = verified.group_by("checked_by").len().sort("len", "checked_by", descending=True).rows()
    return joined([f"{thousands(number)} {_HOW.get(way, way)}" for way, number in ways])
