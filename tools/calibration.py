"""How often the tests of a summary err, and how often they find what is there, by simulation.

    python tools/calibration.py                  all, 1,000 campaigns each: 10 min
    python tools/calibration.py --campaigns 100  less exact
    python tools/calibration.py --races          races replayed on the reference campaigns: 3 min

A campaign has four combinations with lognormal costs (sigma 2 over the problems, 0.5 for each
combination), of which about 5 % are over the limit and count twice that. An error is a campaign in
which any difference is found and none is there. With copies, each unit is twelve problems whose
costs differ by 1 %; with families, half of the variance of a combination is that of its unit, of
four problems. Units are given or, for comparison, are not.

The standard error of a share of 1,000 campaigns is 0.7 % at 5 %.
"""

import argparse
import itertools
import math
from pathlib import Path

import numpy as np
import polars as pl

import nqbench
from nqbench import summary
from nqbench.campaign.racing.course import Course
from nqbench.campaign.racing.rules import Average
from nqbench.summary.exchanges import SIGNIFICANT, Block, exchange
from nqbench.summary.findings.power import problems_for
from nqbench.summary.signed_ranks import signed_rank

UNITS = (8, 15, 30, 60)
LIMIT = 30.0
COMBINATIONS = 4
PAIRS = np.array([*itertools.combinations(range(COMBINATIONS), 2)])
REFERENCE = Path(__file__).parents[1] / "results" / "reference"


def costs_of(random, units, kind, factor=1.0):
    """Costs of shape (problems, combinations), and the unit of each problem. The first combination
    takes this factor of the others.
    """
    size = {"independent": 1, "copies": 12, "families": 4}[kind]
    problems = random.lognormal(0, 2, (units, 1))
    own, shared = {"independent": (0.5, 0), "copies": (0.01, 0.5), "families": (0.35, 0.35)}[kind]
    of_units = problems * random.lognormal(0, shared, (units, COMBINATIONS)) if shared else problems
    costs = np.repeat(of_units, size, axis=0)
    costs = costs * random.lognormal(0, own, (units * size, COMBINATIONS))
    costs[:, 0] *= factor
    costs = np.where(costs > LIMIT, 2 * LIMIT, costs)
    return costs, np.repeat(np.arange(units), size)


def in_units(values, units):
    """The means of the values of each unit."""
    return np.array([values[units == unit].mean(axis=0) for unit in np.unique(units)])


def differences(costs, logs):
    """Whether any difference is found on average, and on the typical unit."""
    exchanged = exchange([Block(costs, np.arange(len(costs)), PAIRS)])
    typical = [signed_rank(logs[:, i] - logs[:, j]) for i, j in PAIRS]
    return exchanged.joint_p.min() < SIGNIFICANT, min(typical) * len(PAIRS) < SIGNIFICANT


def errors(campaigns, units, kind, *, are_given):
    """The shares of campaigns with a difference that is none, on average and typically."""
    found = []
    for seed in range(campaigns):
        costs, groups = costs_of(np.random.default_rng(seed), units, kind)
        groups = groups if are_given else np.arange(len(costs))
        found.append(differences(in_units(costs, groups), in_units(np.log(costs), groups)))
    return np.mean(found, axis=0)


def power(campaigns, units, gain):
    """The share of campaigns in which the first is found faster than the second, which is slower by
    this gain: on average and typically.
    """
    found = []
    for seed in range(campaigns):
        costs, _ = costs_of(np.random.default_rng(seed), units, "independent", 1 - gain)
        exchanged = exchange([Block(costs, np.arange(units), PAIRS)])
        is_found = exchanged.joint_p[0] < SIGNIFICANT and exchanged.statistic[0] < 0
        typical = signed_rank(np.log(costs[:, 0] / costs[:, 1])) * len(PAIRS) < SIGNIFICANT
        found.append((is_found, typical and np.median(costs[:, 0] / costs[:, 1]) < 1))
    return np.mean(found, axis=0)


def held_ranges(campaigns, units, gain):
    """The share of pilots whose range of problems holds the number that gives a power of 80 %, by
    normal approximation of a million problems.
    """
    random = np.random.default_rng(0)
    drawn, _ = costs_of(random, 1_000_000, "independent", 1 - gain)
    many = drawn[:, 0] - drawn[:, 1]
    critical = 1.96
    enough = ((critical + 0.8416) / (many.mean() / math.sqrt((many**2).mean()))) ** 2
    held = []
    for seed in range(campaigns):
        costs, _ = costs_of(np.random.default_rng(seed), units, "independent", 1 - gain)
        one = costs[:, 0] - costs[:, 1]
        low, high = problems_for(one.sum() / np.linalg.norm(one), critical, units)
        held.append(low <= max(enough, units + 1) <= high)
    return np.mean(held)


def raced(records, seed):
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
    """Of the differences that summaries of races find, how many the grid finds as well, and of how
    many the opposite.
    """
    grid = {}
    for row in summary.comparisons(records).iter_rows(named=True):
        if row["p"] < SIGNIFICANT:
            pair = row["first"], row["second"]
            grid[frozenset(pair)] = pair[row["mean_ratio"] > 1]
    same = opposite = number = 0
    for seed in range(races):
        if (race := raced(records, seed)) is None:
            return 0, 0, 0
        for row in (
            summary.comparisons(race).filter(pl.col("p") < SIGNIFICANT).iter_rows(named=True)
        ):
            pair = row["first"], row["second"]
            faster, truth = pair[row["mean_ratio"] > 1], grid.get(frozenset(pair))
            number += 1
            same += truth == faster
            opposite += truth is not None and truth != faster
    return number, same, opposite


def print_simulations(campaigns):
    print(f"Errors of {campaigns} campaigns of four equal combinations (on average, typically):")
    for kind, are_given in (
        ("independent", True), ("copies", True), ("families", True), ("copies", False),
        ("families", False),
    ):  # fmt: skip
        shares = [errors(campaigns, units, kind, are_given=are_given) for units in UNITS]
        cells = "  ".join(f"{100 * a:4.1f} {100 * b:4.1f} %" for a, b in shares)
        print(f"  {kind:12} units {'given' if are_given else 'not given':9} {cells}")
    print("Power (on average, typically) for 8, 15, 30, 60 problems:")
    for gain in (0.05, 0.1, 0.3):
        shares = [power(campaigns, units, gain) for units in UNITS]
        print(
            f"  {gain:4.0%} faster "
            + "  ".join(f"{100 * a:3.0f} {100 * b:3.0f} %" for a, b in shares)
        )
    print("Ranges of problems that hold the number, for 8, 15, 30, 60 problems:")
    for gain in (0.1, 0.3):
        shares = [held_ranges(campaigns, units, gain) for units in UNITS]
        print(f"  {gain:4.0%} faster " + "  ".join(f"{100 * share:3.0f} %" for share in shares))


def print_races(races):
    print(f"Differences in summaries of {races} races each: found, also in the grid, opposite:")
    for path in sorted(REFERENCE.glob("*/records.csv")):
        records = nqbench.read(path).filter(pl.col("repeat") == 0)
        for family, part in summary.by_family(records).items():
            number, same, opposite = contradictions(part, races)
            if number:
                print(f"  {path.parent.name:14} {family:16} {number:5} {same:5} {opposite:5}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--campaigns", type=int, default=1000)
    parser.add_argument("--races", action="store_true", help="replay races instead")
    given = parser.parse_args()
    if given.races:
        print_races(max(1, given.campaigns // 100))
    else:
        print_simulations(given.campaigns)
