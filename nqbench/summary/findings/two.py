"""What is decided of two combinations, what is not, and why they may not be comparable."""

import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import Final

import polars as pl

from nqbench.common.units import factor, number_and_noun, percent, thousands
from nqbench.common.vocabulary import COMBINATION
from nqbench.records.derived import TOTAL
from nqbench.records.origin import MACHINE_OF
from nqbench.summary.comparisons import with_intervals, with_one
from nqbench.summary.findings.leaders import Ratios, Rival, Standings
from nqbench.summary.findings.wording import (
    LONGEST,
    Fact,
    Phrases,
    in_brackets,
    interval,
    listed,
    needed_range,
    on,
    short,
    with_names,
)
from nqbench.summary.observed import BOARD, NAMED, PAIR, POSSIBLE, imported, machines
from nqbench.summary.paired import LEVEL
from nqbench.summary.recommendation import total_costs

_EQUAL: Final = 1.1
"""Within this ratio, two are called equal."""

_WIDE: Final = 2.0
"""If the ends of an interval of an average differ by more, a rare long run would change it."""


def two(standings: Standings, ratios: Ratios, phrases: Phrases) -> Iterator[Fact]:
    """Which of the two is typically faster and which solves more, and where the average says
    something else or rests on one problem.
    """
    (rival,) = standings.rivals
    first = standings.best
    if rival.verdict == "slower":
        yield Fact(typically_and_on_average, first, rival, ratios, phrases)
    elif rival.verdict == "faster":
        yield Fact(typically_faster, first, rival, ratios, phrases, is_second=True)
    if rival.only_it or rival.only_first:
        yield Fact(solves_alone, first, rival, phrases)
    if rival.verdict == "undecided" and not rival.solves and not rival.twin:
        yield Fact(no_difference, first, rival, ratios, standings.units, phrases)


def typically_and_on_average(first: str, rival: Rival, ratios: Ratios, phrases: Phrases) -> str:
    """The first one is typically faster, too."""
    first, second = short(first), short(rival.name)
    count = on(rival.behind, rival.problems)
    if ratios.typical is None:
        return (
            f"{first} is typically {phrases.faster} than {second} ({count}), which does not solve "
            "what it solves."
        )
    if ratios.mean_without is not None:
        ends = interval(ratios.low, ratios.high)
        return (
            f"{first} is typically {factor(ratios.typical)} times {phrases.faster} than {second}"
            f"{in_brackets(ends, count)}. The average ({factor(ratios.mean)} times) rests on one "
            f"{phrases.unit}: without it, it is {factor(ratios.mean_without)} times."
        )
    ends = interval(*(None if end is None else 1 / end for end in (ratios.high, ratios.low)))
    head = (
        f"{first} typically {phrases.longer(1 / ratios.typical)} as {second}"
        f"{in_brackets(ends, count)}; on average about {factor(1 / ratios.mean)}"
    )
    if ratios.mean_low is None or ratios.mean_high is None:
        return f"{head}."
    rare = (
        ", where a rare long run would change it"
        if ratios.mean_high > _WIDE * ratios.mean_low
        else ""
    )
    head += in_brackets(interval(1 / ratios.mean_high, 1 / ratios.mean_low))
    sentence = f"{head}{rare}."
    return sentence if len(sentence) <= LONGEST else f"{head}."


def typically_faster(
    first: str, rival: Rival, ratios: Ratios, phrases: Phrases, *, is_second: bool
) -> str:
    """The other one is typically faster, and takes longer on average. If that rests on one problem,
    the first sentence says so of the second by PAR-2.
    """
    first, second = short(first), short(rival.name)
    count = on(rival.ahead, rival.problems)
    if ratios.typical is None:
        return f"{second} is typically {phrases.faster} than {first} ({count})."
    if ratios.mean_without is not None and ratios.mean_without < 1:
        rests = (
            ""
            if is_second
            else f" On average it {phrases.longer(ratios.mean)}, but one {phrases.unit} makes that."
        )
        return (
            f"{second} is typically {factor(1 / ratios.typical)} times {phrases.faster} than "
            f"{first}{in_brackets(interval(*_turned(ratios.low, ratios.high)), count)}.{rests}"
        )
    return (
        f"Typical and average disagree: {second} typically {phrases.longer(ratios.typical)} as "
        f"{first}{in_brackets(interval(ratios.low, ratios.high), f'{count} {phrases.problem}s')}, "
        f"but about {factor(ratios.mean)} times as {phrases.times_as} on average"
        f"{in_brackets(interval(ratios.mean_low, ratios.mean_high))}."
    )


def _turned(low: float | None, high: float | None) -> tuple[float | None, float | None]:
    return (None if high is None else 1 / high), (None if low is None else 1 / low)


def solves_alone(first: str, rival: Rival, phrases: Phrases) -> str:
    """Who solves more, or how far that may be chance."""
    first, second = short(first), short(rival.name)
    if rival.only_it > rival.only_first:
        one, other = second, first
        more, less = rival.only_it, rival.only_first
    else:
        one, other = first, second
        more, less = rival.only_first, rival.only_it
    against = "none" if not less else thousands(less)
    head = (
        f"{one} solves {thousands(more)} of {thousands(rival.problems)} problems that {other} does "
        f"not, and {other} {against} that {one} does not"
    )
    if rival.solves:
        tail = " Typically no difference found." if rival.verdict == "undecided" else ""
        return f"{head}: more (p = {rival.p_solved:.2g}).{tail}"
    chance = f"{thousands(more)} against {thousands(less)} may be chance (p = {rival.p_solved:.2g})"
    enough = _enough(more, less)
    tail = (
        f": {thousands(enough)} would not"
        if enough > more and phrases.unit == phrases.problem
        else ""
    )
    sentence = f"{head}: {chance}{tail}."
    return sentence if len(sentence) <= LONGEST else f"{head}: that may be chance."


def _enough(more: int, less: int) -> int:
    """The least number of problems, at least `more`, that against `less` is decided beside the
    other question: its statistic is close to a normal deviate, and the greater of both counts.
    """
    from scipy.stats import binomtest  # 0.5 s to import

    def p(number: int) -> float:
        statistic = (number - less) / math.sqrt(number + less)
        return float(binomtest(number, number + less).pvalue) + 2 * NormalDist().cdf(-statistic)

    while p(more) >= LEVEL:
        more += 1
    return more


def no_difference(first: str, rival: Rival, ratios: Ratios, units: int, phrases: Phrases) -> str:
    """What is known of two where neither is typically faster."""
    first, second = short(first), short(rival.name)
    head = f"{first} and {second}: no difference found"
    takes = f"{needed_range([rival.needed], units)} {phrases.unit}s would decide"
    low, high = ratios.low, ratios.high
    if ratios.typical is None:
        return f"{head} with {number_and_noun(units, phrases.unit)}; {takes}."
    typically = f"Typically {second} {phrases.longer(ratios.typical)}"
    counts = f"{phrases.worse} {on(rival.behind, rival.problems)}"
    if low is None or high is None:
        return f"{head}. {typically} ({counts}); {takes}."
    largest, ends = max(high, 1 / low), interval(low, high)
    if largest <= _EQUAL:
        return f"{first} and {second}: equal within 10 %. {typically}{in_brackets(ends)}."
    if largest <= _WIDE:
        ruled_out = f"a larger difference than {percent(largest - 1)} is ruled out"
        return f"{head}. {typically}{in_brackets(ends)}: {ruled_out}; {takes}."
    return f"{head}. {typically}{in_brackets(ends, counts)}; {takes}."


_SHOWN: Final = 3
_LIMIT: Final = "time_limit_s"


def why_nothing_is_common(records: pl.DataFrame, noun: str) -> Fact:
    """Why no problem was measured with every combination."""
    possible_runs = records.filter(POSSIBLE)
    sources = list(imported(possible_runs))
    plain = _without_sources(possible_runs)
    if _has_common(plain, ["machine", _LIMIT]):
        return Fact(apart_by_sources, sources)
    if _has_common(plain, [_LIMIT]):
        return Fact(apart_by_machines, noun, list(machines(possible_runs)), sources)
    if _has_common(plain, ["machine"]):
        return Fact(apart_by_limits, noun)
    return Fact(apart, noun)


_NOTHING: Final = "Nothing can be compared: no {} was measured with every combination"


def apart_by_sources(sources: Sequence[str]) -> str:
    """The same solvers are in several sources."""
    return (
        f"Nothing can be compared: {listed(sources, _SHOWN)} are separate sources, so a solver in "
        "several of them counts as several. If these are of one campaign, import their files "
        "together into another folder, or with one --source."
    )


def apart_by_machines(noun: str, names: Sequence[str], sources: Sequence[str]) -> str:
    """Which machines there are, and what to do if they are one."""
    origins = listed(sources, _SHOWN)
    if not any(name.startswith(MACHINE_OF) for name in names):
        there = f"There are {listed(names, _SHOWN)}."
    elif len(sources) == 1:
        there = (
            f"The runs of {origins} count as those of another machine: if they are not, import "
            "them with --set machine=NAME."
        )
    else:
        there = (
            f"{origins} are separate sources, and each counts as another machine. If these are of "
            "one campaign, import their files together into another folder, or with one "
            "--source; if only of one machine, with --set machine=NAME."
        )
    return f"{_NOTHING.format(noun)} on one machine. {there}"


def apart_by_limits(noun: str) -> str:
    """Time limits differ."""
    return f"{_NOTHING.format(noun)} under one time limit."


def apart(noun: str) -> str:
    """No problem was measured with every combination."""
    return f"No {noun} was measured with every combination, so nothing can be compared."


def _without_sources(records: pl.DataFrame) -> pl.DataFrame:
    """The records without the sources in the names of solvers: see `frame.sources_told_apart`."""
    if "imported_from" not in records.columns:
        return records
    suffix = pl.format(" [{}]", pl.col("imported_from").fill_null(""))
    return records.with_columns(backend=pl.col("backend").str.strip_suffix(suffix))


def _has_common(records: pl.DataFrame, also: list[str]) -> bool:
    """Whether a problem was measured with every combination, where these columns are equal, too."""
    combinations = records.select(PAIR).n_unique()
    counts = records.select(*PAIR, *BOARD, *also).unique().group_by(*BOARD, *also).len()
    return bool((counts["len"] == combinations).any())


Cheaper = tuple[Ratios, bool, str] | None


def equal_formulas(standings: Standings, rivals: Sequence[Rival]) -> Fact:
    """That only encoding and loading differ, and which of two takes less in total, if that is
    decided.

    `rivals` get the same formulas as the first one, perhaps with their clauses in another order.
    """
    names = [rival.name for rival in rivals]
    in_order = all(rival.twin == "formula" for rival in rivals)
    cheaper = None if names[1:] else _cheaper(standings, rivals[0])
    return Fact(same_formulas, standings.best, names, cheaper, in_order=in_order)


def same_formulas(best: str, others: Sequence[str], cheaper: Cheaper, *, in_order: bool) -> str:
    """Of several others, only the names are given."""
    same = "the same formulas" if in_order else "the same clauses"
    differ = "only encoding and loading differ"
    differ = differ if in_order else f"only their order, {differ.removeprefix('only ')}"
    if others[1:]:
        return with_names("", list(map(short, [best, *others])), f" get {same}: {differ}.")
    one, solver = best.split(COMBINATION.format("", ""), 1)
    other = others[0].split(COMBINATION.format("", ""), 1)[0]
    head = f"{one} and {other} give {same} to {solver}: {differ}"
    if cheaper is None:
        return f"{head}, and no difference in total was found."
    ratios, is_first, count = cheaper
    if ratios.typical is None:
        return f"{head}."
    name, typical = (one, 1 / ratios.typical) if is_first else (other, ratios.typical)
    low, high = ratios.low, ratios.high
    ends = interval(low, high)
    if is_first and low is not None and high is not None:
        ends = interval(1 / high, 1 / low)
    tail = in_brackets(ends, count)
    return f"{head}; {name} typically takes {factor(typical)} times as long in total{tail}."


def _cheaper(standings: Standings, rival: Rival) -> Cheaper:
    """The ratios of total times, whether the first one takes less, and on how many problems; None
    if that is undecided, or the total times are not known.
    """
    measured = standings.measured
    known = total_costs(measured).select(NAMED)["pair"]
    if not {standings.best, rival.name} <= set(known):
        return None
    row = with_one(measured, TOTAL, standings.best).filter(second=rival.name)
    side = row["typical"][0]
    if not side:
        return None
    (described,) = with_intervals(measured, TOTAL, row).iter_rows(named=True)
    count = on(described["faster" if side < 0 else "slower"], described["problems"])
    return Ratios.of(described), side < 0, count
