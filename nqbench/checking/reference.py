"""The rules of a problem as clauses, which share nothing with any encoding.

The variables are the options. 'These two may not both be chosen' is a clause of two literals, and
'one of these must be' is a clause of all of them. 'At most k of these' is a clause for every k + 1
of them, and 'at least k' of n for every n - k + 1. They have a model if and only if the problem has
a solution. If a group would need too many clauses, a tree counts it, with variables after those of
the options: see `row_clauses`.
"""

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np

from nqbench.checking import row_clauses
from nqbench.clauses.cnf import CNF
from nqbench.problems.base import Problem
from nqbench.problems.foreign import problem_key
from nqbench.problems.rules import Counted, Literals, Rules

LARGEST: Final = 5000
"""The largest number of options, if every two are compared; 70 rows of a board."""

LARGEST_WITHOUT_CLASH: Final = 10_000
"""The largest number of options if no two clash; 100 rows of a board."""

MOST_SUBSETS: Final = 20_000
"""The largest number of clauses that state how many literals of a group are true."""


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
    if not problem.has_rules or len(problem.options) > LARGEST_WITHOUT_CLASH:
        return None
    stated = problem.rules()
    is_too_large = len(problem.options) > LARGEST and stated and stated.clash is not None
    return None if is_too_large else stated


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
    by_length: defaultdict[int, list[Literals]] = defaultdict(list)
    for group in rules.needed_literals():
        by_length[len(group)].append(group)
    rows: defaultdict[tuple[int, int, int], list[Literals]] = defaultdict(list)
    if lacking := by_length.pop(0, []):
        rows[0, 1, 0] = lacking[:1]
    for counted in rules.counted:
        rows[_form(counted)].append(counted.literals)
    blocks = [np.array(groups, dtype=np.int32) for groups in by_length.values()]
    blocks += [np.array(rules.given(), dtype=np.int32).reshape(-1, 1)]
    blocks += [-clashing for clashing in rules.clashing()]
    variables = count
    for (n, least, most), groups in rows.items():
        template = _template(n, least, most)
        auxiliaries = row_clauses.fresh(template, len(groups), variables)
        variables += auxiliaries.size
        blocks += row_clauses.placed(template, np.array(groups, dtype=np.int32), auxiliaries)
    return CNF(variables, count, tuple(block for block in blocks if len(block)))


def is_counted(rules: Rules) -> bool:
    """Whether `clauses` needs variables that count."""
    return any(row_clauses.num_subsets(*_form(counted)) > MOST_SUBSETS for counted in rules.counted)


def _form(counted: Counted) -> tuple[int, int, int]:
    """The length of a group and its bounds; those that nothing meets are 1 and 0."""
    n = len(counted.literals)
    least, most = max(0, counted.least), min(n, counted.most)
    return (n, least, most) if least <= most else (n, 1, 0)


@lru_cache(maxsize=64)
def _template(n: int, least: int, most: int) -> CNF:
    """The clauses of a group with the literals 1..n."""
    if least > most:
        return row_clauses.impossible(n)
    if row_clauses.num_subsets(n, least, most) <= MOST_SUBSETS:
        return row_clauses.subsets(n, least, most)
    return row_clauses.counted(n, least, most)
