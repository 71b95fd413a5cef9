"""Which combination is fastest, by how much, and which cannot be distinguished from it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Final, Self

import polars as pl

from nqbench.common import metrics
from nqbench.common.units import amount, is_time, seconds, thousands
from nqbench.common.vocabulary import combination
from nqbench.summary.compare import boards_needed
from nqbench.summary.coverage import Coverage, coverage
from nqbench.summary.evidence import problem_count
from nqbench.summary.findings.incomparable import why_nothing_is_common
from nqbench.summary.findings.leaders import Race, Rival, race
from nqbench.summary.findings.wording import (
    LONGEST,
    factor,
    fitted,
    joined,
    listed,
    number_and_noun,
    short,
)
from nqbench.summary.measured import Measured
from nqbench.summary.observed import (
    PAIR,
    SOLVED,
    THERE,
    TOTAL,
    different,
    differing,
)
from nqbench.summary.over_instances import noun

_TEST: Final = " (Wilcoxon test, Holm's correction)"
_SILLY: Final = 1000
"""A larger estimate only means that there is almost no difference."""


def speed(measured: Measured, time: str) -> Iterator[str]:
    """Which combination is fastest, by how much, and which cannot be distinguished from it.

    PAR-2 decides which is first; `comparisons` decides which can be distinguished. If there are too
    few boards for any significant difference, the only sentence says so. A combination that solved
    nothing is not compared.
    """
    records, table = measured.records, measured.common(time)
    what = noun(records)
    solved = records.filter(SOLVED)
    keys = differing(records, THERE)
    able = solved.join(table, on=keys, how="semi", nulls_equal=True).select(PAIR).unique()
    boards = problem_count(table)
    combinations = different(measured.possible.records, PAIR)
    if combinations > 1 and not boards:
        yield why_nothing_is_common(records, what)
    elif len(able) > 1 and boards < boards_needed(math.comb(combinations, 2)):
        yield _too_few(what, boards, combinations, time)
    elif len(able):
        found = race(measured, table, able, time)
        total = _best_in_total(measured) if time == "solve_s" else None
        yield from _said(found, _Words.of(what, time, coverage(measured)), total)


def _best_in_total(measured: Measured) -> tuple[str, float] | None:
    """The combination of least PAR-2 of the total time, and that, if the times are known."""
    known = pl.col("par2_s").is_not_null().all().over(PAIR)
    table = measured.unit_costs(TOTAL).filter(known).group_by(PAIR).agg(pl.col("par2_s").mean())
    if table.is_empty():
        return None
    encoding, backend, least_s = table.sort("par2_s", *PAIR).row(0)
    return combination(encoding, backend), least_s


def _too_few(what: str, boards: int, combinations: int, metric: str) -> str:
    least = thousands(boards_needed(math.comb(combinations, 2)))
    best = "is fastest" if is_time(metric) else f"needs the fewest {metrics.noun(metric)}"
    return (
        f"Too few {what}s to say which combination {best}: {thousands(combinations)} combinations "
        f"need at least {least}, not {thousands(boards)}."
    )


@dataclass(frozen=True, slots=True)
class _Words:
    """How to say that one combination is better by a metric, on boards or `what` they are."""

    what: str
    metric: str
    noun: str
    first: str
    better: str
    as_much: str
    par2: str
    """PAR-2, and of which boards if not of all that were measured."""

    @classmethod
    def of(cls, what: str, metric: str, coverage: Coverage) -> Self:
        noun, par2 = metrics.noun(metric), "PAR-2"
        if coverage.common < coverage.measured:
            par2 += (
                f" of the {thousands(coverage.common)} of {thousands(coverage.measured)} {what}s"
            )
            par2 += " that all were measured on"
        if is_time(metric):
            first, better = f"Fastest by average {noun}", "is significantly faster"
            return cls(what, metric, noun, first, better, "long", par2)
        first, better = f"Fewest {noun} on average", f"needs significantly fewer {noun}"
        return cls(what, metric, f"number of {noun}", first, better, "many", par2)


def _said(found: Race, words: _Words, total: tuple[str, float] | None) -> Iterator[str]:
    yield _lead(found, words, total)
    end = f"{_TEST}."
    for verdict, tell in (("faster", _faster), ("slower", _slower), ("undecided", _undecided)):
        if rivals := [
            each for each in found.those(verdict) if verdict != "undecided" or not each.twin
        ]:
            yield fitted(partial(tell, found, rivals, words, end))
            end = "."
    for twin, why in _TWINS.items():
        if rivals := [each for each in found.those("undecided") if each.twin == twin]:
            yield fitted(partial(_equal, rivals, why))


_TWINS: Final = {
    "formula": "gets the same formulas: only the machine could make a difference",
    "size": "gets formulas of the same size, so there may be no difference to find",
}


def _equal(rivals: Sequence[Rival], why: str, shown: int) -> str:
    """Name those not distinguished from the best one since their formulas are alike."""
    names = listed([short(rival.name) for rival in rivals], shown)
    why = why if len(rivals) == 1 else why.replace("gets", "get")
    return f"It cannot be distinguished from {names}, which {why}."


def _lead(found: Race, words: _Words, total: tuple[str, float] | None) -> str:
    best, shown = short(found.best), amount(found.par2_s, words.metric)
    took = f"{shown} per {words.what} ({words.par2})"
    if found.combinations == 1:
        return f"The average {words.noun} of {best} is {took}."
    if not found.rivals:
        return f"Only {best} solved anything; its average {words.noun} is {took}."
    second = found.rivals[0]
    behind = amount(second.par2_s, words.metric)
    place = "ahead of" if shown != behind else "level with"
    lead, rest = f"{words.first}: {best} with {took}", f", {place} {short(second.name)} ({behind})"
    if total is None or total[0] == found.best:
        return f"{lead}{rest}."
    other = f"; by total time, with encoding and loading: {short(total[0])} ({seconds(total[1])})"
    whole = f"{lead}{rest}{other}."
    return whole if len(whole) <= LONGEST else f"{lead}{other}."


def _faster(found: Race, rivals: Sequence[Rival], words: _Words, end: str, shown: int) -> str:
    """Name those that are faster than the best one board by board, but not on average."""
    each = [
        f"{short(rival.name)} ({thousands(rival.ahead)} of {thousands(found.boards)})"
        for rival in rivals
    ]
    are = words.better
    if len(rivals) > 1:
        are = are.replace("is ", "are ").replace("needs ", "need ")
    by = f"{words.what.capitalize()} by {words.what}"
    return f"{by}, {listed(each, shown)} {are} than it{end}"


def _slower(found: Race, rivals: Sequence[Rival], words: _Words, end: str, shown: int) -> str:
    """Name those that are slower, and by how much."""
    every = "all " if len(rivals) == found.combinations - 1 else ""
    others = (
        f"{every}{thousands(len(rivals))} others, which take {_ratios(rivals, named=shown > 1)}"
    )
    if len(rivals) == 1:
        others = f"{short(rivals[0].name)}, which takes {factor(rivals[0].ratio)}"
    much = f"times as {words.as_much} on the median {words.what}"
    return f"It {words.better} than {others} {much}{end}"


def _ratios(rivals: Sequence[Rival], named: bool) -> str:
    ends = (pick(rivals, key=attrgetter("ratio")) for pick in (min, max))
    return " to ".join(
        factor(rival.ratio) + (f" ({short(rival.name)})" if named else "") for rival in ends
    )


def _undecided(found: Race, rivals: Sequence[Rival], words: _Words, end: str, shown: int) -> str:
    """Name those not distinguished from the best one, and how many boards it would take."""
    head = f"With {number_and_noun(found.boards, words.what)} it cannot be distinguished from"
    names = [_with_solved(rival, found) for rival in rivals]
    if 1 < len(rivals) <= shown:
        needed = [_needed([rival], found) for rival in rivals]
        each = [f"{name} ({boards} needed)" for name, boards in zip(names, needed, strict=True)]
        return f"{head} {joined(each)}{end}"
    takes = f"that would take {_needed(rivals, found)} such {words.what}s"
    return f"{head} {listed(names, shown)}: {takes}{end}"


def _with_solved(rival: Rival, found: Race) -> str:
    """Its name, and how many boards it solved if the best one solved more."""
    less = f", {thousands(rival.solved)} of {thousands(found.boards)} solved"
    return short(rival.name) + (less if rival.solved < found.solved else "")


def _needed(rivals: Sequence[Rival], found: Race) -> str:
    """The estimated numbers of boards to distinguish the rivals, as a range."""
    silly = max(_SILLY, 10 ** len(str(found.boards)))
    needed = [min(pick(rival.needed for rival in rivals), silly) for pick in (min, max)]
    return " to ".join(dict.fromkeys(map(partial(_about, silly), needed)))


def _about(silly: int, number: float) -> str:
    """A number with two digits, or "more than" the largest one that makes sense."""
    if number >= silly:
        return f"more than {thousands(silly)}"
    step = 10 ** max(len(str(int(number))) - 2, 0)
    return f"about {thousands(math.ceil(number / step) * step)}"
