"""Rows with weights that differ as the judge's own clauses.

A row is a decision diagram: a node asks for a literal, and knows the sum of those asked before it.
Each node has a variable, which is true if and only if the literals that are left can be as they are
and meet the row. So each choice of the literals has exactly one extension to the nodes. These are
the diagrams of R. Bryant, IEEE Transactions on Computers C-35, 1986, as clauses in both directions.
All numbers are Python's, which do not overflow. It shares no code with the encoders.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from nqbench.checking.file_rows import Costs, FileRows
from nqbench.clauses.cnf import CNF, Block, as_blocks
from nqbench.common.errors import TooManyClausesError

MOST_NODES: Final = 200_000
"""The largest diagram of a row: 1.2 million clauses."""


@dataclass(frozen=True, slots=True)
class WeightedRow:
    """The weights of the true literals add up to at least `least` and at most `most`. Weights are
    positive, the largest first; each variable is there once.
    """

    literals: tuple[int, ...]
    weights: tuple[int, ...]
    least: int
    most: int

    @property
    def total(self) -> int:
        """The sum of all weights."""
        return sum(self.weights)


def weighted_row(file: FileRows, row: int) -> WeightedRow:
    """A row of a file with each variable once, and positive weights."""
    terms = slice(int(file.starts[row]), int(file.starts[row + 1]))
    pairs = zip(file.weights[terms].tolist(), file.literals[terms].tolist(), strict=True)
    return normalised(pairs, int(file.relations[row]), int(file.bounds[row]))


def normalised(terms: Iterable[tuple[int, int]], relation: int, bound: int) -> WeightedRow:
    """The weights and literals of a row with each variable once, and positive weights."""
    factors: defaultdict[int, int] = defaultdict(int)
    for weight, literal in terms:
        # w ~x is w - w x.
        factors[abs(literal)] += weight if literal > 0 else -weight
        bound -= weight if literal < 0 else 0
    bound -= sum(factor for factor in factors.values() if factor < 0)
    left = [(abs(factor), x if factor > 0 else -x) for x, factor in factors.items() if factor]
    total = sum(weight for weight, _ in left)
    # One literal that meets the row alone, or breaks it alone, cannot do more.
    slack = {1: bound, 0: 0, -1: total - bound}[relation]
    if slack > 0:
        left = [(min(weight, slack), literal) for weight, literal in left]
        lowered = sum(weight for weight, _ in left)
        bound -= total - lowered if relation < 0 else 0
        total = lowered
    left.sort(key=lambda term: -term[0])
    return WeightedRow(
        tuple(literal for _, literal in left),
        tuple(weight for weight, _ in left),
        bound if relation >= 0 else 0,
        bound if relation <= 0 else total,
    )


class FalseClauses:
    """The terms of an objective as literals: a soft clause of several literals gets a variable,
    after `last`, which is true if and only if the clause is false.
    """

    def __init__(self, costs: Costs, last: int) -> None:
        self.last = last
        self._costs = costs
        self._clauses: defaultdict[int, list[list[int]]] = defaultdict(list)
        self._terms: list[tuple[int, int]] = []
        self._constant = 0
        for weight, literals in costs.terms:
            if not literals:
                self._constant += weight
            elif len(literals) == 1:
                self._terms.append((weight, literals[0] if costs.is_sum else -literals[0]))
            else:
                self.last += 1
                self._terms.append((weight, self.last))
                self._clauses[len(literals) + 1].append([*literals, self.last])
                self._clauses[2] += [[-self.last, -literal] for literal in literals]

    def blocks(self) -> list[Block]:
        """The clauses that say what the variables mean."""
        return [np.array(some, np.int32) for some in self._clauses.values()]

    def bound(self, worst: int) -> WeightedRow:
        """The row that allows no objective worse than this."""
        relation = 1 if self._costs.is_maximised else -1
        return normalised(self._terms, relation, worst - self._constant)


@lru_cache(maxsize=64)
def diagram_clauses(weights: tuple[int, ...], least: int, most: int) -> CNF:
    """A formula with the main variables 1..n, whose models are the choices of these that the row
    allows, each extended in one way. Raises `TooManyClausesError` beyond 200,000 nodes.
    """
    n = len(weights)
    rest = [sum(weights[place:]) for place in range(n + 1)]

    def decided(place: int, reached: int) -> bool | None:
        """Whether all choices that are left meet the row; None if some do."""
        if reached > most or reached + rest[place] < least:
            return False
        return True if reached >= least and reached + rest[place] <= most else None

    levels: list[dict[int, int]] = []
    """For each place and each sum reached before it, the variable of the node."""
    sums, last = {0}, n
    for place, weight in enumerate(weights):
        nodes = sorted(reached for reached in sums if decided(place, reached) is None)
        levels.append({reached: last + 1 + i for i, reached in enumerate(nodes)})
        last += len(nodes)
        if last - n > MOST_NODES:
            raise TooManyClausesError(
                f"too many clauses: a row with weights needs more than {MOST_NODES} nodes"
            )
        sums = {reached + more for reached in nodes for more in (0, weight)}
    clauses: list[tuple[int, ...]] = []

    def add(*literals: int) -> None:
        clauses.append(literals)

    for place, (weight, nodes_here) in enumerate(zip(weights, levels, strict=True)):
        for reached, node in nodes_here.items():
            for asked, more in ((place + 1, weight), (-place - 1, 0)):
                met = decided(place + 1, reached + more)
                if met is None:
                    child = levels[place + 1][reached + more]
                    add(-node, -asked, child)
                    add(node, -asked, -child)
                else:
                    add(node if met else -node, -asked)
    met = decided(0, 0)
    if met is None:
        add(levels[0][0])
    elif not met:
        last += 1
        add(last)
        add(-last)
    return CNF(last, n, as_blocks(sorted(clauses, key=len)))
