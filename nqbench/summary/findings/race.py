"""What a race shows: its leader, by the bounds of the runs that it stopped."""

from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter

from nqbench.common import metrics
from nqbench.common.units import amount, factor, is_time, number_and_noun, thousands
from nqbench.summary.bounded import Duel
from nqbench.summary.findings.wording import decided_in_words, fit_names, listed, short


def of_race(duels: Sequence[Duel], problem: str, metric: str) -> Iterator[str]:
    """Name the leader of a race, the combinations that it beats, with their averages, the ones that
    beat it, and the undecided ones.
    """
    if not duels:
        return
    yield f"{_lead(duels[0], problem, metric)}."
    ordered = sorted(duels, key=attrgetter("ratio"))
    if worse := [duel for duel in ordered if duel.typical < 0]:
        yield fit_names(partial(_worse, worse, metric))
    if better := [duel for duel in ordered if duel.typical > 0]:
        yield fit_names(partial(_better, better, metric))
    if others := [duel for duel in duels if not duel.typical]:
        yield fit_names(partial(_undecided, others))


def first_in_brief(duels: Sequence[Duel], problem: str, metric: str) -> str:
    """Who leads a race, and of how many others what is decided; empty if nobody does."""
    if not duels:
        return ""
    verdicts = [duel.typical for duel in duels]
    counts = verdicts.count(-1), verdicts.count(1), verdicts.count(0)
    words = decided_in_words(counts, len(duels), _faster(metric).removesuffix(","))
    return f"{_lead(duels[0], problem, metric)}; {words}."


def _lead(duel: Duel, problem: str, metric: str) -> str:
    took = amount(duel.leader_cost, metric)
    on = number_and_noun(duel.leader_units, problem)
    return (
        f"Of what a race measured, {short(duel.leader)} leads with {took} per {problem} (PAR-2) "
        f"on {on}"
    )


def _worse(duels: Sequence[Duel], metric: str, max_names: int) -> str:
    names = [f"{short(duel.other)} ({_details(duel, metric)})" for duel in duels]
    return f"It is typically {_faster(metric)} than {listed(names, max_names)}."


def _better(duels: Sequence[Duel], metric: str, max_names: int) -> str:
    names = [f"{short(duel.other)} ({_details(duel, metric)})" for duel in duels]
    verb = "is" if len(duels) == 1 else "are"
    return f"Typically, {listed(names, max_names)} {verb} {_faster(metric)} than it."


def _faster(metric: str) -> str:
    return "faster" if is_time(metric) else f"better, with fewer {metrics.noun(metric)},"


def _details(duel: Duel, metric: str) -> str:
    """On how many problems the typically faster one is faster, and what the other one of the race
    takes on average, as a multiple of the leader's cost.
    """
    ahead = int((duel.logs @ [1, -1] * duel.typical > 0).sum())
    least = "at least " if duel.capped else "about "
    count = f"on {thousands(ahead)} of {thousands(len(duel.logs))}"
    as_long = "as long" if is_time(metric) else f"as many {metrics.noun(metric)}"
    return f"{count}; on average {least}{factor(duel.ratio)} times {as_long}"


def _undecided(duels: Sequence[Duel], max_names: int) -> str:
    names = [
        short(duel.other)
        + (f" ({number_and_noun(duel.capped, 'run')} capped)" if duel.capped else "")
        for duel in duels
    ]
    return f"Undecided: {listed(names, max_names)}."
