"""Which combination takes least on average, what it is typically faster than, and what is open."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import polars as pl

from nqbench.common import metrics
from nqbench.common.units import factor, is_time, number_and_noun, thousands
from nqbench.records.derived import FORMULA_FAMILY
from nqbench.summary.comparisons import decided, decided_in_groups, of_one
from nqbench.summary.coverage import coverage
from nqbench.summary.evidence import UNIT, problem_count
from nqbench.summary.findings.equal_formulas import equal_formulas
from nqbench.summary.findings.incomparable import why_nothing_is_common
from nqbench.summary.findings.leaders import Ratios, Rival, Standings, standings
from nqbench.summary.findings.one_formula import one_formula
from nqbench.summary.findings.phrases import Phrases, in_brackets, interval, on
from nqbench.summary.findings.two import disagree, two
from nqbench.summary.findings.wording import (
    decided_in_words,
    fit_names,
    joined,
    listed,
    needed_range,
    short,
    some_others,
)
from nqbench.summary.formulas import alike
from nqbench.summary.measured import Measured
from nqbench.summary.noise import digits_of_times
from nqbench.summary.observed import (
    GROUP,
    PAIR,
    SOLVED,
    THERE,
    different,
    differing,
    time_limits,
)
from nqbench.summary.over_instances import noun, unit_noun
from nqbench.summary.paired import FEWEST
from nqbench.summary.power import can_find, is_hopeless
from nqbench.summary.shuffles import of_shuffles


def speed(measured: Measured, time: str) -> Iterator[str]:
    """Which combination takes least on average, what it is typically faster than and what it solves
    more than, and which are undecided.

    PAR-2 decides which is first, and `comparisons` the rest. Where the typical ratio and the
    average disagree, a sentence says both. With too few problems to decide anything, the only
    sentence says so. A combination that solved nothing is not compared.
    """
    found = _find(measured, time)
    if isinstance(found, _Found):
        yield from _describe(found.standings, found.phrases)
        yield from _describe_groups(measured, found.standings, found.phrases)
    else:
        yield from found


def first_in_brief(measured: Measured, time: str) -> str:
    """Which combination is first and how sure that is, in one sentence; empty if there is nothing
    to compare.
    """
    found = _find(measured, time)
    if not isinstance(found, _Found):
        return next(iter(found), "")
    once = found.standings.counted_once()
    lead = _lead(once, found.phrases)
    sure = _how_sure(once, found.phrases, _it(lead, once, found.phrases))
    return _sentence(lead, sure, _count_once(found.standings))


@dataclass(frozen=True, slots=True)
class _Found:
    """How all compare with the first one, and the words for it."""

    standings: Standings
    phrases: Phrases


def _find(measured: Measured, time: str) -> _Found | Iterable[str]:
    """How all compare with the first one; or sentences, if that is not known."""
    records, table = measured.records, measured.common(time)
    problem_noun = noun(records)
    solved_runs = records.filter(SOLVED)
    keys = differing(records, THERE)
    able = solved_runs.join(table, on=keys, how="semi", nulls_equal=True).select(PAIR).unique()
    problems = problem_count(table)
    combinations = different(measured.possible.records, PAIR)
    if combinations > 1 and not problems:
        return [why_nothing_is_common(records, problem_noun)]
    if problems and solved_runs.is_empty():
        return [_nothing_solved(measured, problem_noun, time)]
    if len(able) > 1 and (samples := of_shuffles(measured, time)):
        return one_formula(samples, problem_noun, time)
    if len(able) > 1 and (units := measured.evidence(time)[UNIT].n_unique()) < FEWEST:
        return [can_find(units, len(able), unit_noun(records), time)]
    if not len(able):
        return []
    digits = digits_of_times(records)
    phrases = Phrases.of(problem_noun, unit_noun(records), time, coverage(measured), digits)
    return _Found(standings(measured, able, time), phrases)


def _nothing_solved(measured: Measured, problem: str, time: str) -> str:
    limits = [f"{limit:g} s" for limit in sorted(time_limits(measured.possible.records))]
    within = f" within {limits[0]}" if len(limits) == 1 and is_time(time) else ""
    return (
        f"No {problem} was solved by any combination{within}: there is nothing to compare. Raise "
        f"--time-limit, or take smaller {problem}s."
    )


def _describe(standings: Standings, phrases: Phrases) -> Iterator[str]:
    once = standings.counted_once()
    lead = _lead(once, phrases)
    yield _sentence(lead, _count_once(standings))
    if once.combinations == 2 and len(once.rivals) == 1:
        yield from two(once, phrases)
    else:
        yield from _several(once, phrases, _it(lead, standings, phrases))
    yield from _twins(standings)


def _it(lead: str, standings: Standings, phrases: Phrases) -> str:
    """What the first one is called after this lead, in which "it" may be the second one."""
    return "it" if lead.startswith(phrases.least) else short(standings.best)


def _sentence(*parts: str) -> str:
    """One sentence of those parts that are not empty."""
    return "; ".join(part.removesuffix(".") for part in parts if part) + "."


def _lead(standings: Standings, phrases: Phrases) -> str:
    best, cost = short(standings.best), phrases.cost(standings.par2_s)
    took = f"{cost} per {phrases.problem} ({phrases.par2})"
    if standings.combinations == 1:
        return f"The average {metrics.noun(phrases.metric)} of {best} is {took}."
    if not standings.rivals:
        noun = metrics.noun(phrases.metric)
        return f"Only {best} solved anything; its average {noun} is {took}."
    second = standings.rivals[0]
    behind = phrases.cost(second.par2_s)
    ratios = standings.ratios([second])[second.name]
    without = ratios.mean_without
    if without is not None and without < 1 and ratios.mean > _CLOSE:
        of = f"one of {number_and_noun(standings.units, phrases.unit)} makes that"
        return (
            f"{best} has the least average (PAR-2), {cost} against {behind}, but {of}: without "
            f"it, {short(second.name)} {phrases.longer(without)}."
        )
    place = "ahead of" if cost != behind else "level with"
    return f"{phrases.least}: {best} with {took}, {place} {short(second.name)} ({behind})."


def _how_sure(standings: Standings, phrases: Phrases, it: str) -> str:
    """Of how many others what was decided."""
    others = standings.combinations - 1
    if not standings.rivals or not others:
        return ""
    slower, faster, undecided = (
        len(standings.rivals_with(verdict)) for verdict in ("slower", "faster", "undecided")
    )
    units = f" with {number_and_noun(standings.units, phrases.unit)}"
    return decided_in_words((slower, faster, undecided), others, phrases.faster, units, it)


def _count_once(standings: Standings) -> str:
    """Which encodings give the same clauses; empty if no combination was left out for that."""
    if standings.counted_once() is standings:
        return ""
    groups = [group for group in alike(standings.measured) if group.how != "size"]
    names = [joined(list(map(short, group.encodings))) for group in groups if group.encodings[1:]]
    return f"{names[0]} give the same clauses and count once" if names else ""


_CLOSE: Final = 1.1
"""Averages within this ratio are close: a problem that makes them so is not worth a sentence."""

_TEST: Final = "signed ranks, jointly 5\N{NO-BREAK SPACE}%"


def _several(standings: Standings, phrases: Phrases, it: str) -> Iterator[str]:
    """What is decided of the first one, which is called `it`, and several others."""
    found = [rival for rival in standings.rivals if not rival.twin or rival.verdict != "undecided"]
    if slower := [rival for rival in found if rival.verdict == "slower"]:
        yield _slower(standings, slower, phrases, it)
    if faster := [rival for rival in found if rival.verdict == "faster"]:
        yield _faster(standings, faster, phrases, it)
    for word in ("less", "more"):
        if rivals := [rival for rival in standings.rivals if rival.solves == word]:
            yield fit_names(partial(_solves, rivals, phrases, it))
    if undecided := [rival for rival in found if rival.verdict == "undecided"]:
        yield fit_names(partial(_undecided, standings, undecided, phrases))
    if standings.rivals and _decides_nothing(standings):
        yield can_find(standings.units, standings.combinations, phrases.unit, phrases.metric)


def _decides_nothing(standings: Standings) -> bool:
    """Whether nothing was decided of any two combinations, since there are too many of them."""
    table = decided(standings.measured, standings.metric)
    is_any = table.select((pl.col("typical", "solves_more") != 0).any()).row(0)
    return not any(is_any) and is_hopeless(standings.units, standings.combinations)


def _slower(standings: Standings, rivals: Sequence[Rival], phrases: Phrases, it: str) -> str:
    """Name those that are typically slower, and by how much."""
    number, others = len(rivals), standings.combinations - 1
    whom = some_others(number, others)
    ratios = standings.ratios(rivals)
    if number == 1:
        (rival,), (ratio,) = rivals, ratios.values()
        count = on(rival.behind, rival.problems)
        ends = interval(ratio.low, ratio.high)
        if ratio.typical is None and ends:
            ends += " times"
        brackets = in_brackets(f"{ends}, {count}" if ends else count, _TEST, separator="; ")
        by = "" if ratio.typical is None else f"{factor(ratio.typical)} times "
        said = f"is typically {by}{phrases.faster} than {short(rival.name)}{brackets}."
    else:
        least, most = _ends(rivals, ratios)
        options = (
            f"is typically {phrases.faster} than {whom}: from {_one(*least, names)} to "
            f"{_one(*most, names)} ({_TEST})."
            for names in (2, 1, 0)
        )
        said = next((text for text in options if len(it) + len(text) < _LONGEST), "") or (
            f"is typically {phrases.faster} than {whom} ({_TEST})."
        )
    if phrases.unit == phrases.problem:
        return f"{_first_word(it)} {said}"
    head = f"With each of the {number_and_noun(standings.units, phrases.unit)} as one piece of"
    return f"{head} evidence, {it} {said.removesuffix('.')}; {phrases.unit}s count alike."


def _first_word(it: str) -> str:
    """What the first one is called at the beginning of a sentence."""
    return "It" if it == "it" else it


_LONGEST: Final = 240
"""Characters of the sentence that names the least and the greatest ratio with their intervals."""


def _ends(rivals: Sequence[Rival], ratios: Mapping[str, Ratios]) -> list[tuple[Rival, Ratios]]:
    """The rivals with the least and with the greatest ratio; one without a ratio is the last."""
    known = [(rival, ratios[rival.name]) for rival in rivals if rival.name in ratios]
    known.sort(key=lambda pair: (pair[1].typical is None, pair[1].typical or 0.0))
    return [known[0], known[-1]]


def _one(rival: Rival, ratios: Ratios, names: int) -> str:
    """One end of the range of ratios: with its name and interval, with its interval, or short."""
    count = on(rival.behind, rival.problems)
    name = short(rival.name) if names > 1 else ""
    if ratios.typical is None:
        return f"those that do not solve what it solves{in_brackets(name, count)}"
    ends = interval(ratios.low, ratios.high) if names else ""
    return f"{factor(ratios.typical)} times{in_brackets(name, ends, count)}"


def _faster(standings: Standings, rivals: Sequence[Rival], phrases: Phrases, it: str) -> str:
    """Name those that are typically faster, and take longer on average."""
    ratios = standings.ratios(rivals)
    known = [rival for rival in rivals if rival.name in ratios]
    if len(rivals) == 1:
        (rival,) = rivals
        is_second = rival == standings.rivals[0]
        ratio = ratios[rival.name]
        return disagree(short(standings.best), rival, ratio, phrases, is_second=is_second)

    def sentence(max_names: int) -> str:
        details = [_typical_and_mean(rival, ratios[rival.name]) for rival in known]
        return (
            f"Typical and average disagree: typically, {listed(details, max_names)} are "
            f"{phrases.faster} than {it}."
        )

    return fit_names(sentence)


def _typical_and_mean(rival: Rival, ratios: Ratios) -> str:
    typical = "" if ratios.typical is None else f"{factor(ratios.typical)} times"
    mean = f"about {factor(ratios.mean)} on average"
    count = on(rival.ahead, rival.problems)
    return f"{short(rival.name)}{in_brackets(typical, count, mean)}"


def _solves(rivals: Sequence[Rival], phrases: Phrases, it: str, max_names: int) -> str:
    """Name those that solve less, or more, than the first one."""
    is_less = rivals[0].solves == "less"
    details = []
    for rival in rivals:
        more, less = rival.only_first, rival.only_it
        more, less = (more, less) if is_less else (less, more)
        numbers = f"{thousands(more)} {phrases.problem}s against {thousands(less)}"
        details.append(f"{short(rival.name)} ({numbers})")
    names = listed(details, max_names)
    if is_less:
        return f"{_first_word(it)} solves more than {names}."
    verb = "solves" if len(rivals) == 1 else "solve"
    return f"{names} {verb} more than {it}."


def _undecided(
    standings: Standings, rivals: Sequence[Rival], phrases: Phrases, max_names: int
) -> str:
    """Name those that are undecided: the interval of the ratio, and how many problems it takes."""
    ratios = standings.ratios(rivals[:max_names])
    entries: list[str] = []
    for rival in rivals[:max_names]:
        is_first = not entries
        details = _details(rival, ratios.get(rival.name), phrases, standings, is_first=is_first)
        entries.append(f"{short(rival.name)} ({details})")
    entries += [short(rival.name) for rival in rivals[max_names:]]
    head = f"Undecided with {number_and_noun(standings.units, phrases.unit)}"
    return f"{head}: {listed(entries, max_names)}."


def _details(
    rival: Rival, ratios: Ratios | None, phrases: Phrases, standings: Standings, *, is_first: bool
) -> str:
    """What it solved, the interval of its ratio, if it is mostly slower, and how many it takes. The
    nouns are with the first one.
    """
    ends = "" if ratios is None else interval(ratios.low, ratios.high)
    of = f"of {thousands(rival.problems)}"
    is_behind = 2 * (rival.behind - rival.ahead) > rival.problems
    words = [
        f"{thousands(rival.solved)} {of} solved" if rival.solved < standings.solved else "",
        f"{ends} times{f' as {phrases.times_as}' if is_first else ''}" if ends else "",
        f"{phrases.worse} on {thousands(rival.behind)} {of}" if is_behind else "",
    ]
    needed = needed_range([rival.needed], standings.units)
    needed += f" {phrases.unit}s needed" if is_first else ""
    return "; ".join(filter(None, [", ".join(filter(None, words)), needed]))


def _twins(standings: Standings) -> Iterator[str]:
    """Those of the first one's solver with formulas that are alike."""
    undecided = standings.rivals_with("undecided")
    if same := [rival for rival in undecided if rival.twin in {"formula", "clauses"}]:
        yield equal_formulas(standings, same)
    if alike := [short(rival.name) for rival in undecided if rival.twin == "size"]:
        get = "gets" if len(alike) == 1 else "get"
        yield fit_names(
            lambda max_names: (
                f"No difference to {listed(alike, max_names)} was found, which {get} formulas of "
                "the same size: there may be none."
            )
        )


def _describe_groups(measured: Measured, found: Standings, phrases: Phrases) -> Iterator[str]:
    """Of how many of those that are slower this also holds with families and folders as units."""
    slower = {rival.name for rival in found.rivals_with("slower")}
    if not slower or GROUP in measured.records.columns:
        return
    table, groups = decided_in_groups(measured, phrases.metric, FORMULA_FAMILY)
    compared = of_one(table, found.best)
    if not FEWEST <= groups < found.units:
        return
    holds, number = len(slower & {*compared.filter(typical=-1)["second"]}), len(slower)
    how_many = "all" if holds == number else thousands(holds) if holds else "none"
    result = f"it is typically {phrases.faster} than {how_many} of those {thousands(number)}"
    if number == 1:
        result = f"the typical difference {'holds, too' if holds else 'is undecided'}"
    yield (
        f"With each of the {thousands(groups)} families or folders as one piece of evidence, "
        f"{result}."
    )
