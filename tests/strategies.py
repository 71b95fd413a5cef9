"""Hypothesis strategies."""

from hypothesis import strategies as st

from nqbench.problems.queens import Queens


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
