"""How often the rule errs, and how often it finds what is there, by simulation.

    python tools/calibration.py                  all parts, in about six minutes of CPU time
    python tools/calibration.py errors power     these parts
    python tools/calibration.py --campaigns 100  less exact; only prints the shares

The results are written to `results/reference/calibration.json`, from which `tools/generate.py`
makes the tables on pages. `tools/calibration_of_races.py` and `tools/calibration_of_draws.py` do
the same for races and for draws.

Each cell says what is true of two combinations, and how often they are called different. There are
three truths (`shapes.TRUTHS`): the rule is one of the first, and must err in at most 5 % there.
Where means are equal, the one with the longer tail is typically faster, so finding that is right;
for comparison, the last number is how often an exchange of costs calls the *means* different.
"""

import argparse
import itertools
import math
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np

import nqbench
from nqbench import summary
from nqbench.summary import paired
from nqbench.summary.intervals import mean_ratio
from nqbench.summary.paired import LEVEL, Pair, decide
from nqbench.summary.power import critical_value, problems_for
from nqbench.summary.shared import shared_costs

sys.path[:0] = [str(Path(__file__).resolve().parent)]

import calibrated  # noqa: E402
from shapes import ERROR_SHAPES, STEADY, TRUTHS, Shape, lognormal, shift_for  # noqa: E402

_signs = paired._signs
# All campaigns of one size use the same flips. To draw them takes longer than the test.
paired._signs = lru_cache(2)(lambda *arguments: [*_signs(*arguments)])

PROBLEMS = (6, 8, 15, 30, 60, 200)
FEWER = (8, 15, 30, 60)
REFERENCE = Path(__file__).parents[1] / "results" / "reference"
_ROWS = 500
"""Flips at a time."""


def said(differences, places=None):
    """For each row of log ratios, a campaign of one pair, whether `paired.decide` says that one is
    typically faster, and whether it says that one solves more. Both of shape (campaigns,).
    """
    units = differences.shape[1] if places is None else int(places.max()) + 1
    blocks = paired.Blocks.of(units)
    only_one = np.where(np.isinf(differences), np.sign(differences), 0.0)
    typical = blocks.sums(paired._signed_ranks(differences), places)
    has_only = bool(only_one.any())
    scores = [typical, blocks.sums(only_one, places)] if has_only else [typical]
    p_typical, p_solved, statistic = flipped(scores, units)
    side = np.sign((differences > 0).sum(axis=1) - (differences < 0).sum(axis=1))
    return (p_typical < LEVEL) & (np.sign(statistic) == side), p_solved < LEVEL


def flipped(scores, units):
    """The joint p-values of the first and of the second question, each for all campaigns, and the
    statistic of the first; `scores` are those of one or of both, of shape (campaigns, blocks). As
    `paired._flip` does it for one campaign with many columns.
    """
    statistics = [paired._standardised(each) for each in scores]
    sizes = [np.abs(each) - 1e-6 * np.maximum(1, np.abs(each)) for each in statistics]
    norms = [np.sqrt((each**2).sum(axis=1, keepdims=True)) for each in scores]
    scaled = [
        np.divide(each, norm, out=np.zeros_like(each), where=norm > 0).T.astype(np.float32)
        for each, norm in zip(scores, norms, strict=True)
    ]
    is_exact = units <= paired._MOST_EXACT
    single, joint, count = np.zeros((2, len(sizes[0]))), np.zeros((2, len(sizes[0]))), 0
    for signs in paired._signs(scaled[0].shape[0], is_exact, _ROWS):
        drawn = [np.abs(signs @ each) for each in scaled]
        most = np.maximum(*drawn) if len(drawn) > 1 else drawn[0]
        for at, (one, size) in enumerate(zip(drawn, sizes, strict=True)):
            single[at] += (one >= size).sum(axis=0)
            joint[at] += (most >= size).sum(axis=0)
        count += len(signs)
    measured = 0 if is_exact else 1
    single, joint = (
        (single + measured) / (count + measured),
        (joint + measured) / (count + measured),
    )
    if len(scores) == 1:
        return single[0], np.ones(len(single[0])), statistics[0]
    is_first = np.abs(statistics[0]) >= np.abs(statistics[1])
    p_typical = np.where(is_first, joint[0], np.maximum(joint[1], single[0]))
    p_solved = np.where(is_first, np.maximum(joint[0], single[1]), joint[1])
    return p_typical, p_solved, statistics[0]


def differences_of(one, other):
    """The log ratios of two tables of logarithms, which are infinite where a run is not solved."""
    return paired.log_ratios(one, other, np.isfinite(one), np.isfinite(other))


def cell(shape, truth, problems, campaigns, seed=0):
    """The share of campaigns in which one is called typically faster; that in which one is said to
    solve more; and that in which an exchange of costs calls the means different.
    """
    random = np.random.default_rng([seed, problems])
    logs = shape.logs(random, (campaigns, problems), shift_for(shape, truth))
    typical, solved = said(differences_of(*logs))
    one, other = map(shape.costs, logs)
    exchanged, *_ = flipped([one - other], problems)
    return float(typical.mean()), float(solved.mean()), float((exchanged < LEVEL).mean())


def errors(campaigns=1000):
    """The table of shapes."""
    rows = []
    for name, shape in ERROR_SHAPES.items():
        row = {"shape": name}
        for truth in TRUTHS:
            cells = [cell(shape, truth, problems, campaigns) for problems in PROBLEMS]
            row[truth] = [typical for typical, *_ in cells]
            row[f"{truth}_solved"] = [solved for _, solved, _ in cells]
        row["exchange"] = [exchanged for *_, exchanged in cells]
        rows.append(row)
        print(*row.values(), file=sys.stderr, flush=True)
    return {"campaigns": campaigns, "problems": PROBLEMS, "rows": rows}


def of_many(campaigns=200):
    """Any false difference among several combinations: of one shape, and from sigma 0.1 to 1.5."""
    rows = []
    for count, sigmas in itertools.product((4, 10), ("one shape (sigma 0.5)", "sigma 0.1 to 1.5")):
        spreads = [0.5] * count if sigmas.startswith("one") else np.linspace(0.1, 1.5, count)
        shares = [
            float(np.mean([_decided(seed, spreads, n).any() for seed in range(campaigns)]))
            for n in FEWER
        ]
        rows.append({"shape": sigmas, "combinations": count, "typical": shares})
        print(*rows[-1].values(), file=sys.stderr, flush=True)
    return {"campaigns": campaigns, "problems": FEWER, "rows": rows}


def _decided(seed, sigmas, problems, factor=1.0):
    """What is decided of each pair; the first one takes this factor of its time."""
    random = np.random.default_rng([seed, problems, len(sigmas)])
    logs = random.normal(0, sigmas, (problems, len(sigmas)))
    logs[:, 0] += math.log(factor)
    pairs = itertools.combinations(range(len(sigmas)), 2)
    return decide([Pair(logs[:, i] - logs[:, j]) for i, j in pairs], problems).typical


GAINS = {"10 %": 0.9, "30 %": 0.7, "half the time": 0.5}


def power(campaigns=200):
    """How often a planted difference is found: first against second."""
    rows = []
    for count, (name, factor) in itertools.product((2, 4, 10), GAINS.items()):
        number = campaigns * 10 if count == 2 else campaigns
        if count == 2:
            shape = Shape(lognormal(0.5), lognormal(0.5))
            shares = [_found(shape, factor, n, number) for n in FEWER]
        else:
            shares = [
                float(
                    np.mean([_decided(s, [0.5] * count, n, factor)[0] < 0 for s in range(number)])
                )
                for n in FEWER
            ]
        rows.append({"gain": name, "combinations": count, "campaigns": number, "found": shares})
        print(*rows[-1].values(), file=sys.stderr, flush=True)
    return {"problems": FEWER, "rows": rows}


def _found(shape, factor, problems, campaigns):
    random = np.random.default_rng(problems)
    differences = differences_of(*shape.logs(random, (campaigns, problems), -math.log(factor)))
    typical, _ = said(differences)
    return float((typical & (np.median(differences, axis=1) < 0)).mean())


ONLY = ((5, 0), (6, 0), (8, 0), (10, 0), (10, 2), (15, 5))
BY_COIN = 16


def solved_more(campaigns=500):
    """How often *solves more* is said if so many of 60 problems were solved by only one, else
    equal; and, where it is an error, if the one that solved `BY_COIN` of them is drawn by a coin.
    """
    rows = []
    for only in (*ONLY, ()):
        random = np.random.default_rng(0)
        differences = random.normal(0, 0.7, (campaigns, 60))
        if only:
            differences[:, : only[0]], differences[:, only[0] : sum(only)] = -np.inf, np.inf
        else:
            differences[:, :BY_COIN] = random.choice([-np.inf, np.inf], (campaigns, BY_COIN))
        typical, solved = said(differences)
        row = {"only": only, "solved": float(solved.mean()), "typical": float(typical.mean())}
        rows.append(row)
    return {"campaigns": campaigns, "by_coin": BY_COIN, "rows": rows}


def means(campaigns=400):
    """How often the interval of the ratio of means misses it, and how wide it is."""
    shapes = {
        "one shape (sigma 0.5)": Shape(lognormal(0.5), lognormal(0.5)),
        "steady (sigma 0.2), spread (sigma 1.5)": Shape(STEADY, lognormal(1.5)),
        "steady, spread (sigma 2)": Shape(STEADY, lognormal(2.0)),
        "steady, spread (sigma 1.5); half unsolved": Shape(STEADY, lognormal(1.5), 0.5),
    }
    rows = []
    for name, shape in shapes.items():
        missed, width = [], []
        for n in (15, 30, 60, 200):
            random, ends = np.random.default_rng(n), []
            for _ in range(campaigns):
                logs = shape.logs(random, (n,), shift_for(shape, "mean"))
                found = mean_ratio(*map(shape.costs, logs), most=2 * shape.limit)
                ends.append((found.low or 0.0, found.high or math.inf))
            low, high = np.array(ends).T
            missed.append(float(((low > 1) | (high < 1)).mean()))
            width.append(float(np.median(high / np.maximum(low, 1e-300))))
        rows.append({"shape": name, "missed": missed, "width": width})
        print(*rows[-1].values(), file=sys.stderr, flush=True)
    return {"campaigns": campaigns, "problems": (15, 30, 60, 200), "rows": rows}


def related(campaigns=1000):
    """Errors if problems come in families that share half of the variance of a log ratio."""
    rows = []
    for name, sizes in (("families of 4", (4,)), ("families of 1 to 12", range(1, 13))):
        for is_given in (True, False):
            shares = []
            for units in (6, *FEWER):
                places = np.repeat(np.arange(units), np.resize(sizes, units))
                random = np.random.default_rng(units)
                own, shared = (random.normal(0, 1, (campaigns, n)) for n in (len(places), units))
                typical, _ = said(own + shared[:, places], places if is_given else None)
                shares.append(float(typical.mean()))
            rows.append({"families": name, "is_unit_given": is_given, "typical": shares})
            print(*rows[-1].values(), file=sys.stderr, flush=True)
    return {"campaigns": campaigns, "units": (6, *FEWER), "rows": rows}


def ranges(campaigns=1000):
    """How often the stated range of problems holds the number that gives a power of 80 %."""
    rows = []
    for name, factor in GAINS.items():
        effect = _effect(factor)
        needed = ((critical_value(2) + 0.8416) / effect) ** 2
        held = []
        for n in FEWER:
            statistics = _statistics(np.random.default_rng(n), factor, (campaigns, n))
            ends = [problems_for(float(each), critical_value(2), n) for each in statistics]
            held.append(float(np.mean([low <= max(needed, n + 1) <= high for low, high in ends])))
        rows.append({"gain": name, "needed": needed, "held": held})
    return {"campaigns": campaigns, "problems": FEWER, "rows": rows}


def _effect(factor):
    """The statistic of a million problems, divided by the root of their number."""
    (statistic,) = _statistics(np.random.default_rng(0), factor, (1, 1_000_000))
    return abs(float(statistic)) / 1000


def _statistics(random, factor, size):
    differences = random.normal(math.log(factor), 0.5 * math.sqrt(2), size)
    return paired._standardised(paired._signed_ranks(differences))


OF_REFERENCE = (
    "campaign", "constraints", "hard", "main-job", "native", "re-encoding", "transition", "weights",
    "why-minisat",
)  # fmt: skip
MOST_PAIRS = 12
FEWEST_PROBLEMS = 15
MOST_ONE_SIDED = 0.25
"""If only one of a pair solved more of the problems, no shift of the others makes them equal."""


def reference(campaigns=100):
    """For pairs of each family of the reference campaigns, shifted so that a truth holds exactly
    over all pairs of their problems, and resampled: the mean and the worst share of a pair.
    """
    rows = []
    for name in OF_REFERENCE:
        records = nqbench.read(REFERENCE / name / "records.csv")
        for family, part in summary.by_family(records).items():
            pairs, without_null = _pairs(part)
            if not pairs:
                continue
            row = {"campaign": name, "family": family, "pairs": len(pairs), "without": without_null}
            for truth in TRUTHS:
                shares = [
                    [_resampled(pair, truth, n, campaigns) for pair in pairs] for n in FEWER[1:]
                ]
                row[truth] = [float(np.mean(each)) for each in shares]
                row[f"{truth}_worst"] = [float(np.max(each)) for each in shares]
            rows.append(row)
            print(*row.values(), file=sys.stderr, flush=True)
    return {"campaigns": campaigns, "problems": FEWER[1:], "rows": rows}


def _pairs(records):
    """Logarithms of costs of up to so many pairs, each of shape (2, problems), infinite if not
    solved, with the greatest cost; and the number of pairs left out since no null exists.
    """
    shared = shared_costs(summary.Measured(records), "solve_s")
    found, without = [], 0
    every = [(one, i, j) for one in shared for i, j in one.pairs]
    for at in np.random.default_rng(0).permutation(len(every)):
        one, i, j = every[at]
        both = one.both(i, j)
        solved = one.solved[both][:, [i, j]].T
        if solved.shape[1] < FEWEST_PROBLEMS or len(found) == MOST_PAIRS:
            continue
        logs = np.where(solved, one.logs[both][:, [i, j]].T, np.inf)
        is_one_sided = (solved[0] != solved[1]).mean() > MOST_ONE_SIDED
        if is_one_sided or not 0 < _typical_ratio(differences_of(*logs)) < math.inf:
            without += 1
            continue
        found.append((logs, float(one.costs[both][:, [i, j]].max())))
    return found, without


def _resampled(pair, truth, problems, campaigns):
    logs, most = pair
    one, other = logs
    other = other + _shift(one, other, most, truth)
    sample = np.random.default_rng(problems).integers(0, len(one), (campaigns, problems))
    typical, _ = said(differences_of(one[sample], other[sample]))
    return float(typical.mean())


def _shift(one, other, most, truth):
    """The shift of what the second solved at which this truth holds of these problems."""
    differences = differences_of(one, other)
    if truth == "typical":
        return math.log(_typical_ratio(differences))
    if truth == "half":
        return float(np.median(np.nan_to_num(differences, posinf=1e9, neginf=-1e9)))
    is_solved = np.isfinite(other)
    total = np.where(np.isfinite(one), np.exp(one), most).sum() - most * (~is_solved).sum()
    return math.log(total / np.exp(other[is_solved]).sum()) if total > 0 else 0.0


def _typical_ratio(differences):
    """That at which the statistic of all these problems is 0: exact over all pairs of them."""
    (ratio,), *_ = paired.typical_ratios([Pair(differences)], len(differences), 0.0)
    return float(ratio)


PARTS = {
    "errors": errors, "of_many": of_many, "power": power, "solved_more": solved_more,
    "means": means, "related": related, "ranges": ranges, "reference": reference,
}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--campaigns", type=int, help="print the shares of so many campaigns only")
    given = parser.parse_args()
    for name in given.parts or PARTS:
        found = {name: PARTS[name](*([given.campaigns] if given.campaigns else []))}
        if given.campaigns is None:
            calibrated.store(found)
        print("\n".join(calibrated.table(name, found)), end="\n\n")


if __name__ == "__main__":
    main()
