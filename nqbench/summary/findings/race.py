"""What a race shows: its leader, by the bounds of the runs that it stopped."""

from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter

from nqbench.common import metrics
from nqbench.common.units import amount, factor, is_time, number_and_noun, thousands
from nqbench.summary.bounded import Duel
from nqbench.summary.findings.wording import fit_names, listed, short
from nqbench.summary.paired import LEVEL


def of_race(duels: Sequence[Duel], problem: str, metric: str) -> Iterator[str]:
    """Name the leader of a race, those that it is typically faster than, with their averages, and
    those that are undecided.
    """
    if not duels:
        return
    first = duels[0]
    took = amount(first.leader_cost, metric)
    on = number_and_noun(first.leader_units, problem)
    yield (
        f"Of what a race measured, {short(first.leader)} leads with {took} per {problem} (PAR-2) "
        f"on {on}."
    )
    worse = sorted((duel for duel in duels if duel.p < LEVEL), key=attrgetter("ratio"))
    if worse:
        yield fit_names(partial(_worse, worse, metric))
    if others := [duel for duel in duels if duel not in worse]:
        yield fit_names(partial(_undecided, others))


def _worse(duels: Sequence[Duel], metric: str, max_names: int) -> str:
    better = "faster" if is_time(metric) else f"better, with fewer {metrics.noun(metric)},"
    names = [f"{short(duel.other)} ({_details(duel)})" for duel in duels]
    return f"It is typically {better} than {listed(names, max_names)}."


def _details(duel: Duel) -> str:
    """On how many problems it is faster, and by how much on average."""
    ahead = int((duel.logs[:, 0] < duel.logs[:, 1]).sum())
    least = "at least " if duel.capped else "about "
    count = f"on {thousands(ahead)} of {thousands(len(duel.logs))}"
    return f"{count}; {least}{factor(duel.ratio)} times on average"


def _undecided(duels: Sequence[Duel], max_names: int) -> str:
    names = [
        short(duel.other)
        + (f" ({number_and_noun(duel.capped, 'run')} capped)" if duel.capped else "")
        for duel in duels
    ]
    return f"Undecided: {listed(names, max_names)}."
