"""The rules of a problem as clauses, which share nothing with any encoding.

The variables are the options. 'These two may not both be chosen' is a clause of two literals, and
'one of these must be' is a clause of all of them. 'At most k of these' is a clause for every k + 1
of them, and 'at least k' of n for every n - k + 1. They have a model if and only if the problem has
a solution. If a group would need too many clauses, variables after those of the options count it.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np

from nqbench.clauses.cnf import CNF
from nqbench.problems.base import Problem
from nqbench.problems.foreign import problem_key
from nqbench.problems.rules import Counted, Rules

LARGEST: Final = 5000
"""The largest number of options, since every two are compared; 70 rows of a board."""


MOST_SUBSETS: Final = 20_000
"""The largest number of clauses that state how many options of a group are chosen."""


@dataclass(frozen=True, slots=True)
class _CacheKey:
    """A problem that equals another one only if it is the same."""

    key: Hashable
    problem: Problem = field(compare=False)


def rules(problem: Problem) -> Rules | None:
    """The rules of a problem; None if it does not state them, or has too many options."""
    return _rules(_CacheKey(problem_key(problem), problem))


@lru_cache(maxsize=4)
def _rules(cache_key: _CacheKey) -> Rules | None:
    problem = cache_key.problem
    if not problem.has_rules or len(problem.options) > LARGEST:
        return None
    return problem.rules()


def why_none(problem: Problem) -> str:
    """Why `rules` returns None, in words; empty if it does not."""
    if rules(problem) is not None:
        return ""
    if len(problem.options) > LARGEST:
        return f"the problem has more than {LARGEST} options"
    return "the problem states no rules()"


def clauses(rules: Rules) -> CNF:
    """The formula whose models are the solutions. Beyond the variables of the options it has at
    most one, unless a group is counted: see `is_counted`.
    """
    count = len(rules.options)
    by_length: defaultdict[int, list[list[int]]] = defaultdict(list)
    variables = count
    for group in rules.needed:
        literals = (np.flatnonzero(group) + 1).tolist()
        by_length[len(literals)].append(literals)
    for counted in rules.counted:
        group_clauses, variables = _count_group(counted, variables)
        for clause in group_clauses:
            by_length[len(clause)].append(clause)
    # Solvers treat an empty clause differently: two unit clauses contradict each other instead.
    impossible = []
    if by_length.pop(0, []):
        variables += 1
        impossible = [[[variables], [-variables]]]
    single = [[v] for v in rules.given()]
    blocks = [np.array(rows, dtype=np.int32) for rows in (*by_length.values(), single, *impossible)]
    blocks += [-clashing for clashing in rules.clashing()]
    return CNF(variables, count, tuple(block for block in blocks if len(block)))


def is_counted(rules: Rules) -> bool:
    """Whether `clauses` needs variables that count."""
    return any(_subsets(counted) > MOST_SUBSETS for counted in rules.counted)


def _subsets(counted: Counted) -> int:
    """The number of clauses that state a group without other variables."""
    n = int(counted.group.sum())
    too_few = math.comb(n, n - counted.least + 1) if 0 < counted.least <= n else 0
    return too_few + math.comb(n, counted.most + 1)


def _count_group(counted: Counted, before: int) -> tuple[list[list[int]], int]:
    """The clauses for a group, and the last variable that is in use after them."""
    x = (np.flatnonzero(counted.group) + 1).tolist()
    n = len(x)
    if counted.least > n:
        return [[]], before
    if _subsets(counted) <= MOST_SUBSETS:
        too_few = itertools.combinations(x, n - counted.least + 1)
        too_many = itertools.combinations(x, counted.most + 1)
        clauses = [list(some) for some in too_few] if counted.least else []
        return clauses + [[-v for v in some] for some in too_many], before
    highest = min(counted.most + 1, n)
    clauses = list(_counter(x, highest, before))
    last = before + n * highest
    at_least = range(last - highest, last + 1)  # of all n, by number from 1
    clauses += [[at_least[counted.least]]] if counted.least else []
    clauses += [[-at_least[counted.most + 1]]] if counted.most < n else []
    return clauses, last


def _counter(x: list[int], highest: int, before: int) -> Iterator[list[int]]:
    """Variable before + i * highest + j, for i from 0 and j from 1, is true if and only if at least
    j of x[0..i] are.
    """
    for i, v in enumerate(x):
        start = before + i * highest
        for j in range(1, highest + 1):
            current, above, beside = start + j, start + j - highest, start + j - highest - 1
            if i == 0:
                yield from ([[-current, v], [current, -v]] if j == 1 else [[-current]])
            elif j == 1:
                yield from [[current, -v], [current, -above], [-current, above, v]]
            else:
                yield from [
                    [current, -above],
                    [current, -v, -beside],
                    [-current, above, v],
                    [-current, beside],
                ]
