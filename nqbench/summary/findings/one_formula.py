"""Which combination is fastest on one formula, from its shuffles."""

import math
from collections.abc import Iterator, Sequence
from functools import partial

from nqbench.common import metrics
from nqbench.common.units import amount, is_time, percent, percents, thousands
from nqbench.summary.findings.wording import fit_names, listed, short
from nqbench.summary.paired import LEVEL
from nqbench.summary.shuffles import Samples


def one_formula(samples: Sequence[Samples], problem: str, metric: str) -> Iterator[str]:
    """Compare the combination of the least PAR-2 with the others, as samples of their times."""
    first = samples[0].first
    rivals = [one for one in samples if one.first == first]
    costs = rivals[0].costs[0]
    less = "less" if is_time(metric) else f"fewer {metrics.noun(metric)}"
    if different := [one for one in rivals if one.p < LEVEL]:
        yield fit_names(partial(_different, first, different, problem, less))
    if others := [one for one in rivals if one.p >= LEVEL]:
        yield fit_names(partial(_undecided, first, others, problem, less))
    took = amount(float(costs.mean()), metric)
    yield (
        f"With {len(costs)} shuffles or seeds, {short(first)} takes about {took} on average. Other "
        f"{problem}s may differ: one {problem} is one piece of evidence."
    )


def _different(
    first: str, rivals: Sequence[Samples], problem: str, less: str, max_names: int
) -> str:
    details = [f"{short(one.second)} in {_describe_share(one)}" for one in rivals]
    return f"On this {problem}, {short(first)} takes {less} than {listed(details, max_names)}."


def _describe_share(one: Samples) -> str:
    low, high = one.share_interval()
    return f"{percent(one.share)} of pairs of runs ({percents(low)} to {percent(high)})"


def _undecided(
    first: str, rivals: Sequence[Samples], problem: str, less: str, max_names: int
) -> str:
    details = [f"{short(one.second)} ({_needed(one, less)})" for one in rivals]
    return f"On this {problem}, {short(first)} is undecided against {listed(details, max_names)}."


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
