"""Symmetry breaking: clauses that keep one solution of each equivalence class, the lex-leader.

The clauses that compare two vectors lexicographically are from D. Knuth, TAOCP 4B, section 7.2.2.2:
for m options each, m - 1 auxiliary variables and 3m - 2 clauses. Two options
are compared only once, and an option that is its own image is not compared at all.
"""

import numpy as np

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.problems.base import Problem


def keep_lex_leaders(cnf: CNFBuilder, problem: Problem, not_chosen: Block | None = None) -> None:
    """Add the clauses that keep the lex-leaders, if the problem defines some: `Problem.lex_leader`.

    `not_chosen`, shape (options, literals), has for each option the clause that it is not chosen,
    with 0 for no literal. By default, the first variables are the options.
    """
    if not problem.has_symmetries:
        return
    if not_chosen is None:
        not_chosen = -np.arange(1, len(problem.options) + 1, dtype=np.int32)[:, np.newaxis]
    leader = problem.lex_leader()
    for image in leader.images:
        options, images = _drop_equal(leader.order, image[leader.order - 1])
        _at_least(cnf, not_chosen[options - 1], not_chosen[images - 1])


def _drop_equal(options: Block, images: Block) -> Block:
    """The options and their images, without those that are known to be equal: shape (2, m)."""
    pairs = np.stack([options, images])[:, options != images]
    _, first = np.unique(np.sort(pairs, axis=0), axis=1, return_index=True)
    distinct: Block = pairs[:, np.sort(first)]
    return distinct


def _at_least(cnf: CNFBuilder, not_x: Block, not_y: Block) -> None:
    """State that x are lexicographically at least y, each m options, by the clauses that they are
    not chosen, shapes (m, literals).
    """
    if not len(not_x):
        return
    # Variable i is true if all options up to i are equal. The last one needs none.
    equal = cnf.fresh_array(len(not_x) - 1)
    differ = np.append(np.int32(0), -equal)
    for literals in -not_x.T:
        has = literals != 0
        cnf.add_without_zeros(np.column_stack([differ, literals, not_y])[has])
        still_equal = np.column_stack([differ[:-1], equal, literals[:-1]])
        cnf.add_without_zeros(still_equal[has[:-1]])
    cnf.add_without_zeros(np.column_stack([differ[:-1], equal, not_y[:-1]]))
