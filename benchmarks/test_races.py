"""How often a race finds the best combination, and for which part of the grid's time.

Replays races on the campaigns of `results/reference` that have two combinations and six problems
or more, beside what else could be done with the same time.

tox -e bench -- benchmarks/test_races.py
"""

from pathlib import Path

import numpy as np
import pytest
import replays

from nqbench.addons.race.rules import Average

ROOT = Path(__file__).parents[1]
CAMPAIGNS = [
    "at-most-one", "campaign", "constraints", "hard", "main-job", "native", "pigeonhole",
    "re-encoding", "transition", "why-minisat",
]  # fmt: skip


@pytest.mark.parametrize("average", Average)
@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_races(figure, scaled, campaign, average):
    """`good` is the share of random orders of the problems with a winner within 5 % of the best;
    `cost` is the median share of the time of the grid.
    """
    path = ROOT / "results" / "reference" / campaign / "records.csv"
    grid = replays.Grid.read(path)
    random, good = np.random.default_rng(0), grid.good(average)
    # A race between many combinations takes seconds to replay.
    orders = scaled(100 if grid.costs.shape[1] < 50 else 20, 1)
    found = {"race": [], "halving": [], "grid": []}
    cost = []
    for _ in range(orders):
        race = replays.race(grid, average, random)
        cost.append(race.spent / grid.took.sum())
        found["race"].append(good[race.winner])
        for name, peer in (("halving", replays.halving), ("grid", replays.until_spent)):
            found[name].append(good[peer(grid, average, random, race.spent).winner])
    for name, are_good in found.items():
        figure(f"race/{campaign}/{average}/{name}", round(100 * float(np.mean(are_good))), "of 100")
    figure(f"race/{campaign}/{average}/cost", round(100 * float(np.median(cost)), 1), "of 100")
