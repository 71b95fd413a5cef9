"""What a race shows: its leader, by the bounds of the runs that it stopped."""

from collections.abc import Iterator, Sequence
from operator import attrgetter

from nqbench.common import metrics
from nqbench.common.metrics import SCORE_NAME
from nqbench.common.units import amount, factor, is_time, number_and_noun, thousands
from nqbench.summary.bounded import Duel
from nqbench.summary.findings.wording import Fact, decided_in_words, short, with_names


def of_race(duels: Sequence[Duel], problem: str, metric: str) -> Iterator[Fact]:
    """The leader of a race, the combinations that it beats, the ones that beat it, and the
    undecided ones.
    """
    if not duels:
        return
    yield Fact(race_leader, duels[0], problem, metric)
    ordered = sorted(duels, key=attrgetter("ratio"))
    for write, typical in ((worse_than_leader, -1), (better_than_leader, 1)):
        if some := [duel for duel in ordered if duel.typical == typical]:
            yield Fact(write, some, metric)
    if others := [duel for duel in duels if not duel.typical]:
        yield Fact(undecided_in_race, others)


def first_in_brief(duels: Sequence[Duel], problem: str, metric: str) -> str:
    """Who leads a race, and of how many others what is decided; empty if nobody does."""
    if not duels:
        return ""
    verdicts = [duel.typical for duel in duels]
    counts = verdicts.count(-1), verdicts.count(1), verdicts.count(0)
    words = decided_in_words(counts, len(duels), _faster(metric).removesuffix(","))
    return f"{_lead(duels[0], problem, metric)}; {words}."


def race_leader(duel: Duel, problem: str, metric: str) -> str:
    """Name the leader, with its average."""
    return f"{_lead(duel, problem, metric)}."


def _lead(duel: Duel, problem: str, metric: str) -> str:
    took = amount(duel.leader_cost, metric)
    on = number_and_noun(duel.leader_units, problem)
    return (
        f"Of what a race measured, {short(duel.leader)} leads with {took} per {problem} "
        f"({SCORE_NAME}) on {on}"
    )


def worse_than_leader(duels: Sequence[Duel], metric: str) -> str:
    """Name those that the leader beats, with their averages."""
    names = [f"{short(duel.other)} ({_details(duel, metric)})" for duel in duels]
    return with_names(f"It is typically {_faster(metric)} than ", names)


def better_than_leader(duels: Sequence[Duel], metric: str) -> str:
    """Name those that beat the leader, with their averages."""
    names = [f"{short(duel.other)} ({_details(duel, metric)})" for duel in duels]
    verb = "are" if duels[1:] else "is"
    return with_names("Typically, ", names, f" {verb} {_faster(metric)} than it.")


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


def undecided_in_race(duels: Sequence[Duel]) -> str:
    """Name those of which nothing was decided."""
    names = [
        short(duel.other)
        + (f" ({number_and_noun(duel.capped, 'run')} capped)" if duel.capped else "")
        for duel in duels
    ]
    return with_names("Undecided: ", names)
