"""Replays races on recorded campaigns, and what else could be done with the same time."""

from dataclasses import dataclass

import numpy as np
import polars as pl

import nqbench
from nqbench import summary
from nqbench.addons.race.course import Course
from nqbench.addons.race.problem_order import draw_order
from nqbench.records.derived import FORMULA_FAMILY, with_derived

CONFIDENCE, MARGIN = 0.95, 0.05
WITHIN = 1.05
"""A winner is good if its average over all problems is at most this multiple of the best."""


@dataclass
class Grid:
    """A campaign: what each combination costs on each problem, and the seconds that a run took,
    both of shape (problems, combinations); and the kind of each problem.
    """

    costs: np.ndarray
    took: np.ndarray
    kinds: list[str]

    @classmethod
    def read(cls, path):
        """The records of one repeat."""
        records = nqbench.read(path).filter(pl.col("repeat") == 0)
        costs = summary.boards(records).with_columns(pair=summary.NAMED)
        took = records.with_columns(pair=summary.NAMED).with_columns(
            wall_s=pl.coalesce("wall_s", "solve_s", "time_limit_s")
        )
        tables = [
            table.pivot("pair", index=summary.BOARD, values=value, aggregate_function="mean")
            for table, value in ((costs, "par2_s"), (took, "wall_s"))
        ]
        pairs = sorted(set(tables[0].columns) - set(summary.BOARD))
        both = tables[0].join(tables[1], on=summary.BOARD, nulls_equal=True, suffix=" took")
        both = both.drop_nulls(pairs)
        return cls(
            both.select(pairs).to_numpy(),
            both.select(f"{pair} took" for pair in pairs).to_numpy(),
            with_derived(both, [FORMULA_FAMILY])[FORMULA_FAMILY].to_list(),
        )

    def good(self, average):
        """Whether each combination is as good as the best, within the margin."""
        every = np.array([average.of(costs) for costs in self.costs.T])
        return every <= WITHIN * every.min()


@dataclass
class Replay:
    """The number of the winner, the seconds that were spent, and whether only one was left."""

    winner: int
    spent: float
    named: bool


def race(grid, average, random, budget=np.inf):
    """A race in a random order, until the budget ends if there is one. A capped run takes its
    overhead and the cap.
    """
    is_short = np.isfinite(budget)
    order = draw_order(grid.kinds if is_short else [""] * len(grid.kinds), random)
    combinations = grid.costs.shape[1]
    spent = 0.0
    used = (lambda: spent / budget) if is_short else None
    course = Course(combinations, order, average, CONFIDENCE, MARGIN, random, used)
    for batch in course.batches():
        for ask in batch:
            if spent >= budget:
                return Replay(course.leader, spent, named=False)
            cost, cap = grid.costs[ask.problem, ask.combination], course.cap(ask)
            took = grid.took[ask.problem, ask.combination]
            if cost > cap:
                course.note_cost(ask, cap, is_bound=True)
                spent += min(took, cap + max(0.0, took - cost))
            else:
                course.note_cost(ask, cost)
                spent += took
    return Replay(course.leader, spent, len(course.left) == 1)


def until_spent(grid, average, random, budget):
    """The whole grid, run by run in a random order of the problems, until the budget ends."""
    order, spent = random.permutation(len(grid.costs)), 0.0
    costs = [[] for _ in grid.costs.T]
    for problem in order:
        for combination in random.permutation(len(costs)):
            if spent >= budget:
                break
            spent += grid.took[problem, combination]
            costs[combination].append(grid.costs[problem, combination])
    least = min(map(len, costs))
    averages = [average.of(np.array(each[:least] or each)) for each in costs]
    return Replay(int(np.argmin(averages)), spent, named=False)


def halving(grid, average, random, budget):
    """Successive halving (K. Jamieson, A. Talwalkar, AISTATS 2016): in each of the rounds the same
    part of the budget, then the worse half leaves.
    """
    order, spent = random.permutation(len(grid.costs)), 0.0
    left, seen = list(range(grid.costs.shape[1])), 0
    rounds = max(1, int(np.ceil(np.log2(len(left)))))
    for number in range(1, rounds + 1):
        while seen < len(order) and (spent < budget * number / rounds or not seen):
            spent += grid.took[order[seen], left].sum()
            seen += 1
        left.sort(key=lambda each: average.of(grid.costs[order[:seen], each]))
        left = left[: -(-len(left) // 2)]
    return Replay(left[0], spent, named=False)
