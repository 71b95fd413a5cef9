"""Which combination is fastest, by how much, and which cannot be distinguished from it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Final, Self

import polars as pl

from nqbench.common import metrics
from nqbench.common.units import amount, factor, is_time, seconds, thousands
from nqbench.common.vocabulary import combination
from nqbench.records.derived import FORMULA_FAMILY
from nqbench.summary.compare import boards_needed
from nqbench.summary.coverage import Coverage, coverage
from nqbench.summary.evidence import UNIT, problem_count
from nqbench.summary.exchanges import SIGNIFICANT
from nqbench.summary.findings.incomparable import why_nothing_is_common
from nqbench.summary.findings.leaders import Rival, Standings, standings
from nqbench.summary.findings.one_formula import one_formula
from nqbench.summary.findings.wording import (
    LONGEST,
    fit_names,
    joined,
    listed,
    number_and_noun,
    short,
)
from nqbench.summary.in_total import total_costs
from nqbench.summary.measured import Measured
from nqbench.summary.observed import (
    GROUP,
    PAIR,
    SOLVED,
    THERE,
    different,
    differing,
)
from nqbench.summary.over_instances import noun, unit_noun
from nqbench.summary.shuffles import of_shuffles
from nqbench.summary.significance import of_one, on_average_in_groups

_TEST: Final = " (joint exchange test)"
_FEWEST_GROUPS: Final = 6
_SILLY: Final = 1000
"""A larger estimate only means that there is almost no difference."""


def speed(measured: Measured, time: str) -> Iterator[str]:
    """Which combination is fastest, by how much, and which cannot be distinguished from it.

    PAR-2 decides which is first, and `comparisons` which can be distinguished from it on average.
    What it says of the typical board is named where it disagrees. If there are too few boards for
    any significant difference, the only sentence says so. A combination that solved nothing is not
    compared.
    """
    records, table = measured.records, measured.common(time)
    problem_noun = noun(records)
    solved_runs = records.filter(SOLVED)
    keys = differing(records, THERE)
    able = solved_runs.join(table, on=keys, how="semi", nulls_equal=True).select(PAIR).unique()
    boards = problem_count(table)
    combinations = different(measured.possible.records, PAIR)
    if combinations > 1 and not boards:
        yield why_nothing_is_common(records, problem_noun)
    elif len(able) > 1 and (samples := of_shuffles(measured, time)):
        yield from one_formula(samples, problem_noun, time)
    elif len(able) > 1 and (units := measured.evidence(time)[UNIT].n_unique()) < boards_needed(1):
        yield _too_few(unit_noun(records), units, time)
    elif len(able):
        found = standings(measured, able, time)
        total = _best_in_total(measured) if time == "solve_s" else None
        yield from _describe_standings(
            found, _Phrases.of(problem_noun, unit_noun(records), time, coverage(measured)), total
        )
        yield from _describe_groups(measured, found, time)


def _describe_groups(measured: Measured, found: Standings, time: str) -> Iterator[str]:
    """Of how many of those that are slower this also holds with families and folders as units."""
    slower = {rival.name for rival in found.rivals_with("slower")}
    if not slower or GROUP in measured.records.columns:
        return
    compared = of_one(on_average_in_groups(measured, time, FORMULA_FAMILY), found.best)
    number = int(compared["boards"][0])
    if not _FEWEST_GROUPS <= number < found.units:
        return
    is_slower = (pl.col("p") < SIGNIFICANT) & (pl.col("mean_ratio") < 1)
    holds = len(slower & {*compared.filter(is_slower)["second"]})
    yield (
        f"With each of the {thousands(number)} families or folders as one piece of evidence, that "
        f"holds for {'all' if holds == len(slower) else thousands(holds)} of these."
    )


def _best_in_total(measured: Measured) -> tuple[str, float] | None:
    """The combination of least PAR-2 of the total time, and that, if the times are known."""
    table = total_costs(measured)
    if table.is_empty():
        return None
    encoding, backend, least_s = table.row(0)
    return combination(encoding, backend), least_s


def _too_few(problem: str, boards: int, metric: str) -> str:
    best = "is fastest" if is_time(metric) else f"needs the fewest {metrics.noun(metric)}"
    return (
        f"Too few {problem}s to say which combination {best}: it takes at least "
        f"{boards_needed(1)}, not {thousands(boards)}."
    )


@dataclass(frozen=True, slots=True)
class _Phrases:
    """How to say that one combination is better by a metric, on boards or other `problem`s. A unit
    of evidence is such a problem, or a group of them.
    """

    problem: str
    unit: str
    metric: str
    noun: str
    first: str
    better: str
    as_much: str
    par2: str
    """PAR-2, and of which boards if not of all that were measured."""

    @classmethod
    def of(cls, problem: str, unit: str, metric: str, coverage: Coverage) -> Self:
        noun, par2 = metrics.noun(metric), "PAR-2"
        if coverage.common < coverage.measured:
            share = f"{thousands(coverage.common)} of {thousands(coverage.measured)}"
            par2 += f" of the {share} {problem}s that all were measured on"
        if is_time(metric):
            first, better = f"Fastest by average {noun}", "is significantly faster"
            return cls(problem, unit, metric, noun, first, better, "long", par2)
        first, better = f"Fewest {noun} on average", f"needs significantly fewer {noun}"
        return cls(problem, unit, metric, f"number of {noun}", first, better, "many", par2)


def _describe_standings(
    standings: Standings, phrases: _Phrases, total: tuple[str, float] | None
) -> Iterator[str]:
    yield _lead(standings, phrases, total)
    end = f"{_TEST}."
    for verdict, describe in (("faster", _faster), ("slower", _slower), ("undecided", _undecided)):
        if rivals := [
            rival
            for rival in standings.rivals_with(verdict)
            if verdict != "undecided" or not rival.twin
        ]:
            yield fit_names(partial(describe, standings, rivals, phrases, end))
            end = "."
    if rivals := [
        rival
        for rival in standings.rivals_with("slower") + standings.rivals_with("undecided")
        if rival.typical == "faster"
    ]:
        yield fit_names(partial(_typically, rivals, phrases))
    for twin, why in _TWINS.items():
        if rivals := [rival for rival in standings.rivals_with("undecided") if rival.twin == twin]:
            yield fit_names(partial(_equal, rivals, why))


_TWINS: Final = {
    "formula": "gets the same formulas: only the machine could make a difference",
    "size": "gets formulas of the same size, so there may be no difference to find",
}


def _equal(rivals: Sequence[Rival], why: str, max_names: int) -> str:
    """Name those not distinguished from the best one since their formulas are alike."""
    names = listed([short(rival.name) for rival in rivals], max_names)
    why = why if len(rivals) == 1 else why.replace("gets", "get")
    return f"It cannot be distinguished from {names}, which {why}."


def _lead(standings: Standings, phrases: _Phrases, total: tuple[str, float] | None) -> str:
    best, best_cost = short(standings.best), amount(standings.par2_s, phrases.metric)
    took = f"{best_cost} per {phrases.problem} ({phrases.par2})"
    if standings.combinations == 1:
        return f"The average {phrases.noun} of {best} is {took}."
    if not standings.rivals:
        return f"Only {best} solved anything; its average {phrases.noun} is {took}."
    second = standings.rivals[0]
    behind = amount(second.par2_s, phrases.metric)
    place = "ahead of" if best_cost != behind else "level with"
    lead = f"{phrases.first}: {best} with {took}"
    second_place = f", {place} {short(second.name)} ({behind})"
    if total is None or total[0] == standings.best:
        return f"{lead}{second_place}."
    other = f"; by total time, with encoding and loading: {short(total[0])} ({seconds(total[1])})"
    sentence = f"{lead}{second_place}{other}."
    return sentence if len(sentence) <= LONGEST else f"{lead}{other}."


def _faster(
    standings: Standings, rivals: Sequence[Rival], phrases: _Phrases, end: str, max_names: int
) -> str:
    """Name those that are faster than the best one on what both ran, which is not all it ran."""
    del standings
    names = [
        f"{short(rival.name)} on {number_and_noun(rival.boards, phrases.unit)}" for rival in rivals
    ]
    are = phrases.better if len(rivals) == 1 else phrases.better.replace("is ", "are ")
    are = are if len(rivals) == 1 else are.replace("needs ", "need ")
    return f"On what both ran, {listed(names, max_names)} {are} than it{end}"


def _typically(rivals: Sequence[Rival], phrases: _Phrases, max_names: int) -> str:
    """Name those that are faster than the best one on the typical board, but not on average."""
    worse = "is slower" if is_time(phrases.metric) else f"needs more {metrics.noun(phrases.metric)}"
    names = [
        f"{short(rival.name)} (on {thousands(rival.ahead)} of {thousands(rival.boards)})"
        for rival in rivals
    ]
    return f"On the typical {phrases.unit}, it {worse} than {listed(names, max_names)}."


def _slower(
    standings: Standings, rivals: Sequence[Rival], phrases: _Phrases, end: str, max_names: int
) -> str:
    """Name those that are slower, and by how much."""
    number = thousands(len(rivals))
    if len(rivals) == standings.combinations - 1:
        number = "both" if len(rivals) == 2 else f"all {number}"
    names = f"{number} others, which take {_ratios(rivals, with_names=max_names > 1)}"
    if len(rivals) == 1:
        names = f"{short(rivals[0].name)}, which takes {factor(rivals[0].ratio)}"
    on = " on what both ran" if any(rival.boards != standings.units for rival in rivals) else ""
    return f"It {phrases.better} than {names} times as {phrases.as_much} on average{on}{end}"


def _ratios(rivals: Sequence[Rival], with_names: bool) -> str:
    ends = (pick(rivals, key=attrgetter("ratio")) for pick in (min, max))
    return " to ".join(
        factor(rival.ratio) + (f" ({short(rival.name)})" if with_names else "") for rival in ends
    )


def _undecided(
    standings: Standings, rivals: Sequence[Rival], phrases: _Phrases, end: str, max_names: int
) -> str:
    """Name those not distinguished from the best one, and how many boards it would take."""
    head = f"With {number_and_noun(standings.units, phrases.unit)} it cannot be distinguished from"
    names = [_with_solved(rival, standings) for rival in rivals]
    if 1 < len(rivals) <= max_names:
        entries = [f"{short(rival.name)} ({_details(rival, standings)})" for rival in rivals]
        return f"{head} {joined(entries)}{end}"
    takes = f"that would take {_boards_range(rivals, standings)} such {phrases.unit}s"
    return f"{head} {listed(names, max_names)}: {'for all, ' * (len(rivals) > 1)}{takes}{end}"


def _with_solved(rival: Rival, standings: Standings) -> str:
    """Its name, and how many boards it solved if the best one solved more."""
    less = f" ({thousands(rival.solved)} of {thousands(standings.boards)} solved)"
    return short(rival.name) + (less if rival.solved < standings.solved else "")


def _details(rival: Rival, standings: Standings) -> str:
    """What it solved, on how many boards it is slower if it typically is, and how many it takes."""
    of = f"of {thousands(rival.boards)}"
    solved = (
        f"{thousands(rival.solved)} of {thousands(standings.boards)} solved"
        if rival.solved < standings.solved
        else ""
    )
    slower = f"slower on {thousands(rival.behind)} {of}" if rival.typical == "slower" else ""
    needed = f"{_boards_range([rival], standings)} needed"
    return ", ".join(filter(None, [solved, slower, needed]))


def _boards_range(rivals: Sequence[Rival], standings: Standings) -> str:
    """The estimated number of boards to distinguish all of these rivals, as a range."""
    # An estimate is always more than the boards that there are, and so has the bound to be.
    silly = max(_SILLY, 10 ** len(str(standings.units)))
    low, high = (max(ends) for ends in zip(*(rival.needed for rival in rivals), strict=True))
    if low >= silly:
        return f"more than {thousands(silly)}"
    if high >= silly:
        return f"at least {_round_up(low)}"
    return " to ".join(dict.fromkeys(map(_round_up, (low, high))))


def _round_up(number: float) -> str:
    """A number with two digits."""
    step = 10 ** max(len(str(int(number))) - 2, 0)
    return thousands(math.ceil(number / step) * step)
