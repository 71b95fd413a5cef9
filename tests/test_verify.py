"""Planted liars, each by name."""

import numpy as np
import pytest

from nqbench.plugins import load_encoding
from nqbench.problem import Problem
from nqbench.verify import check
from nqbench.vocabulary import Answer, CheckedBy, Verdict

N = 4
SOLUTION = ((0, 1), (1, 3), (2, 0), (3, 2))
NOTHING = np.zeros(0, dtype=np.bool_)


def model(placement, n=N):
    values = np.zeros(n * n, dtype=np.bool_)
    values[[row * n + column for row, column in placement]] = True
    return values


@pytest.fixture(scope="module")
def cnf():
    return load_encoding("pairwise").encode(Problem(N))


def test_a_solution_is_verified_by_the_board(cnf):
    checked = check(Problem(N), cnf, Answer.SAT, model(SOLUTION), SOLUTION)
    assert (checked.verdict, checked.checked_by) == (Verdict.VERIFIED, CheckedBy.BOARD)


@pytest.mark.parametrize(
    ("placement", "message"),
    [
        (((0, 0), (0, 1), (2, 2), (3, 3)), "share a row"),
        (SOLUTION[:3], "3 queens on the board instead of 4"),
        ((), "0 queens"),
    ],
)
def test_a_false_model_is_the_solvers_mistake(cnf, placement, message):
    checked = check(Problem(N), cnf, Answer.SAT, model(placement), placement)
    assert checked.verdict is Verdict.REFUTED
    assert "falsifies the clause" in checked.message
    assert message in checked.message


def test_a_true_model_with_a_wrong_board_is_the_encodings_mistake():
    cnf = load_encoding("level2").encode(Problem(N))
    checked = check(Problem(N), cnf, Answer.SAT, model(SOLUTION[:2]), SOLUTION[:2])
    assert checked.verdict is Verdict.REFUTED
    assert "satisfies all clauses, but not the rules" in checked.message


def test_a_false_model_is_refuted_even_where_its_board_happens_to_be_right(cnf):
    checked = check(Problem(N), cnf, Answer.SAT, ~model(SOLUTION), SOLUTION)
    assert checked.verdict is Verdict.REFUTED
    assert "a solution all the same" in checked.message


def test_a_model_of_the_wrong_length_is_refuted(cnf):
    checked = check(Problem(N), cnf, Answer.SAT, model(SOLUTION)[:-1], SOLUTION)
    assert checked.verdict is Verdict.REFUTED


def test_unsat_on_a_satisfiable_board_is_refuted_by_theorem(cnf):
    checked = check(Problem(N), cnf, Answer.UNSAT, NOTHING, ())
    assert (checked.verdict, checked.checked_by) == (Verdict.REFUTED, CheckedBy.THEOREM)


@pytest.mark.parametrize("n", [2, 3])
def test_unsat_is_verified_by_theorem_where_there_is_no_solution(n):
    cnf = load_encoding("pairwise").encode(Problem(n))
    checked = check(Problem(n), cnf, Answer.UNSAT, NOTHING, ())
    assert (checked.verdict, checked.checked_by) == (Verdict.VERIFIED, CheckedBy.THEOREM)


def test_sat_on_a_board_without_solution_is_refuted():
    cnf = load_encoding("pairwise").encode(Problem(3))
    placement = ((0, 0), (1, 2), (2, 1))
    checked = check(Problem(3), cnf, Answer.SAT, model(placement, 3), placement)
    assert checked.verdict is Verdict.REFUTED


def test_no_answer_is_left_unchecked(cnf):
    checked = check(Problem(N), cnf, Answer.UNKNOWN, NOTHING, ())
    assert (checked.verdict, checked.checked_by) == (Verdict.UNCHECKED, CheckedBy.NONE)
