"""The rules of a problem as clauses, which share nothing with any encoding.

The variables are the options. 'These two may not both be chosen' is a clause of two literals, and
'one of these must be' is a clause of all of them. They have a model if and only if the problem has
a solution.
"""

from collections import defaultdict
from functools import lru_cache
from typing import Final

import numpy as np

from nqbench.instances.cnf import CNF
from nqbench.problems.base import Problem
from nqbench.problems.rules import Rules

LARGEST: Final = 5000
"""The largest number of options, since every two are compared; 70 rows of a board."""


@lru_cache(maxsize=4)
def rules(problem: Problem) -> Rules | None:
    """The rules of a problem; None if it does not state them, or has too many options."""
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


def clauses(stated: Rules) -> CNF:
    """The formula whose models are the solutions."""
    count = len(stated.options)
    needed: defaultdict[int, list[list[int]]] = defaultdict(list)
    for group in stated.needed:
        variables = np.flatnonzero(group) + 1
        needed[variables.size].append(variables.tolist())
    # Solvers treat an empty clause differently: two unit clauses contradict each other instead.
    impossible = [[[count + 1], [-count - 1]]] if needed.pop(0, []) else []
    single = [[v] for v in stated.given()]
    blocks = [np.array(each, dtype=np.int32) for each in (*needed.values(), single, *impossible)]
    blocks += [-clashing for clashing in stated.clashing()]
    return CNF(count + len(impossible), count, tuple(block for block in blocks if len(block)))
