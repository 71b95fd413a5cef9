"""What the problems of a plan can decide about its combinations, before anything is measured."""

from collections.abc import Iterator, Sequence
from typing import Final

from nqbench.problems.queens import Queens
from nqbench.records.record import Run
from nqbench.summary.power import can_find
from nqbench.summary.shuffles import FEWEST as FEWEST_SHUFFLES

_MOST: Final = 3
"""Families of which each gets a sentence."""


def decidable(runs: Sequence[Run]) -> Iterator[str]:
    """Say for each family what so many problems can find, in a sentence or two; nothing about one
    combination, and about one problem whose shuffles or seeds are compared.
    """
    families: dict[str, list[Run]] = {}
    for run in runs:
        families.setdefault(run.problem.family, []).append(run)
    sentences = {}
    for family, own in families.items():
        problems = {run.problem for run in own}
        combinations = {(run.encoding, run.backend) for run in own}
        repeats = max(run.repeat for run in own) + 1
        if len(combinations) < 2 or (len(problems) == 1 and repeats >= FEWEST_SHUFFLES):
            continue
        noun = "formula" if not any(problem.has_rules for problem in problems) else "problem"
        noun = "board" if all(isinstance(problem, Queens) for problem in problems) else noun
        sentences[family] = can_find(len(problems), len(combinations), noun)
    if len(sentences) == 1:
        yield from sentences.values()
    else:
        yield from (f"{name}: {text}" for name, text in list(sentences.items())[:_MOST])
