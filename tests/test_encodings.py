"""Every installed encoding goes through these; see also test_backends."""

import numpy as np
import pytest
from conftest import solutions_by_permutation
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from nqbench.plugins import encoding_names, load_encoding
from nqbench.problem import Problem

ENCODINGS = encoding_names()


def placements(encoding, n):
    """All full placements, by enumerating models and blocking their queens."""
    problem = Problem(n)
    cnf = encoding.encode(problem)
    found = []
    with Solver("minisat22", bootstrap_with=list(cnf.clauses())) as solver:
        while solver.solve():
            model = solver.get_model()
            values = np.array(model) > 0
            placement = encoding.decode(problem, values)
            if len(placement) == n:
                found.append(placement)
            solver.add_clause([-literal for literal in model[: cnf.board]])
    return found


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("n", range(1, 7))
def test_full_placements_are_exactly_the_solutions(name, n):
    found = placements(load_encoding(name), n)
    assert len(found) == len(set(found))
    assert set(found) == set(solutions_by_permutation(n))


@pytest.mark.parametrize("name", [name for name in ENCODINGS if name != "level2"])
def test_eight_queens_have_92_solutions(name, known_values):
    assert len(placements(load_encoding(name), 8)) == known_values["solutions"]["values"][8]


@pytest.mark.parametrize("name", ENCODINGS)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_partial_placement_is_completable_exactly_if_a_solution_holds_it(name, data):
    n = data.draw(st.integers(4, 6), label="n")
    squares = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    queens = data.draw(st.sets(squares, max_size=3), label="queens")
    encoding = load_encoding(name)
    cnf = encoding.encode(Problem(n))
    rows = np.arange(1, n * n + 1).reshape(n, n).tolist() if not encoding.forces_all_queens else []
    with Solver("minisat22", bootstrap_with=[*cnf.clauses(), *rows]) as solver:
        satisfiable = solver.solve(assumptions=[r * n + c + 1 for r, c in queens])
    assert satisfiable == any(queens <= set(s) for s in solutions_by_permutation(n))


@pytest.mark.parametrize(
    ("name", "clauses"),
    [
        ("pairwise", {4: 84, 8: 744}),
        ("alo-row", {2: 8, 4: 80, 8: 736}),
        ("level1", {8: 512}),
        ("level2", {4: 77, 8: 729}),
        ("pyeda-onehot", {4: 84, 8: 744}),
    ],
)
def test_sizes_are_those_published(name, clauses):
    for n, expected in clauses.items():
        cnf = load_encoding(name).encode(Problem(n))
        assert (cnf.num_clauses, cnf.num_variables) == (expected, n * n)


@pytest.mark.parametrize("n", range(1, 31))
def test_sizes_follow_their_formulas(n):
    pairs = n * (n - 1) * (5 * n - 1) // 3
    expected = {"pairwise": 2 * n + pairs, "alo-row": n + pairs, "level2": 1 + pairs}
    for name, clauses in expected.items():
        assert load_encoding(name).encode(Problem(n)).num_clauses == clauses


def test_pyeda_writes_the_clauses_of_pairwise():
    def clauses(name):
        return {frozenset(clause) for clause in load_encoding(name).encode(Problem(8)).clauses()}

    assert clauses("pyeda-onehot") == clauses("pairwise")


def test_the_clauses_of_square_28_are_those_published():
    """Square 28 is row 3, column 3 of the 8 x 8 board."""
    cnf = load_encoding("pairwise").encode(Problem(8))
    others = [-(set(c) - {-28}).pop() for c in cnf.clauses() if len(c) == 2 and -28 in c]
    diagonals = [1, 10, 19, 37, 46, 55, 64, 7, 14, 21, 35, 42, 49]
    row, column = [25, 26, 27, 29, 30, 31, 32], [4, 12, 20, 36, 44, 52, 60]
    assert sorted(others) == sorted(diagonals + row + column)
    assert len(others) == 27


@pytest.mark.parametrize("name", ENCODINGS)
def test_one_problem_gives_one_formula(name):
    first, second = (load_encoding(name).encode(Problem(7)) for _ in range(2))
    first.check()
    assert first.digest() == second.digest()
    assert first.board == 49
