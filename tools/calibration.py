"""How often the tests of a summary err, and how often they find what is there, by simulation.

    python tools/calibration.py                  1,000 campaigns each
    python tools/calibration.py --again          cells over 5 % once more, with other campaigns
    python tools/calibration.py --races 10       races replayed on each reference campaign
    python tools/calibration.py --equal-races    races between two equals, 400 of each
    python tools/calibration.py --campaigns 100  less exact; only prints the shares

The results are written to `results/reference/calibration.json`, from which `tools/generate.py`
makes the tables on pages. Processes share the campaigns.

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
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import polars as pl

import nqbench
from nqbench import summary
from nqbench.campaign.racing.course import Course
from nqbench.campaign.racing.problem_order import draw_order
from nqbench.campaign.racing.rules import Average
from nqbench.summary import exchanges
from nqbench.summary.exchanges import SIGNIFICANT, Block, exchange
from nqbench.summary.power import problems_for
from nqbench.summary.signed_ranks import signed_rank

sys.path[:0] = [str(Path(__file__).resolve().parent)]

import calibrated  # noqa: E402

_signs = exchanges._signs
# All campaigns of one size use the same signs. To draw them takes longer than the test.
exchanges._signs = lru_cache(1)(lambda units: [*_signs(units)])

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


def errors(campaigns, units, kind, *, are_given, run=map, first=0):
    """The shares of campaigns with a difference that is none, on average and typically. `first` is
    the seed of the first one.
    """
    look = partial(_look_for_errors, units=units, kind=kind, are_given=are_given)
    return np.mean([*run(look, range(first, first + campaigns))], axis=0)


def _look_for_errors(seed, units, kind, *, are_given):
    costs, groups = costs_of(np.random.default_rng(seed), units, kind)
    groups = groups if are_given else np.arange(len(costs))
    return differences(in_units(costs, groups), in_units(np.log(costs), groups))


def power(campaigns, units, gain, *, run=map):
    """The share of campaigns in which the first is found faster than the second, which is slower by
    this gain: on average and typically.
    """
    return np.mean(
        [*run(partial(_look_for_gain, units=units, gain=gain), range(campaigns))], axis=0
    )


def _look_for_gain(seed, units, gain):
    costs, _ = costs_of(np.random.default_rng(seed), units, "independent", 1 - gain)
    exchanged = exchange([Block(costs, np.arange(units), PAIRS)])
    is_found = exchanged.joint_p[0] < SIGNIFICANT and exchanged.statistic[0] < 0
    typical = signed_rank(np.log(costs[:, 0] / costs[:, 1])) * len(PAIRS) < SIGNIFICANT
    return is_found, typical and np.median(costs[:, 0] / costs[:, 1]) < 1


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
    return float(np.mean(held))


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


CELLS = (
    ("independent", True), ("copies", True), ("families", True), ("copies", False),
    ("families", False),
)  # fmt: skip
CELLS_OF_RACES = tuple(cell for cell in CELLS if cell[0] != "copies")
"""A race takes copies of a file as one problem."""

GAINS = (0.05, 0.1, 0.3)


def simulations(campaigns):
    """The shares of these campaigns, for each number of units: of errors and of planted differences
    that are found, on average and typically, and of ranges that hold the number.
    """
    with ProcessPoolExecutor() as pool:
        run = partial(pool.map, chunksize=max(1, campaigns // 40))
        erring = []
        for kind, are_given in CELLS:
            # The others are for comparison: they err so often that fewer campaigns show it.
            number = campaigns if are_given else max(1, campaigns // 5)
            shares = _both(
                errors(number, units, kind, are_given=are_given, run=run) for units in UNITS
            )
            row = {"problems": kind, "is_unit_given": are_given, "campaigns": number}
            erring.append(row | shares)
            print(*erring[-1].values(), file=sys.stderr, flush=True)
        found = [
            {"gain": gain} | _both(power(campaigns, units, gain, run=run) for units in UNITS)
            for gain in GAINS
        ]
    held = [
        {"gain": gain, "held": [held_ranges(campaigns, units, gain) for units in UNITS]}
        for gain in GAINS
    ]
    common = {"campaigns": campaigns, "units": UNITS}
    return {
        "errors": common | {"rows": erring},
        "power": common | {"rows": found},
        "ranges": common | {"rows": held},
    }


def repeated():
    """The cells of errors on average in the file that are above 5 % by more than two standard
    errors, with 2,500 other campaigns.
    """
    found = calibrated.read()["errors"]
    number, again = 2500, []
    most = 0.05 + 2 * math.sqrt(0.05 * 0.95 / found["campaigns"])
    with ProcessPoolExecutor() as pool:
        run = partial(pool.map, chunksize=number // 40)
        for row in found["rows"]:
            for units, share in zip(found["units"], row["on_average"], strict=True):
                if row["is_unit_given"] and share > most:
                    shares = errors(
                        number, units, row["problems"], are_given=True, run=run,
                        first=found["campaigns"],
                    )  # fmt: skip
                    cell = {"problems": row["problems"], "units": units, "was": share}
                    again.append(cell | {"campaigns": number, "is": float(shares[0])})
    return {"errors": found | {"again": again}}


def _both(shares):
    on_average, typically = zip(*shares, strict=True)
    return {"on_average": [*map(float, on_average)], "typically": [*map(float, typically)]}


def errors_of_races(races, units, kind, average, *, are_given, run=map):
    """The share of races between two equals in which one leaves because of the other. No race ends
    because they are equivalent.
    """
    look = partial(_race_of_equals, units=units, kind=kind, average=average, are_given=are_given)
    return float(np.mean([*run(look, range(races))]))


def _race_of_equals(seed, units, kind, average, *, are_given):
    random = np.random.default_rng(seed)
    costs, groups = costs_of(random, units, kind)
    order = draw_order(groups.tolist() if are_given else [""] * len(groups), random)
    course = Course(2, order, average, 0.95, 0, random, groups=groups if are_given else None)
    for batch in course.batches():
        for ask in batch:
            cost, cap = costs[ask.problem, ask.combination], course.cap(ask)
            course.note_cost(ask, min(cost, cap), is_bound=cost > cap)
    return bool(course.gone)


def races_of_equals(races):
    """The shares of such races, for each kind of problems and number of units: by mean and by
    median.
    """
    rows = []
    with ProcessPoolExecutor() as pool:
        run = partial(pool.map, chunksize=max(1, races // 40))
        for kind, are_given in CELLS_OF_RACES:
            shares = _both(
                [
                    errors_of_races(races, units, kind, average, are_given=are_given, run=run)
                    for average in Average
                ]
                for units in UNITS
            )
            rows.append({"problems": kind, "is_unit_given": are_given} | shares)
            print(*rows[-1].values(), file=sys.stderr, flush=True)
    return {"equal_races": {"campaigns": races, "units": UNITS, "rows": rows}}


def replays(races):
    """Of so many races on each family of each reference campaign, the number of differences that
    their summaries find, of those that the grid finds as well, and of those of which it finds the
    opposite.
    """
    rows = []
    for path in sorted(REFERENCE.glob("*/records.csv")):
        records = nqbench.read(path).filter(pl.col("repeat") == 0)
        for family, part in summary.by_family(records).items():
            number, same, opposite = contradictions(part, races)
            if number:
                row = {"campaign": path.parent.name, "family": family or "", "found": number}
                rows.append(row | {"same": same, "opposite": opposite})
                print(*rows[-1].values(), flush=True)
    return {"races": {"races": races, "rows": rows}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--campaigns", type=int, help="print the shares of so many campaigns only")
    parser.add_argument("--races", type=int, help="replay so many races on each campaign instead")
    parser.add_argument("--again", action="store_true", help="repeat the cells over 5 %% instead")
    parser.add_argument("--equal-races", action="store_true", help="race two equals instead")
    given = parser.parse_args()
    if given.again:
        found = repeated()
    elif given.equal_races:
        found = races_of_equals(given.campaigns or 400)
    else:
        found = replays(given.races) if given.races else simulations(given.campaigns or 1000)
    if given.campaigns is None:
        calibrated.store(found)
    for name in found:
        print("\n".join(calibrated.table(name, found)), end="\n\n")


if __name__ == "__main__":
    main()
