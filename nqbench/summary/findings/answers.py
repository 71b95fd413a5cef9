"""Whether the answers can be believed."""

from collections.abc import Iterator
from typing import Final

import polars as pl

from nqbench.problems.base import title
from nqbench.summary.findings.wording import counted, fitted, joined, listed, names
from nqbench.summary.observed import PAIR, PROBLEM, SOLVED
from nqbench.summary.overview import disagreements
from nqbench.units import count

_HOW: Final = {
    "board": "against the rules of the board",
    "clauses": "against the clauses",
    "proof": "by a proof",
    "theorem": "by a theorem",
    "oracle": "by an exhaustive search",
}


def wrong(records: pl.DataFrame) -> Iterator[str]:
    """Wrong answers, crashes, and answers that contradict each other."""
    refuted = records.filter(pl.col("verdict") == "refuted")
    crashed = records.filter(pl.col("outcome") == "crashed")
    yield from _by(refuted, counted(len(refuted), "wrong answer"))
    yield from _contradictions(records)
    yield from _by(crashed, counted(len(crashed), "crash", "es"))


def _by(bad: pl.DataFrame, what: str) -> Iterator[str]:
    """Whose runs these are, most first."""
    most = bad.group_by(PAIR).len().sort("len", *PAIR, descending=[True, False, False])
    each = zip(names(most), most["len"], strict=True)
    whose = [f"{name} ({count(runs)})" for name, runs in each]
    if whose:
        yield fitted(lambda shown: f"{what}: {listed(whose, shown)}.")


def _contradictions(records: pl.DataFrame) -> Iterator[str]:
    disputed = disagreements(records)
    number = disputed.select(PROBLEM).n_unique()
    if not number:
        return
    first = disputed.row(0, named=True)
    sides = disputed.join(disputed.head(1), on=PROBLEM, how="semi")
    problem = title(first["family"], first["n"], first["instance"])

    def sentence(shown: int) -> str:
        said = joined(
            [f"{said} by {listed(by, shown)}" for said, by in sides.select("said", "by").rows()]
        )
        rest = f" The answers to {count(number - 1)} more differ, too." if number > 1 else ""
        return f"At least one answer is wrong: {problem} is {said}.{rest}"

    yield fitted(sentence)


def checked(records: pl.DataFrame) -> Iterator[str]:
    """How many answers were checked, and how, if none of them was wrong."""
    solved = records.filter(SOLVED)
    if solved.is_empty() or (records["verdict"] == "refuted").any():
        return
    if len(disagreements(records)):
        return
    verified = solved.filter(pl.col("verdict") == "verified")
    if verified.is_empty():
        yield "No answer could be checked."
        return
    ways = verified.group_by("checked_by").len().sort("len", "checked_by", descending=True).rows()
    how = joined([f"{count(number)} {_HOW.get(way, way)}" for way, number in ways])
    every = (
        "Every answer was" if len(verified) == len(solved) else _part(len(verified), len(solved))
    )
    yield f"{every} checked and none was wrong ({how})."


def _part(checked: int, answers: int) -> str:
    return f"{count(checked)} of {counted(answers, 'answer')} were"
