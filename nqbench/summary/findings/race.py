"""What a race shows: its leader, by the bounds of the runs that it stopped."""

from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter

from nqbench.common import metrics
from nqbench.common.units import amount, factor, is_time, thousands
from nqbench.summary.bounded import Duel
from nqbench.summary.exchanges import SIGNIFICANT
from nqbench.summary.findings.wording import fit_names, listed, number_and_noun, short


def of_race(duels: Sequence[Duel], problem: str, metric: str) -> Iterator[str]:
    """Name the leader of a race, those that are significantly worse, and by how much at least, and
    those that cannot be distinguished from it.
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
    worse = sorted((duel for duel in duels if duel.p < SIGNIFICANT), key=attrgetter("ratio"))
    end = " (exchange test, at the level of the race)."
    if worse:
        yield fit_names(partial(_worse, worse, metric, end))
        end = "."
    if others := [duel for duel in duels if duel not in worse]:
        yield fit_names(partial(_undecided, others, end))


def _worse(duels: Sequence[Duel], metric: str, end: str, max_names: int) -> str:
    fewer = f"needs significantly fewer {metrics.noun(metric)}"
    better = "is significantly faster" if is_time(metric) else fewer
    least = "at least " if any(duel.capped for duel in duels) else ""
    if len(duels) == 1:
        takes = f"{short(duels[0].other)}, which takes {least}{factor(duels[0].ratio)}"
    else:
        ratios = " to ".join(
            factor(duel.ratio) + (f" ({short(duel.other)})" if max_names > 1 else "")
            for duel in (duels[0], duels[-1])
        )
        takes = f"{thousands(len(duels))} others, which take {least}{ratios}"
    as_much = "long" if is_time(metric) else "many"
    return f"It {better} than {takes} times as {as_much} on what both ran{end}"


def _undecided(duels: Sequence[Duel], end: str, max_names: int) -> str:
    names = [
        short(duel.other)
        + (f" ({number_and_noun(duel.capped, 'run')} capped)" if duel.capped else "")
        for duel in duels
    ]
    return f"It cannot be distinguished from {listed(names, max_names)}{end}"
