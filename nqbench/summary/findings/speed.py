"""Which combination takes least on average, what it is typically faster than, and what is open."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final, Self

import polars as pl

from nqbench.common import metrics
from nqbench.common.metrics import SCORE_NAME
from nqbench.common.units import factor, is_time, number_and_noun, thousands
from nqbench.records.derived import FORMULA_FAMILY
from nqbench.summary.comparisons import decided, decided_in_groups, of_one
from nqbench.summary.evidence import UNIT, problem_count
from nqbench.summary.findings.leaders import Ratios, Rival, Standings, standings
from nqbench.summary.findings.one_formula import one_formula
from nqbench.summary.findings.two import (
    equal_formulas,
    two,
    typically_faster,
    why_nothing_is_common,
)
from nqbench.summary.findings.wording import (
    MOST_NAMED,
    Fact,
    Phrases,
    decided_in_words,
    fit_names,
    in_brackets,
    interval,
    joined,
    listed,
    needed_range,
    on,
    short,
    some_others,
    with_names,
)
from nqbench.summary.formulas import alike
from nqbench.summary.intervals import digits_of_times
from nqbench.summary.measured import Measured
from nqbench.summary.observed import (
    GROUP,
    PAIR,
    SOLVED,
    THERE,
    different,
    differing,
    time_limits,
)
from nqbench.summary.paired import FEWEST
from nqbench.summary.power import can_find, is_hopeless, option_to_choose
from nqbench.summary.series import noun, unit_noun
from nqbench.summary.shared import coverage
from nqbench.summary.shuffles import of_shuffles


def speed(measured: Measured, time: str) -> Iterator[Fact]:
    """Which combination takes least on average, what it is typically faster than and what it solves
    more than, and which are undecided.

    PAR-2 decides which is first, and `comparisons` the rest. Where the typical ratio and the
    average disagree, a sentence says both. With too few problems to decide anything, that is the
    only fact. A combination that solved nothing is not compared.
    """
    found = _find(measured, time)
    if not isinstance(found, _Found):
        yield from found
        return
    yield Fact(lead, found)
    if found.standings.combinations == 2 and found.second:
        yield from two(found.standings, found.second, found.phrases)
    else:
        yield from _several(found)
    yield from _twins(found.all)
    yield from _in_groups(measured, found)


def first_in_brief(measured: Measured, time: str) -> str:
    """Which combination is first and how sure that is, in one sentence; empty if there is nothing
    to compare.
    """
    found = _find(measured, time)
    if not isinstance(found, _Found):
        return str(next(iter(found), ""))
    rivals = found.all.rivals
    if rivals and all(rival.repeats for rival in rivals):
        return str(equal_formulas(found.all, rivals))
    return _sentence(_lead(found), _how_sure(found), *found.same)


@dataclass(frozen=True, slots=True)
class _Found:
    """How `all` compare with the first one; `standings`, where those with the same clauses count
    once; the ratios of the second by PAR-2, if there is one; and the words for it.
    """

    all: Standings
    standings: Standings
    second: Ratios | None
    phrases: Phrases

    @classmethod
    def of(cls, standings: Standings, phrases: Phrases) -> Self:
        """How these compare."""
        once = standings.counted_once()
        second = next(iter(once.ratios(once.rivals[:1]).values()), None)
        return cls(standings, once, second, phrases)

    @property
    def without_one(self) -> float | None:
        """The ratio of the second without one problem, if that alone makes it the second."""
        without = None if self.second is None else self.second.mean_without
        is_close = self.second is None or self.second.mean <= _CLOSE
        return None if without is None or without >= 1 or is_close else without

    @property
    def it(self) -> str:
        """What the first one is called after the lead, in which "it" may be the second one."""
        is_named = self.second is None or self.without_one is not None
        return short(self.standings.best) if is_named else "it"

    @property
    def same(self) -> Iterator[str]:
        """Which encodings give the same clauses, if a combination was left out for that."""
        if self.standings is not self.all:
            every = (group for group in alike(self.all.measured) if group.how != "size")
            groups = (group.encodings for group in every if group.encodings[1:])
            for names in islice(groups, 1):
                yield f"{joined(list(map(short, names)))} give the same clauses and count once"


def _find(measured: Measured, time: str) -> _Found | Iterable[Fact]:
    """How all compare with the first one; or facts, if that is not known."""
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
        possible = measured.possible.records
        limits = list(time_limits(possible)) if is_time(time) else []
        is_late = possible["outcome"].is_in(["timeout", "memout", "work-limit"]).any()
        return [Fact(nothing_solved, problem_noun, limits if is_late else None)]
    if len(able) > 1 and (samples := of_shuffles(measured, time)):
        return one_formula(samples, problem_noun, time)
    if len(able) > 1 and (units := measured.evidence(time)[UNIT].n_unique()) < FEWEST:
        return [Fact(can_find, units, len(able), unit_noun(records), time)]
    if not len(able):
        return []
    digits = digits_of_times(measured)
    phrases = Phrases.of(problem_noun, unit_noun(records), time, coverage(measured), digits)
    return _Found.of(standings(measured, able, time), phrases)


def nothing_solved(problem: str, limits: Sequence[float] | None) -> str:
    """What would help, and the limit, if all had the same one; None if no run reached one."""
    within = f" within {limits[0]:g} s" if limits and len(limits) == 1 else ""
    more = f" Raise --time-limit, or take smaller {problem}s." if limits is not None else ""
    return f"No {problem} was solved by any combination{within}: there is nothing to compare.{more}"


def _sentence(*parts: str) -> str:
    """One sentence of those parts that are not empty."""
    return "; ".join(part.removesuffix(".") for part in parts if part) + "."


def lead(found: _Found) -> str:
    """Name the first one and the second one, with their averages, and what counts once."""
    return _sentence(_lead(found), *found.same)


def _lead(found: _Found) -> str:
    standings, phrases = found.standings, found.phrases
    best, cost = short(standings.best), phrases.cost(standings.par2_s)
    took = f"{cost} per {phrases.problem} ({phrases.par2})"
    if standings.combinations == 1:
        return f"The average {metrics.noun(phrases.metric)} of {best} is {took}."
    if not found.second:
        noun = metrics.noun(phrases.metric)
        return f"Only {best} solved anything; its average {noun} is {took}."
    second = standings.rivals[0]
    behind = phrases.cost(second.par2_s)
    if found.without_one is not None:
        of = f"one of {number_and_noun(standings.units, phrases.unit)} makes that"
        return (
            f"{best} has the least average ({SCORE_NAME}), {cost} against {behind}, but {of}: "
            f"without it, {short(second.name)} {phrases.longer(found.without_one)}."
        )
    place = "ahead of" if cost != behind else "level with"
    return f"{phrases.least}: {best} with {took}, {place} {short(second.name)} ({behind})."


def _how_sure(found: _Found) -> str:
    """Of how many others what was decided."""
    standings, phrases = found.standings, found.phrases
    others = standings.combinations - 1
    if not standings.rivals or not others:
        return ""
    slower, faster, undecided = (
        len(standings.rivals_with(verdict)) for verdict in ("slower", "faster", "undecided")
    )
    units = f" with {number_and_noun(standings.units, phrases.unit)}"
    return decided_in_words((slower, faster, undecided), others, phrases.faster, units, found.it)


_CLOSE: Final = 1.1
"""Averages within this ratio are close: a problem that makes them so is not worth a sentence."""

_TEST: Final = "signed ranks, jointly 5\N{NO-BREAK SPACE}%"


def _several(found: _Found) -> Iterator[Fact]:
    """What is decided of the first one and several others."""
    standings, phrases = found.standings, found.phrases
    if slower := standings.rivals_with("slower"):
        yield Fact(slower_than_first, found, slower, standings.ratios(slower))
    if faster := standings.rivals_with("faster"):
        ratios = standings.ratios(faster)
        if faster[1:]:
            yield Fact(faster_than_first, found, faster, ratios)
        else:
            (one,), is_second = faster, faster[0] == standings.rivals[0]
            best, ratio = standings.best, ratios[one.name]
            yield Fact(typically_faster, best, one, ratio, phrases, is_second=is_second)
    for word, write in (("less", solve_less), ("more", solve_more)):
        if rivals := [rival for rival in standings.rivals if rival.solves == word]:
            yield Fact(write, rivals, phrases, found.it)
    if undecided := [rival for rival in standings.rivals_with("undecided") if not rival.twin]:
        yield Fact(undecided_with_first, found, undecided, standings.ratios(undecided[:MOST_NAMED]))
    if standings.rivals and _decides_nothing(standings):
        choose = option_to_choose(standings.measured.records.select(*PAIR).unique().iter_rows())
        count = standings.combinations
        yield Fact(can_find, standings.units, count, phrases.unit, phrases.metric, choose=choose)


def _decides_nothing(standings: Standings) -> bool:
    """Whether nothing was decided of any two combinations, since there are too many of them."""
    table = decided(standings.measured, standings.metric)
    is_any = table.select((pl.col("typical", "solves_more") != 0).any()).row(0)
    return not any(is_any) and is_hopeless(standings.units, standings.combinations)


def slower_than_first(found: _Found, rivals: Sequence[Rival], ratios: Mapping[str, Ratios]) -> str:
    """Name those that are typically slower, and by how much."""
    standings, phrases, it = found.standings, found.phrases, found.it
    number, others = len(rivals), standings.combinations - 1
    whom = some_others(number, others)
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


def faster_than_first(found: _Found, rivals: Sequence[Rival], ratios: Mapping[str, Ratios]) -> str:
    """Name those that are typically faster, and take longer on average."""
    known = [rival for rival in rivals if rival.name in ratios]
    details = [_typical_and_mean(rival, ratios[rival.name]) for rival in known]
    rest = f" are {found.phrases.faster} than {found.it}."
    return with_names("Typical and average disagree: typically, ", details, rest)


def _typical_and_mean(rival: Rival, ratios: Ratios) -> str:
    typical = "" if ratios.typical is None else f"{factor(ratios.typical)} times"
    mean = f"about {factor(ratios.mean)} on average"
    count = on(rival.ahead, rival.problems)
    return f"{short(rival.name)}{in_brackets(typical, count, mean)}"


def solve_less(rivals: Sequence[Rival], phrases: Phrases, it: str) -> str:
    """Name those that solve less than the first one."""
    details = [_alone(each.name, each.only_first, each.only_it, phrases) for each in rivals]
    return with_names(f"{_first_word(it)} solves more than ", details)


def solve_more(rivals: Sequence[Rival], phrases: Phrases, it: str) -> str:
    """Name those that solve more than the first one."""
    details = [_alone(each.name, each.only_it, each.only_first, phrases) for each in rivals]
    verb = "solve" if rivals[1:] else "solves"
    return with_names("", details, f" {verb} more than {it}.")


def _alone(name: str, more: int, less: int, phrases: Phrases) -> str:
    """A name, and the numbers of problems that only one of two solved."""
    return f"{short(name)} ({thousands(more)} {phrases.problem}s against {thousands(less)})"


def undecided_with_first(
    found: _Found, rivals: Sequence[Rival], ratios: Mapping[str, Ratios]
) -> str:
    """Name those that are undecided: the interval of the ratio, and how many problems it takes."""
    return fit_names(partial(_undecided, found.standings, rivals, ratios, found.phrases))


def _undecided(
    standings: Standings,
    rivals: Sequence[Rival],
    ratios: Mapping[str, Ratios],
    phrases: Phrases,
    max_names: int,
) -> str:
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


def _twins(standings: Standings) -> Iterator[Fact]:
    """Those of the first one's solver with formulas that are alike."""
    undecided = standings.rivals_with("undecided")
    if same := [rival for rival in undecided if rival.twin in {"formula", "clauses"}]:
        yield equal_formulas(standings, same)
    if same_size := [short(rival.name) for rival in undecided if rival.twin == "size"]:
        yield Fact(same_sizes, same_size)


def same_sizes(names: Sequence[str]) -> str:
    """Name those whose formulas may be those of the first one."""
    get = "get" if names[1:] else "gets"
    rest = f" was found, which {get} formulas of the same size: there may be none."
    return with_names("No difference to ", names, rest)


def _in_groups(measured: Measured, found: _Found) -> Iterator[Fact]:
    """Of how many of those that are slower this also holds with families and folders as units."""
    slower = {rival.name for rival in found.all.rivals_with("slower")}
    if not slower or GROUP in measured.records.columns:
        return
    table, groups = decided_in_groups(measured, found.phrases.metric, FORMULA_FAMILY)
    compared = of_one(table, found.all.best)
    if FEWEST <= groups < found.all.units:
        holds = len(slower & {*compared.filter(typical=-1)["second"]})
        yield Fact(slower_in_groups, holds, len(slower), groups, found.phrases.faster)


def slower_in_groups(holds: int, slower: int, groups: int, faster: str) -> str:
    """Of how many of those that are slower this holds."""
    how_many = "all" if holds == slower else thousands(holds) if holds else "none"
    result = f"it is typically {faster} than {how_many} of those {thousands(slower)}"
    if slower == 1:
        result = f"the typical difference {'holds, too' if holds else 'is undecided'}"
    return (
        f"With each of the {thousands(groups)} families or folders as one piece of evidence, "
        f"{result}."
    )
