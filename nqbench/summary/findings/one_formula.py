"""Which combination is fastest on one formula, from its shuffles."""

import math
from collections.abc import Iterator, Sequence
from functools import partial

from nqbench.common.units import amount, factor, percent, percents, thousands
from nqbench.summary.exchanges import SIGNIFICANT
from nqbench.summary.findings.wording import fit_names, listed, short
from nqbench.summary.shuffles import Samples


def one_formula(samples: Sequence[Samples], problem: str, metric: str) -> Iterator[str]:
    """Compare the combination of the least PAR-2 with the others, as samples of their times."""
    first = samples[0].first
    rivals = [one for one in samples if one.first == first]
    costs = rivals[0].costs[0]
    took = amount(float(costs.mean()), metric)
    yield (
        f"On one {problem} with {len(costs)} shuffles or seeds, {short(first)} takes least on "
        f"average: about {took} (PAR-2). Other {problem}s may differ."
    )
    end = " (Mann-Whitney test, Holm's correction)."
    if different := [one for one in rivals if one.p < SIGNIFICANT]:
        yield fit_names(partial(_different, different, end))
        end = "."
    if others := [one for one in rivals if one.p >= SIGNIFICANT]:
        yield fit_names(partial(_undecided, others, end))


def _different(rivals: Sequence[Samples], end: str, max_names: int) -> str:
    details = [f"{short(one.second)} ({_describe_share(one)})" for one in rivals]
    return f"The times differ: it takes less than {listed(details, max_names)}{end}"


def _describe_share(one: Samples) -> str:
    low, high = one.share_interval()
    words = f"in {percent(one.share)} of pairs, {percents(low)} to {percent(high)}"
    if one.mean_ratio is None:
        return words
    ends = " to ".join(map(factor, one.mean_interval()))
    return f"{words}; about {factor(one.mean_ratio)} times as long, {ends}"


def _undecided(rivals: Sequence[Samples], end: str, max_names: int) -> str:
    details = [f"{short(one.second)} ({_needed(one)})" for one in rivals]
    return f"The times cannot be distinguished from those of {listed(details, max_names)}{end}"


def _needed(one: Samples) -> str:
    """Its share, and how many shuffles of each would decide, as a range."""
    low, high = one.needed()
    least = thousands(math.ceil(low))
    numbers = (
        f"at least {least}" if math.isinf(high) else f"{least} to {thousands(math.ceil(high))}"
    )
    return f"less in {percent(one.share)} of pairs, {numbers} shuffles needed"
