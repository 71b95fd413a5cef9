"""The order in which a race takes the problems: at random, and in turn from each kind, so that few
problems show all kinds.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence

import numpy as np
import polars as pl

from nqbench.problems.base import Problem
from nqbench.records.derived import FORMULA_FAMILY, with_derived


def draw_order(kinds: Sequence[Hashable], random: np.random.Generator) -> list[int]:
    """The numbers of the problems in random order: one of each kind, then another of each, and so
    on. `kinds` has the kind of each problem.
    """
    drawn_of_kind: dict[Hashable, int] = defaultdict(int)
    turns: dict[int, int] = {}
    for problem in random.permutation(len(kinds)).tolist():
        turns[problem] = drawn_of_kind[kinds[problem]]
        drawn_of_kind[kinds[problem]] += 1
    return sorted(turns, key=turns.__getitem__)


def kinds_of(problems: Sequence[Problem]) -> list[str]:
    """The kind of each problem: its `records.derived.FORMULA_FAMILY`."""
    columns = {
        "family": [problem.family for problem in problems],
        "instance": [problem.instance for problem in problems],
    }
    return with_derived(pl.DataFrame(columns), [FORMULA_FAMILY])[FORMULA_FAMILY].to_list()
