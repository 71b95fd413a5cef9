"""The order of the runs of a grid: shuffled, and versions of one solver in turns."""

import random
from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nqbench.plugins.name_rules import unversioned
from nqbench.problems.base import Problem
from nqbench.records.record import Run
from nqbench.records.runs import Runs, compact, ranks


def shuffled_grid(
    problems: Sequence[Problem],
    templates: Sequence[Run],
    first_template: Sequence[int],
    pairs: int,
    repeats: int,
    *,
    seed: int,
) -> Runs:
    """Each problem with so many templates from `first_template` of the problem on, `repeats` times
    each, in an order shuffled by the seed, but versions of one solver in turns.
    """
    numbers = _shuffled(len(problems) * pairs * repeats, seed)
    repeat = compact(numbers % repeats)
    numbers //= repeats
    pair = compact(numbers % pairs)
    problem = compact(numbers // pairs)
    template = compact(first_template)[problem] + pair.astype(np.uint32)
    return _in_turns(Runs(problems, templates, problem, template, repeat))


def _shuffled(count: int, seed: int) -> NDArray[np.uint32]:
    """The numbers below `count` in the order that `random` gives a list of so many."""
    numbers = array("I", range(count))
    random.Random(seed).shuffle(numbers)
    return np.frombuffer(numbers, np.uint32)


def _in_turns(runs: Runs) -> Runs:
    """The runs in their order, but those that differ only in the version of the backend one after
    another, at the place of the first: each version is first as often as the others.
    """
    versioned = runs.of_templates(lambda run: unversioned(run.backend) != run.backend)
    if not versioned.any():
        return runs
    turn = runs.numbered(
        lambda problem: problem, lambda run: (run.encoding, unversioned(run.backend))
    )
    turn = ranks(turn) * (int(runs.repeat.max()) + 1) + runs.repeat
    turn[~versioned] = np.arange(turn.max() + 1, turn.max() + 1 + np.count_nonzero(~versioned))
    turn = ranks(turn)
    order = np.lexsort((runs.of_templates(lambda run: run.backend), turn))
    size = np.bincount(turn)[turn[order]]
    start = np.flatnonzero(np.diff(turn[order], prepend=-1))[turn[order]]
    place = start + (np.arange(len(runs)) - start - runs.repeat[order]) % size
    in_turns = np.empty_like(order)
    in_turns[place] = order
    return runs.chosen(in_turns)
