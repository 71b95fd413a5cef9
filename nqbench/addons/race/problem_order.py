"""The order in which a race takes the problems: at random, with each kind evenly among all, so that
few problems stand for the rest.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence

import numpy as np
import polars as pl

from nqbench.addons.race.rules import Groups
from nqbench.common.errors import InputError
from nqbench.common.spelling import suggestion
from nqbench.problems.base import Problem
from nqbench.records.derived import FORMULA_FAMILY, with_derived
from nqbench.summary.evidence import in_groups
from nqbench.summary.observed import GROUP


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
    return with_derived(_facts(problems), [FORMULA_FAMILY])[FORMULA_FAMILY].to_list()


def groups_of(problems: Sequence[Problem], column: str) -> Groups:
    """The number of the group of each problem: the value of this column of records, which has to
    be known before a run. Raises `InputError` as `evidence.in_groups` does.
    """
    facts = _facts(problems)
    known = [*facts.columns, FORMULA_FAMILY]
    if column not in known:
        raise InputError(f"unknown unit '{column}' of a race: {suggestion(column, known)}")
    groups = in_groups(facts, column).with_row_index("place")
    return groups.select(pl.coalesce(GROUP, pl.col("place").cast(pl.Int64)))[GROUP].to_numpy()


def _facts(problems: Sequence[Problem]) -> pl.DataFrame:
    """What records have of a problem before it is measured, a row for each."""
    names = ("family", "instance", "n", "density")
    columns = {name: [getattr(problem, name) for problem in problems] for name in names}
    return pl.DataFrame(columns, infer_schema_length=None)
