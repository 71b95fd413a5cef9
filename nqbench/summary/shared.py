"""What combinations have in common: how many problems, and the costs on these."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nqbench.common.metrics import SCORE
from nqbench.common.units import counted, thousands
from nqbench.summary.evidence import (
    UNIT,
    costs_by_unit,
    in_groups,
    problem_count,
    unit_groups,
    with_unit,
)
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import GROUP, NAMED, PAIR, THERE, differing
from nqbench.summary.paired import log_ratios
from nqbench.summary.series import noun


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many problems were measured, and how many of them with every combination on at least one
    machine.
    """

    common: int
    measured: int
    noun: str

    @property
    def caution(self) -> str:
        """What to say beside times and ranks of these problems; empty if all are compared."""
        if self.common == self.measured:
            return ""
        if not self.common:
            return (
                f"No {self.noun} was measured with every combination: times are not comparable, "
                "and there is no order."
            )
        part = f"{thousands(self.common)} of {thousands(self.measured)} {self.noun}s"
        return f"Times and order are of the {part} that every combination was measured on."

    @property
    def note(self) -> str:
        """What to say below a figure of these problems; empty if all are compared."""
        if self.common == self.measured:
            return ""
        problems = counted(self.measured, self.noun)
        return f"Of {problems}, only the {self.common} that every combination ran on"


def coverage(records: Records) -> Coverage:
    """On how many of the problems of these records all combinations were measured."""
    measured = Measured.of(records)
    common, total = (
        problem_count(runs.records) for runs in (measured.on_common, measured.possible)
    )
    return Coverage(common, total, noun(measured.records))


_MOST_SETS: Final = 24
"""Different sets of problems that are compared two by two, which takes 0.1 s for each two."""


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Costs, their logarithms and whether they are of solved problems, of shape (problems,
    combinations), on what each of these `pairs` of combinations ran.

    `units` are the numbers of the problems' units of evidence, `limits` the limits of the problems,
    NaN if there is none; `pairs` has shape (pairs, 2). `ran` says which of the costs there are, if
    not all: a pair is compared on the problems that both have.
    """

    names: Sequence[str]
    units: NDArray[np.intp]
    costs: NDArray[np.float64]
    logs: NDArray[np.float64]
    solved: NDArray[np.bool_]
    limits: NDArray[np.float64]
    pairs: NDArray[np.intp]
    ran: NDArray[np.bool_] | None = None

    def both(self, first: int, second: int) -> NDArray[np.bool_] | slice:
        """The places of the problems that both of a pair ran."""
        return slice(None) if self.ran is None else self.ran[:, first] & self.ran[:, second]

    def log_ratios(self, first: int, second: int) -> NDArray[np.float64]:
        """The differences of a pair on what both ran, as `paired.log_ratios` has them."""
        rows, both = self.both(first, second), [first, second]
        logs, solved = self.logs[rows][:, both].T, self.solved[rows][:, both].T
        return log_ratios(*logs, *solved)


def shared_costs(measured: Measured, time: str) -> list[Shared]:
    """The costs of every two combinations, on the problems that both ran, on each machine under one
    limit. Combinations that ran on the same ones are in one object. If there are
    more than `_MOST_SETS` different sets of problems, all are compared on the common ones.
    """
    if measured.possible.records.is_empty():
        return []
    sets = _sets(measured)
    if len(sets) == 1 or len(sets) > _MOST_SETS:
        return [_shared(measured, time, None)]
    records = with_unit(measured.possible.records)
    if _is_alike(records):
        return [_as_it_ran(Measured(records), time)]
    found = []
    for one, other in itertools.combinations_with_replacement(sets, 2):
        if one is other and len(one) < 2:
            continue
        part = Measured(records.filter(NAMED.is_in([*one, *other])))
        shared = _shared(part, time, None if one is other else (one, other))
        if len(shared.units):
            found.append(shared)
    return found


def _sets(measured: Measured) -> list[list[str]]:
    """The names of the combinations that ran on the same problems, in groups."""
    runs = measured.possible.records
    if len(measured.on_common.records) == len(runs):
        return [runs.select(PAIR).unique().select(NAMED)["pair"].sort().to_list()]
    keys = [*differing(runs, THERE), "time_limit_s"]
    ran = runs.select(*PAIR, *keys).unique().with_columns(NAMED)
    marks = ran.group_by("pair").agg(mark=pl.struct(keys).hash(seed=0).sum())
    groups = marks.sort("pair").group_by("mark", maintain_order=True).agg("pair")
    return groups["pair"].to_list()


def _is_alike(records: pl.DataFrame) -> bool:
    """Whether the combinations that ran a unit ran the same of it: on the same machines, under the
    same limits. What it costs one then does not depend on the other.
    """
    if GROUP in records.columns:  # of which each may have run other problems
        return False
    keys = [*differing(records, THERE), "time_limit_s"]
    ran = records.select(UNIT, *PAIR, *keys).unique()
    marks = ran.group_by(UNIT, *PAIR).agg(mark=pl.struct(keys).hash(seed=0).sum())
    return len(marks.select(UNIT, "mark").unique()) == marks[UNIT].n_unique()


def _as_it_ran(measured: Measured, time: str) -> Shared:
    """The costs of all combinations on what each ran, where two of them ran it."""
    table = costs_by_unit(measured.boards(time, THERE))
    every = _of_problems(table.filter(pl.len().over(UNIT) > 1), None, None)
    if every.ran is None:
        return every
    both = every.ran.T.astype(np.int64) @ every.ran
    first, second = every.pairs.T
    return replace(every, pairs=every.pairs[both[first, second] > 0])


def _shared(
    measured: Measured, time: str, sides: tuple[Sequence[str], Sequence[str]] | None
) -> Shared:
    """The costs of these records, with pairs of one of each side, or with all."""
    groups = unit_groups(measured.common(time))
    return _of_problems(measured.unit_costs(time), groups, sides)


def costs_in_groups(measured: Measured, time: str, column: str) -> Shared:
    """The costs of all combinations on the common problems, where the units are the groups by this
    column.
    """
    costs = in_groups(measured.common(time), column)
    return _of_problems(costs_by_unit(costs), unit_groups(with_unit(costs)), None)


def _of_problems(
    table: pl.DataFrame,
    groups: pl.DataFrame | None,
    sides: tuple[Sequence[str], Sequence[str]] | None,
) -> Shared:
    # Not `np.unique`, which compares a million Python strings.
    pairs_of_rows = table.select(NAMED).to_series()
    names = pairs_of_rows.unique().sort()
    places = pairs_of_rows.rank("dense").to_numpy() - 1
    problems, rows = np.unique(table[UNIT].to_numpy(), return_inverse=True)
    shape = len(problems), len(names)
    costs, logs, ran, solved = (np.full(shape, value) for value in (np.nan, np.nan, False, False))
    costs[rows, places], logs[rows, places] = table[SCORE], table["log_s"]
    ran[rows, places], solved[rows, places] = True, table["solved"]
    limits = np.full(len(problems), np.nan)
    limits[rows] = table["limit_s"].to_numpy()
    units = problems
    if groups is not None:
        numbers = groups.sort(UNIT).filter(pl.col(UNIT).is_in(problems.tolist()))
        units = numbers[GROUP].to_numpy()
    pairs = [
        (i, j)
        for i, j in itertools.combinations(range(len(names)), 2)
        if sides is None or (names[i] in sides[0]) != (names[j] in sides[0])
    ]
    return Shared(
        names.to_list(),
        units.astype(np.intp),
        costs,
        logs,
        solved,
        limits,
        np.array(pairs, dtype=np.intp).reshape(-1, 2),
        None if ran.all() else ran,
    )
