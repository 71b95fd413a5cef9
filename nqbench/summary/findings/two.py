"""What is decided of two combinations, and what is not."""

import math
from collections.abc import Iterator
from statistics import NormalDist
from typing import Final

from nqbench.common.units import factor, number_and_noun, percent, thousands
from nqbench.summary.findings.fact import Fact
from nqbench.summary.findings.leaders import Ratios, Rival, Standings
from nqbench.summary.findings.phrases import Phrases, in_brackets, interval, on
from nqbench.summary.findings.wording import LONGEST, needed_range, short
from nqbench.summary.paired import LEVEL

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
