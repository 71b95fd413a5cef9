"""The costs of combinations on what two of them ran."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nqbench.summary.evidence import UNIT, costs_by_unit, in_groups, with_unit
from nqbench.summary.measured import Measured
from nqbench.summary.observed import NAMED, THERE, differing

_MOST_SETS: Final = 24
"""Different sets of problems that are compared two by two, which takes 0.1 s for each two."""


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Costs and their logarithms, of shape (units, combinations), on what each of these `pairs` of
    combinations ran. `units` are the numbers of the units, `pairs` has shape (pairs, 2).
    """

    names: Sequence[str]
    units: NDArray[np.intp]
    costs: NDArray[np.float64]
    logs: NDArray[np.float64]
    pairs: NDArray[np.intp]


def shared_costs(measured: Measured, time: str) -> list[Shared]:
    """The costs of every two combinations, on the problems that both ran, on each machine under one
    limit and equally often. Combinations that ran on the same ones are in one object. If there are
    more than `_MOST_SETS` different sets of problems, all are compared on the common ones.
    """
    sets = _sets(measured)
    if len(sets) == 1 or len(sets) > _MOST_SETS:
        return [_shared(measured, time, None)]
    records = with_unit(measured.possible.records)
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
        return [runs.select(NAMED.unique().sort())["pair"].to_list()]
    keys = [*differing(runs, THERE), "time_limit_s"]
    ran = runs.group_by(NAMED, *keys).len()
    marks = ran.group_by("pair").agg(mark=pl.struct(*keys, "len").hash(seed=0).sum())
    groups = marks.sort("pair").group_by("mark", maintain_order=True).agg("pair")
    return groups["pair"].to_list()


def _shared(
    measured: Measured, time: str, sides: tuple[Sequence[str], Sequence[str]] | None
) -> Shared:
    """The costs of these records, with pairs of one of each side, or with all."""
    return _of_units(measured.evidence(time), sides)


def costs_in_groups(measured: Measured, time: str, column: str) -> Shared:
    """The costs of all combinations on the common problems, of each group by this column."""
    groups = in_groups(measured.common(time), column)
    return _of_units(costs_by_unit(groups, in_problems=False), None)


def _of_units(table: pl.DataFrame, sides: tuple[Sequence[str], Sequence[str]] | None) -> Shared:
    table = table.with_columns(NAMED)
    names = table["pair"].unique().sort().to_list()
    wide = table.pivot("pair", index=UNIT, values=["par2_s", "log_s"]).sort(UNIT)
    pairs = [
        (i, j)
        for i, j in itertools.combinations(range(len(names)), 2)
        if sides is None or (names[i] in sides[0]) != (names[j] in sides[0])
    ]
    columns = [f"{value}_{name}" for value in ("par2_s", "log_s") for name in names]
    if len(names) < 2:
        columns = [name for name in wide.columns if name != UNIT]
    values = wide.select(columns).to_numpy() if columns else np.zeros((0, 0))
    return Shared(
        names,
        wide[UNIT].to_numpy().astype(np.intp),
        values[:, : len(names)],
        values[:, len(names) :],
        np.array(pairs, dtype=np.intp).reshape(-1, 2),
    )
