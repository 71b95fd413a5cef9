"""How often a race has the best combination leave, and whether its summary contradicts the grid.

    python tools/calibration_of_races.py                 all parts, in about ten minutes of CPU time
    python tools/calibration_of_races.py raced           these parts
    python tools/calibration_of_races.py --races 20      less exact; only prints the shares

The results are written to `results/reference/calibration.json`, from which `tools/generate.py`
makes the tables on pages. No race here ends because all that are left are equivalent.
"""

import argparse
import itertools
import math
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
import polars as pl

import nqbench
from nqbench import summary
from nqbench.campaign.racing.course import Course
from nqbench.campaign.racing.problem_order import draw_order
from nqbench.campaign.racing.rules import Average
from nqbench.summary import paired
from nqbench.summary.paired import LEVEL

sys.path[:0] = [str(Path(__file__).resolve().parent)]

import calibrated  # noqa: E402
from shapes import SPREAD, STEADY, lognormal  # noqa: E402

_signs = paired._signs
paired._signs = lru_cache(16)(lambda *arguments: [*_signs(*arguments)])

REFERENCE = Path(__file__).parents[1] / "results" / "reference"
PROBLEMS = (16, 64)
UNITS = (8, 15, 30)
WITHIN = 1.05

ONE = lognormal(0.5)
HEAVY = lognormal(1.5)

FIELDS = {
    "2 equal, of one shape": [(ONE, 1.0)] * 2,
    "typically equal: steady, spread": [(STEADY, 1.0), (HEAVY, 1.0)],
    "steady, and spread with 1.3 times its mean": [
        (STEADY, 1.0), (HEAVY, 1.3 * STEADY.mean / HEAVY.mean)
    ],
    "6 of one shape, 1 to 1.5 times": [(ONE, factor) for factor in np.linspace(1, 1.5, 6)],
    "10 of one shape, 1 to 8 times": [(ONE, factor) for factor in np.geomspace(1, 8, 10)],
}  # fmt: skip
"""The law and the scale of each combination."""


def course_over(costs, order, average, random, groups=None):
    """A race over these costs, of shape (problems, combinations), and the cost of its runs."""
    course, spent = Course(costs.shape[1], order, average, 0.95, 0, random, groups=groups), 0.0
    for batch in course.batches():
        for ask in batch:
            cost, cap = costs[ask.problem, ask.combination], course.cap(ask)
            course.note_cost(ask, min(cost, cap), is_bound=cost > cap)
            spent += min(cost, cap)
    return course, spent


def true_averages(field, average):
    """The true average of each combination; equal ones are exactly equal."""
    # A lognormal time and a steady one have the geometric mean 1.
    return np.array([
        scale * (law.mean if average is Average.MEAN else 1.0) for law, scale in field
    ])  # fmt: skip


def raced(races=100):
    """How often the truly best leaves, anybody leaves, and the last leader is within 5 % of the
    best, by each average; and the time as a share of that of the grid.
    """
    rows = []
    for (name, field), average in itertools.product(FIELDS.items(), Average):
        cells = []
        for problems in PROBLEMS:
            number = races if len(field) == 2 else races // 2
            found = [_race(seed, field, average, problems) for seed in range(number)]
            cells.append([*map(float, np.mean(found, axis=0))])
        rows.append({"field": name, "average": str(average), "cells": cells})
        print(*rows[-1].values(), file=sys.stderr, flush=True)
    return {"races": races, "problems": PROBLEMS, "rows": rows}


def _race(seed, field, average, problems):
    random = np.random.default_rng([seed, problems])
    hardness = random.lognormal(0, SPREAD, (problems, 1))
    costs = hardness * np.column_stack([s * law.draw(random, (problems,)) for law, s in field])
    order = random.permutation(problems).tolist()
    course, spent = course_over(costs, order, average, random)
    by_mean, typically = (true_averages(field, each) for each in Average)
    own = by_mean if average is Average.MEAN else typically
    is_only_best = (own <= own.min()).sum() == 1
    leader = course.leader
    return (
        is_only_best and int(own.argmin()) in course.gone,
        bool(course.gone),
        by_mean[leader] <= WITHIN * by_mean.min(),
        typically[leader] <= WITHIN * typically.min(),
        spent / costs.sum(),
    )


KINDS = (("independent", True), ("families", True), ("families", False))


def equal(races=100):
    """The shares of races between two equals in which one leaves, for each kind of problems and
    number of units: by mean and typically. Half of the variance of a combination is that of its
    family, of four problems.
    """
    rows = []
    for kind, is_given in KINDS:
        shares = {
            str(average): [
                float(np.mean([_of_equals(s, n, kind, average, is_given) for s in range(races)]))
                for n in UNITS
            ]
            for average in Average
        }
        rows.append({"problems": kind, "is_unit_given": is_given} | shares)
        print(*rows[-1].values(), file=sys.stderr, flush=True)
    return {"races": races, "units": UNITS, "rows": rows}


def _of_equals(seed, units, kind, average, is_given):
    random = np.random.default_rng(seed)
    size, sigma = (1, 0.5) if kind == "independent" else (4, 0.5 * math.sqrt(0.5))
    groups = np.repeat(np.arange(units), size)
    shared = 0.0 if size == 1 else random.normal(0, sigma, (units, 2))[groups]
    hardness = random.normal(0, SPREAD, (units, 1))[groups]
    costs = np.exp(hardness + shared + random.normal(0, sigma, (len(groups), 2)))
    is_grouped = is_given and size > 1
    order = draw_order(groups.tolist() if is_grouped else [""] * len(groups), random)
    course, _ = course_over(costs, order, average, random, groups if is_grouped else None)
    return bool(course.gone)


def records_of_race(records, seed):
    """The records of a race on these ones: some runs are capped, others are missing."""
    costs = summary.boards(records).with_columns(pair=summary.NAMED)
    wide = costs.pivot("pair", index=summary.BOARD, values="par2_s")
    names = [name for name in wide.columns if name not in summary.BOARD]
    wide = wide.drop_nulls(names)
    if len(wide) < 8 or len(names) < 2:
        return None
    grid, random = wide.select(names).to_numpy(), np.random.default_rng(seed)
    order = random.permutation(len(grid)).tolist()
    course = Course(len(names), order, Average.MEAN, 0.95, 0.05, random)
    bounds = {}
    for batch in course.batches():
        for ask in batch:
            cost, cap = grid[ask.problem, ask.combination], course.cap(ask)
            course.note_cost(ask, min(cost, cap), is_bound=cost > cap)
            bounds[ask.problem, ask.combination] = cap if cost > cap else None
    rows = [
        {**wide.row(problem, named=True), "pair": names[combination], "bound": bound}
        for (problem, combination), bound in bounds.items()
    ]
    keys = [*summary.BOARD, "pair"]
    asked = pl.DataFrame(rows, infer_schema_length=None).select(
        *keys, pl.col("bound").cast(pl.Float64)
    )
    asked = asked.cast({name: records.schema[name] for name in summary.BOARD})
    runs = records.with_columns(summary.NAMED).join(asked, on=keys, nulls_equal=True)
    is_capped = pl.col("bound").is_not_null()
    return runs.with_columns(
        outcome=pl.when(is_capped).then(pl.lit("capped")).otherwise("outcome"),
        solve_at_least_s=pl.col("bound"),
    ).drop("bound", "pair")


def contradictions(records, races):
    """Of the typical differences that summaries of races find, how many the grid finds as well, and
    of how many the opposite.
    """
    grid = {frozenset(pair): faster for pair, faster in _faster(records)}
    same = opposite = number = 0
    for seed in range(races):
        if (race := records_of_race(records, seed)) is None:
            return 0, 0, 0
        for pair, faster in _faster(race):
            truth = grid.get(frozenset(pair))
            number += 1
            same += truth == faster
            opposite += truth is not None and truth != faster
    return number, same, opposite


def _faster(records):
    """The pairs of which one is typically faster, and which."""
    for row in summary.comparisons(records).filter(pl.col("p") < LEVEL).iter_rows(named=True):
        pair = row["first"], row["second"]
        yield pair, pair[row["faster"] < row["slower"]]


def replayed(races=3):
    """The same of races on each family of each reference campaign."""
    rows = []
    for path in sorted(REFERENCE.glob("*/records.csv")):
        records = nqbench.read(path).filter(pl.col("repeat") == 0)
        for family, part in summary.by_family(records).items():
            number, same, opposite = contradictions(part, races)
            if number:
                row = {"campaign": path.parent.name, "family": family or "", "found": number}
                rows.append(row | {"same": same, "opposite": opposite})
                print(*rows[-1].values(), file=sys.stderr, flush=True)
    return {"races": races, "rows": rows}


PARTS = {"raced": raced, "equal_races": equal, "races": replayed}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--races", type=int, help="print the shares of so many races only")
    given = parser.parse_args()
    for name in given.parts or PARTS:
        found = {name: PARTS[name](*([given.races] if given.races else []))}
        if given.races is None:
            calibrated.store(found)
        print("\n".join(calibrated.table(name, found)), end="\n\n")


if __name__ == "__main__":
    main()
