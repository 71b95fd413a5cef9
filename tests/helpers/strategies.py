"""Hypothesis strategies."""

import numpy as np
from hypothesis import strategies as st

from nqbench.clauses.cnf import CNFBuilder
from nqbench.problems.queens import Queens
from nqbench.testing.brute_force import AnyCover


@st.composite
def boards(draw, largest, placed=3, blocked=12):
    """Boards of up to `largest` rows, plain or tori, with queens that may attack each other, and
    with blocked squares.
    """
    n = draw(st.integers(1, largest))
    squares = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    queens = draw(st.sets(squares, max_size=placed))
    others = draw(st.sets(squares, max_size=blocked)) - queens
    family = draw(st.sampled_from(["blocked", "torus"]))
    return Queens(n, family, placed=tuple(queens), blocked=tuple(others))


@st.composite
def any_covers(draw):
    """Any cover of up to seven options: with items that no option covers, options without items,
    options that cover only secondary items, and options that are chosen or excluded, or both.
    """
    options = draw(st.integers(0, 7))
    item = st.lists(st.integers(1, options), unique=True) if options else st.just([])
    literals = [sign * option for option in range(1, options + 1) for sign in (1, -1)]
    chosen = st.lists(st.sampled_from(literals), max_size=3) if literals else st.just([])
    return AnyCover(
        num_options=options,
        primary=tuple(map(tuple, draw(st.lists(item, max_size=5)))),
        secondary=tuple(map(tuple, draw(st.lists(item, max_size=4)))),
        given=tuple(draw(chosen)),
    )


@st.composite
def formulas(draw):
    num_variables = draw(st.integers(1, 8))
    literal = st.integers(1, num_variables).flatmap(lambda v: st.sampled_from([v, -v]))
    clauses = draw(st.lists(st.lists(literal, max_size=4), max_size=12))
    cnf = CNFBuilder(num_main=num_variables)
    for clause in clauses:
        cnf.add(np.array(clause, dtype=np.int32).reshape(1, -1))
    return clauses, cnf.build()
