"""The order in which a race takes the problems: at random, with each kind evenly among all, so that
few problems stand for the rest.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence

import numpy as np
import polars as pl

from nqbench.problems.base import Problem
from nqbench.records.derived import FORMULA_FAMILY, with_derived


def draw_order(kinds: Sequence[Hashable], random: np.random.Generator) -> list[int]:
    """The numbers of the problems in random order, those of each kind evenly among all. `kinds` has
    the kind of each problem.
    """
    of_kind: dict[Hashable, list[int]] = defaultdict(list)
    for problem in random.permutation(len(kinds)).tolist():
        of_kind[kinds[problem]].append(problem)
    place = {
        problem: (number + offset) / len(problems)
        for problems, offset in zip(of_kind.values(), random.random(len(of_kind)), strict=True)
        for number, problem in enumerate(problems)
    }
    return sorted(place, key=place.__getitem__)


def kinds_of(problems: Sequence[Problem]) -> list[str]:
    """The kind of each problem: its `records.derived.FORMULA_FAMILY`."""
    columns = {
        "family": [problem.family for problem in problems],
        "instance": [problem.instance for problem in problems],
    }
    return with_derived(pl.DataFrame(columns), [FORMULA_FAMILY])[FORMULA_FAMILY].to_list()
