"""How often a gate alarms without a change, and how often it finds one, by simulation.

    python tools/calibration_of_gates.py                   in about a minute of CPU time
    python tools/calibration_of_gates.py --comparisons 50  less exact; only prints the shares

Boards are measured three times, with noise of each run. In each session, each combination is slower
or faster by a shift of its own, and the machine of a new session is 7 % slower. In turns, old and
new share the session. A comparison alarms if any combination is found slower.
"""

import argparse
import math
import sys
from functools import cache
from pathlib import Path

import numpy as np

from nqbench.addons.compare.sessions import against_sessions
from nqbench.summary import paired
from nqbench.summary.paired import LEVEL, Pair, decide

sys.path[:0] = [str(Path(__file__).resolve().parent)]

import calibrated  # noqa: E402

BOARDS, REPEATS = 15, 3
MACHINE = math.log(1.07)
NOISES = {
    "5 %": (0.05, 0.0, 0.0),
    "5 %, sessions 3 %": (0.05, 0.0, 0.03),
    "5 %, sessions 8 %": (0.05, 0.0, 0.08),
    "10 % and outliers, sessions 5 %": (0.10, 0.05, 0.05),
}
"""Standard deviation of a run, share of runs that take 1.5 to 4 times as long, and standard
deviation of a session.
"""

ABOVE = (0.0, 0.05, 0.1)
COUNTS = (5, 20)
"""Combinations. One of the first number is slower, if any."""

SLOWER = (0.05, 0.1, 0.2)


def session(random, count, noise, shifts=None, *, slower=0.0, machine=0.0):
    """The logarithms of times of one session, of shape (combinations, boards); the first
    combination is slower by a share.
    """
    of_run, outliers, of_session = noise
    runs = random.normal(0, of_run, (count, BOARDS, REPEATS))
    is_outlier = random.random(runs.shape) < outliers
    runs += np.where(is_outlier, np.log(random.uniform(1.5, 4, runs.shape)), 0)
    if shifts is None:
        shifts = random.normal(0, of_session, count)
    logs = np.median(runs, axis=2) + shifts[:, np.newaxis] + machine
    logs[0] += math.log1p(slower)
    return logs


def in_turns(random, count, noise, slower):
    """Whether each combination is found slower by more than each of `ABOVE`, old and new measured
    in turns; of shape (len(ABOVE), combinations).
    """
    shifts = random.normal(0, noise[2], count)
    old = session(random, count, noise, shifts)
    return exceed(session(random, count, noise, shifts, slower=slower) - old)


def one_each(random, count, noise, slower):
    """The same of one session of each."""
    old = session(random, count, noise)
    return exceed(relative(session(random, count, noise, slower=slower, machine=MACHINE) - old))


def two_of_two(random, count, noise, slower):
    """The same of two sessions of the new code, both of which have to find it."""
    old = session(random, count, noise)
    first, second = (
        exceed(relative(session(random, count, noise, slower=slower, machine=MACHINE) - old))
        for _ in range(2)
    )
    return first & second


def several(sessions):
    """The same with so many old campaigns."""

    def found(random, count, noise, slower):
        olds = np.array([session(random, count, noise) for _ in range(sessions)])
        new = session(random, count, noise, slower=slower, machine=MACHINE)
        ends = against_sessions([*(new - olds).swapaxes(0, 1)], range(count)).at_least
        return ends > np.log1p(ABOVE)[:, np.newaxis]

    return found


def exceed(log_ratios):
    """Whether the end that `paired.at_least` finds of each row is above each of `ABOVE`: it is if
    the statistic there is above the critical one. There are no ties, so that is the same for all.
    """
    shifted = log_ratios - np.log1p(ABOVE)[:, np.newaxis, np.newaxis]
    statistics = paired._standardised(
        paired._signed_ranks(shifted.reshape(-1, BOARDS)).reshape(shifted.shape)
    )
    return statistics > critical(len(log_ratios))


@cache
def critical(count):
    """The critical statistic of one of so many combinations."""
    ranks = Pair(np.arange(1.0, BOARDS + 1))
    return decide([ranks], BOARDS, 2 * LEVEL / count).critical


def relative(log_ratios):
    """The rows without the effect of the machine: the median of their Hodges-Lehmann estimates."""
    one, other = np.triu_indices(BOARDS)
    estimates = np.median((log_ratios[:, one] + log_ratios[:, other]) / 2, axis=1)
    return log_ratios - np.median(estimates)


RULES = {
    "in turns": in_turns,
    "three old campaigns": several(3),
    "four old campaigns": several(4),
    "one old campaign": one_each,
    "one old campaign, the new one twice": two_of_two,
}


def shares(rule, noise, count, slower, comparisons):
    """The share of comparisons that alarm, for each of `ABOVE`: because of any combination, or of
    the slower one if there is one.
    """
    found = np.zeros(len(ABOVE))
    for seed in range(comparisons):
        random = np.random.default_rng([seed, count])
        is_found = RULES[rule](random, count, NOISES[noise], slower)
        found += is_found[:, 0] if slower else is_found.any(axis=1)
    return [float(each) for each in found / comparisons]


def gates(comparisons=300):
    """The table of gates."""
    rows = []
    for rule in RULES:
        for noise in NOISES:
            row = {
                "rule": rule,
                "noise": noise,
                "alarms": [shares(rule, noise, count, 0.0, comparisons) for count in COUNTS],
                "found": [shares(rule, noise, COUNTS[0], each, comparisons) for each in SLOWER],
            }
            rows.append(row)
            print(*row.values(), file=sys.stderr, flush=True)
    stated = {"above": ABOVE, "combinations": COUNTS, "slower": SLOWER}
    return {"comparisons": comparisons, **stated, "rows": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--comparisons", type=int, help="print the shares of so many only")
    given = parser.parse_args()
    found = {"gates": gates(*([given.comparisons] if given.comparisons else []))}
    if given.comparisons is None:
        calibrated.store(found)


if __name__ == "__main__":
    main()
