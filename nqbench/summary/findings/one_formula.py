"""Which combination is fastest on one formula, from its shuffles."""

import math
from collections.abc import Iterator, Sequence

from nqbench.common import metrics
from nqbench.common.units import amount, is_time, percent, percents, thousands
from nqbench.summary.findings.wording import Fact, short, with_names
from nqbench.summary.paired import LEVEL
from nqbench.summary.shuffles import Samples


def one_formula(samples: Sequence[Samples], problem: str, metric: str) -> Iterator[Fact]:
    """Compare the combination of the least PAR-2 with the others, as samples of their times."""
    first = samples[0].first
    rivals = [one for one in samples if one.first == first]
    costs = rivals[0].costs[0]
    less = "less" if is_time(metric) else f"fewer {metrics.noun(metric)}"
    if different := [one for one in rivals if one.p < LEVEL]:
        yield Fact(less_on_formula, different, problem, less)
    if others := [one for one in rivals if one.p >= LEVEL]:
        yield Fact(undecided_on_formula, others, problem, less)
    yield Fact(average_of_shuffles, first, float(costs.mean()), len(costs), problem, metric)


def average_of_shuffles(name: str, mean: float, shuffles: int, problem: str, metric: str) -> str:
    """The average of the first one, and what that does not show."""
    return (
        f"With {shuffles} shuffles or seeds, {short(name)} takes about {amount(mean, metric)} on "
        f"average. Other {problem}s may differ: one {problem} is one piece of evidence."
    )


def less_on_formula(rivals: Sequence[Samples], problem: str, less: str) -> str:
    """Name those that take more than the first one, and in how many pairs of runs."""
    details = [f"{short(one.second)} in {_describe_share(one)}" for one in rivals]
    return with_names(f"On this {problem}, {short(rivals[0].first)} takes {less} than ", details)


def _describe_share(one: Samples) -> str:
    low, high = one.share_interval()
    return f"{percent(one.share)} of pairs of runs ({percents(low)} to {percent(high)})"


def undecided_on_formula(rivals: Sequence[Samples], problem: str, less: str) -> str:
    """Name those that are undecided, and how many shuffles would decide."""
    details = [f"{short(one.second)} ({_needed(one, less)})" for one in rivals]
    return with_names(f"On this {problem}, {short(rivals[0].first)} is undecided against ", details)


def _needed(one: Samples, less: str) -> str:
    """Its share, and how many shuffles of each would decide, as a range; no number if all times are
    equal.
    """
    if one.are_equal:
        return "equal in all runs"
    low, high = one.needed()
    least = thousands(math.ceil(low))
    numbers = (
        f"at least {least}" if math.isinf(high) else f"{least} to {thousands(math.ceil(high))}"
    )
    return f"{less} in {percent(one.share)} of pairs, {numbers} shuffles needed"
