"""Wrong answers of many kinds, each of which the check has to refute."""

import re

import numpy as np
import pytest

from nqbench.checking.verify import (
    PROOF_HOLDS,
    UNCHECKED,
    Check,
    Knowledge,
    ProofCheck,
    ProofState,
    check_all,
    check_sat,
    check_unsat,
)
from nqbench.clauses.cnf import CNFBuilder
from nqbench.common.vocabulary import CheckedBy, Verdict
from nqbench.encodings.base import Encoding
from nqbench.problems.families.cnf import Formula
from nqbench.problems.queens import Queens
from nqbench.testing import solutions

N = 4
SOLUTION = ((0, 1), (1, 3), (2, 0), (3, 2))
NO_PROOF = ProofCheck()
PROVED = ProofCheck(ProofState.CHECKED)
FLAWED = ProofCheck(ProofState.FLAWED, "step 3, the clause '1 2', does not follow")
TOO_LONG = ProofCheck(ProofState.NOT_CHECKED, "proof not checked: longer than 64 MiB")
UNKNOWN = Knowledge(None)


def model(placement, n=N):
    values = np.zeros(n * n, dtype=np.bool_)
    values[[row * n + column for row, column in placement]] = True
    return values


@pytest.fixture(scope="module")
def cnf():
    return Encoding.named("pairwise").encode(Queens(N))


def test_a_solution_is_verified_by_the_board(cnf):
    checked = check_sat(Queens(N), cnf, model(SOLUTION), SOLUTION)
    assert (checked.verdict, checked.checked_by) == (Verdict.VERIFIED, CheckedBy.BOARD)


@pytest.mark.parametrize(
    ("encoding", "placement", "message"),
    [
        ("pairwise", ((0, 0), (0, 1), (2, 2), (3, 3)), "falsifies the clause .* share a row"),
        ("pairwise", SOLUTION[:3], "falsifies the clause .*3 queens on the board instead of 4"),
        ("pairwise", (), "falsifies the clause .*0 queens"),
        # The model is true, and the mistake that of the encoding.
        ("level2", SOLUTION[:2], "satisfies the instance, but not the rules"),
        ("csp", ((0, 1), (1, 3), (2, 2), (3, 0)), r"the model breaks \|x1 - x2\| != 1"),
        ("csp", SOLUTION[:3], "variable 3 has 0 values"),
        ("csp", (*SOLUTION, (3, 3)), "variable 3 has 2 values"),
    ],
)
def test_a_wrong_model_is_refuted(encoding, placement, message):
    instance = Encoding.named(encoding).encode(Queens(N))
    checked = check_sat(Queens(N), instance, model(placement), placement)
    assert checked.verdict is Verdict.REFUTED
    assert re.search(message, checked.message)


def test_a_false_model_is_refuted_even_where_its_board_happens_to_be_right(cnf):
    checked = check_sat(Queens(N), cnf, ~model(SOLUTION), SOLUTION)
    assert checked.verdict is Verdict.REFUTED
    assert "still a solution" in checked.message


@pytest.mark.parametrize(
    ("values", "verdict", "message"),
    [
        ([True, False, True], Verdict.VERIFIED, ""),
        ([True, False, False], Verdict.REFUTED, "the model falsifies the clause 2 3"),
        ([True, False], Verdict.REFUTED, "a model of 2 variables for an instance of 3"),
        ([True] * 4, Verdict.REFUTED, "a model of 4 variables for an instance of 3"),
    ],
)
def test_a_model_of_a_formula_is_checked_against_its_clauses(values, verdict, message):
    formula = CNFBuilder(0)
    formula.fresh(3)
    formula.add([[1, -2], [2, 3]])
    problem = Formula("f.cnf", "d", "f.cnf")
    checked = check_sat(problem, formula.build(), np.array(values), ())
    assert (checked.verdict, checked.checked_by) == (verdict, CheckedBy.CLAUSES)
    assert checked.message == message


@pytest.mark.parametrize("source", [CheckedBy.THEOREM, CheckedBy.ORACLE])
@pytest.mark.parametrize("proof", [NO_PROOF, PROVED, FLAWED])
def test_unsat_where_there_is_a_solution_is_refuted_whatever_the_proof(source, proof):
    """A correct proof for a formula that forbids too much proves nothing about the problem."""
    checked = check_unsat(Queens(N), Knowledge(True, source), proof)
    assert (checked.verdict, checked.checked_by) == (Verdict.REFUTED, source)
    though = ", though the proof holds" if proof is PROVED else ""
    assert checked.message == f"'unsat'{though}, but queens n=4 has a solution"


def test_unsat_of_a_formula_that_has_a_model_is_refuted():
    formula = Formula("holes.cnf", "digest", "/holes.cnf")
    checked = check_unsat(formula, Knowledge(True, CheckedBy.CLAUSES), NO_PROOF)
    assert (checked.verdict, checked.checked_by) == (Verdict.REFUTED, CheckedBy.CLAUSES)
    assert checked.message == "'unsat', but holes.cnf has a model"


@pytest.mark.parametrize(
    ("known", "proof", "verdict", "checked_by"),
    [
        (Knowledge(False, CheckedBy.THEOREM), PROVED, Verdict.VERIFIED, CheckedBy.THEOREM),
        (Knowledge(False, CheckedBy.THEOREM), NO_PROOF, Verdict.VERIFIED, CheckedBy.THEOREM),
        (Knowledge(False, CheckedBy.ORACLE), NO_PROOF, Verdict.VERIFIED, CheckedBy.ORACLE),
        (Knowledge(False, CheckedBy.ORACLE), TOO_LONG, Verdict.VERIFIED, CheckedBy.ORACLE),
        (Knowledge(False, CheckedBy.THEOREM), FLAWED, Verdict.REFUTED, CheckedBy.PROOF),
        (Knowledge(False, CheckedBy.PROOF), NO_PROOF, Verdict.VERIFIED, CheckedBy.PROOF),
        (Knowledge(False, CheckedBy.PROOF), FLAWED, Verdict.REFUTED, CheckedBy.PROOF),
        (UNKNOWN, PROVED, Verdict.VERIFIED, CheckedBy.FORMULA),
        (UNKNOWN, FLAWED, Verdict.REFUTED, CheckedBy.PROOF),
        (UNKNOWN, TOO_LONG, Verdict.UNCHECKED, CheckedBy.NONE),
        (UNKNOWN, NO_PROOF, Verdict.UNCHECKED, CheckedBy.NONE),
    ],
)
def test_unsat_rests_on_what_is_known_of_the_problem_else_on_a_proof(
    known, proof, verdict, checked_by
):
    checked = check_unsat(Queens(3), known, proof)
    assert (checked.verdict, checked.checked_by) == (verdict, checked_by)
    assert proof.message in checked.message


def test_a_proof_shows_unsat_of_a_formula_and_of_a_problem_only_for_its_formula():
    formula = Formula("holes.cnf", "digest", "/holes.cnf")
    assert check_unsat(formula, UNKNOWN, PROVED) == Check(Verdict.VERIFIED, CheckedBy.PROOF)
    too_large = Knowledge(None, message="the problem is too large")
    checked = check_unsat(Queens(3), too_large, PROVED)
    assert checked.message == "formula only: the problem is too large"
    known = Knowledge(False, CheckedBy.ORACLE)
    assert check_unsat(Queens(3), known, PROVED).message == PROOF_HOLDS
    assert check_unsat(Queens(3), known, NO_PROOF).message == ""


@pytest.mark.parametrize(
    ("fact", "field"),
    [(UNCHECKED, "verdict"), (NO_PROOF, "state"), (UNKNOWN, "source")],
)
def test_a_verdict_and_what_it_rests_on_cannot_be_changed(fact, field):
    with pytest.raises(AttributeError):
        setattr(fact, field, "another")


def test_a_value_that_a_csp_does_not_allow_is_refuted():
    problem = Queens(N, "blocked", blocked=((2, 0),))
    csp = Encoding.named("csp").encode(problem)
    checked = check_sat(problem, csp, model(SOLUTION), SOLUTION)
    assert "variable 2 has the value 0, outside its domain" in checked.message


EVERY = np.array([[row * 6 + column + 1 for row, column in s] for s in solutions(Queens(6))])


@pytest.mark.parametrize(
    ("listed", "expected", "verdict", "message"),
    [
        (EVERY, 4, Verdict.VERIFIED, ""),
        (EVERY[::-1], 4, Verdict.VERIFIED, ""),
        (EVERY, None, Verdict.UNCHECKED, "it was not checked whether there are others"),
        (EVERY[:3], 4, Verdict.REFUTED, "3 solutions, but queens n=6 has 4"),
        (EVERY, 3, Verdict.REFUTED, "4 solutions, but queens n=6 has 3"),
        (EVERY[[0, 1, 2, 2]], 4, Verdict.REFUTED, "4 solutions, of which 3 are different"),
        (EVERY + 1, 4, Verdict.REFUTED, "not a solution"),
        (np.full((4, 6), -1), 4, Verdict.REFUTED, "-1 is no option"),
    ],
)
def test_a_list_of_all_solutions_is_right_if_it_is_as_long_as_it_must_be(
    listed, expected, verdict, message
):
    checked = check_all(Queens(6), listed.tolist(), expected, CheckedBy.ORACLE)
    assert checked.verdict is verdict
    assert message in checked.message


@pytest.mark.parametrize(
    ("chosen", "wrong"), [([1, 0], 0), ([-1, 1], -1), ([17, 1], 17), ([2, 18, 0], 18)]
)
def test_a_listed_number_that_is_no_option_is_named(chosen, wrong):
    checked = check_all(Queens(4), [chosen], 2, CheckedBy.ORACLE)
    assert checked.verdict is Verdict.REFUTED
    assert checked.message == f"not a solution: {wrong} is no option"


def test_the_first_and_the_last_option_are_options():
    """They are in bounds, so what is named is the diagonal that these four queens share."""
    for chosen in ([1, 6, 11, 16], [16, 11, 6, 1]):
        checked = check_all(Queens(4), [chosen], 2, CheckedBy.ORACLE)
        assert "falling diagonal" in checked.message
    verified = check_all(Queens(1), [[1]], 1, CheckedBy.ORACLE)
    assert verified.verdict is Verdict.VERIFIED


@pytest.mark.parametrize("more", [0, 1])
def test_a_model_that_shows_more_or_less_than_the_solution_is_refuted(more):
    """An encoding that lets a solution follow from a part of its squares, or adds to it."""
    cnf = CNFBuilder(16)
    shown = model(SOLUTION)
    shown[2 if more else 1] = bool(more)
    checked = check_sat(Queens(4), cnf.build(), shown, SOLUTION)
    assert checked.verdict is Verdict.REFUTED
    assert "the model's squares show" in checked.message
