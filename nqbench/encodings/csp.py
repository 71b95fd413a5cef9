"""`csp`: a variable for each choice, whose value is the number of its option; no clauses.

V. Kumar, "Algorithms for constraint-satisfaction problems: a survey", AI Magazine 13, 1992. On a
board, the value is the column of the queen of each row: n variables of n values. n(n-1)/2
constraints keep two queens in different columns, and as many keep their distance in columns
different from that in rows: 8 variables and 56 constraints at n = 8. A torus has n(n-1)/2 more. Any
other problem has a constraint for every two options of different choices that exclude each other:
see `choices`.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import Assignment, Block
from nqbench.clauses.csp import CSP
from nqbench.common.vocabulary import Form
from nqbench.encodings import choices
from nqbench.encodings.base import Encoding
from nqbench.encodings.choices import Choices
from nqbench.encodings.pairwise import two_of
from nqbench.problems.base import Problem
from nqbench.problems.options import Solution
from nqbench.problems.queens import Queens

_NO_DISTANCES: Final = np.zeros((0, 3), dtype=np.int32)
_NO_POSITIONS: Final = np.zeros((0, 2), dtype=np.int64)


class CSPEncoding(Encoding):
    """A variable for each choice, and what two of them must not have."""

    reference = "V. Kumar, AI Magazine 13, 1992"
    makes = Form.CSP
    needs_choices = True

    def shows_options(self, problem: Problem) -> bool:
        return choices.of(problem).are_in_order

    def option_literals(self, problem: Problem) -> Block:
        return (choices.of(problem).positions + 1).astype(np.int32)[:, np.newaxis]

    def encode(self, problem: Problem) -> CSP:
        choice_table = choices.of(problem)
        domains = np.ones(choice_table.options.shape, dtype=np.bool_)
        domains.ravel()[choice_table.excluded()] = False
        if isinstance(problem, Queens):
            return CSP(domains, self._distances(problem))
        return CSP(domains, _NO_DISTANCES, _excluded_pairs(choice_table))

    def decode(self, problem: Problem, values: Assignment) -> Solution:
        return choices.options_at(problem, np.flatnonzero(values))

    @staticmethod
    def _distances(board: Queens) -> NDArray[np.int32]:
        n = board.n
        upper, lower = two_of(n).T
        apart = lower - upper
        # On a torus two columns have a second distance, across the edge.
        distances = [np.zeros_like(apart), apart, *([n - apart] if board.wraps else [])]
        pairs = np.tile(np.stack([upper, lower], axis=1), (len(distances), 1))
        return np.column_stack([pairs, np.concatenate(distances)]).astype(np.int32)


def _excluded_pairs(choice_table: Choices) -> NDArray[np.int32]:
    """Each two options that exclude each other, once, as (variable, value, variable, value)."""
    pairs = [np.stack(two, axis=1) for two in choice_table.conflicts()]
    two = np.unique(np.sort(np.concatenate([*pairs, _NO_POSITIONS]), axis=1), axis=0)
    return (
        np.stack(np.divmod(two, max(1, choice_table.most)), axis=2).reshape(-1, 4).astype(np.int32)
    )
