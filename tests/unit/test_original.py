"""Answers about a re-encoded formula are judged by the formula that it was made from."""

import numpy as np
import pytest
from programs import needs
from pysat.solvers import Solver

from nqbench.backends.base import Backend
from nqbench.checking.judge import Judge
from nqbench.checking.proving import Original
from nqbench.checking.verify import BY_FIRST_VALUES, Knowledge
from nqbench.clauses.cnf import CNF
from nqbench.clauses.rewriting.derivation import derivation, write_drat
from nqbench.clauses.rewriting.rewrite import reencode
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import CheckedBy, Verdict
from nqbench.encodings.base import Encoding
from nqbench.encodings.rewriting import scheme
from nqbench.isolate import Isolation
from nqbench.measure.run_judge import certifier
from nqbench.problems.families.cnf import Formula
from nqbench.problems.families.pigeonhole import Pigeonhole
from nqbench.problems.queens import Queens

pytestmark = pytest.mark.usefixtures("called_directly")

PROBLEM = Formula("some.cnf", "0" * 32)
NOTHING = Knowledge(None, message="not asked")


@pytest.fixture
def judge():
    return Judge(certifier(), Isolation())


def made(source, problem, target):
    """A formula, the same in another scheme, and the original as the judge gets it."""
    cnf = Encoding.named(source).clauses(problem)
    done = reencode(cnf, scheme(target), least=4)
    assert done.replaced
    steps = lambda binary: write_drat(derivation(done), binary=binary)  # noqa: E731
    return done.formula, Original(cnf, "product", steps)


def model_of(formula):
    """A model in which variables that occur nowhere are true."""
    with Solver("cadical153", bootstrap_with=formula.clauses()) as solver:
        assert solver.solve()
        known = np.array(solver.get_model()) > 0
    model = np.ones(formula.num_variables, np.bool_)
    model[: known.size] = known
    occurring = np.unique(np.abs(np.concatenate([block.ravel() for block in formula.blocks])))
    model[np.setdiff1d(np.arange(model.size), occurring - 1)] = True
    return model


def judged_sat(judge, formula, original):
    return judge.check_sat(
        PROBLEM, formula, model_of(formula), (), BY_FIRST_VALUES, limits=Limits(), original=original
    )


def judged_unsat(judge, formula, original, backend="cadical153"):
    solver = Backend.named(backend)
    return judge.check_unsat(
        PROBLEM, formula, solver, owner=backend, limits=Limits(), original=original
    )


@pytest.mark.parametrize("source", ["pairwise", "sequential", "totalizer"])
def test_a_model_is_completed_to_one_of_the_original(judge, source):
    """The auxiliary variables that the new formula does without are wrong in its model."""
    formula, original = made(source, Queens(8), "product")
    check = judged_sat(judge, formula, original)
    assert (check.verdict, check.checked_by) == (Verdict.VERIFIED, CheckedBy.CLAUSES)
    alone = original.cnf.falsified(model_of(formula)[: original.cnf.num_variables])
    assert (alone is None) == (source == "pairwise")


@pytest.mark.parametrize("source", ["pairwise", "sequential"])
def test_a_formula_that_lost_a_constraint_is_refuted(judge, source):
    formula, original = made(source, Queens(8), "product")
    lost = CNF(formula.num_variables, formula.num_main, formula.blocks[:1])
    check = judged_sat(judge, lost, original)
    assert check.verdict is Verdict.REFUTED
    assert "of the original formula, the model falsifies the clause" in check.message


@pytest.mark.parametrize(
    ("source", "backend"),
    [
        ("pairwise", "cadical153"),
        ("commander", "glucose4"),
        pytest.param("commander", "cadical", marks=needs("cadical")),
    ],
)
def test_unsat_is_shown_by_derivation_and_proof(judge, monkeypatch, source, backend):
    """Proofs in text and in the binary format; nobody solves the original."""
    formula, original = made(source, Pigeonhole(6), "bitwise")
    monkeypatch.setattr(type(judge._certifier), "decide_formula", lambda *_: pytest.fail("asked"))
    check = judged_unsat(judge, formula, original, backend)
    assert (check.verdict, check.checked_by, check.message) == ("verified", "proof", "")


def test_a_solver_without_proofs_is_judged_by_the_original_or_the_new_formula(judge, monkeypatch):
    formula, original = made("pairwise", Pigeonhole(6), "product")
    check = judged_unsat(judge, formula, original, "minisat22")
    assert (check.verdict, check.checked_by) == (Verdict.VERIFIED, CheckedBy.PROOF)
    monkeypatch.setattr(type(judge._certifier), "decide_formula", lambda *_: NOTHING)
    check = judged_unsat(judge, formula, original, "minisat22")
    assert (check.verdict, check.checked_by) == (Verdict.VERIFIED, CheckedBy.PROOF)


def test_a_proof_does_not_count_without_its_derivation(judge, monkeypatch):
    """The original alone does not have the variables of the scheme."""
    formula, original = made("pairwise", Pigeonhole(6), "product")
    monkeypatch.setattr(type(judge._certifier), "decide_formula", lambda *_: NOTHING)
    alone = Original(original.cnf, original.owner, lambda binary: iter(()))
    check = judged_unsat(judge, formula, alone)
    assert check.verdict is Verdict.UNCHECKED
    assert "with its derivation from the original" in check.message


def test_a_formula_that_says_too_much_is_refuted(judge):
    """The board has solutions, and the formula that was made from it has none."""
    formula, original = made("pairwise", Queens(6), "product")
    corner = np.array([[1]], np.int32)
    more = CNF(formula.num_variables, formula.num_main, (*formula.blocks, corner))
    check = judged_unsat(judge, more, original)
    assert (check.verdict, check.checked_by) == (Verdict.REFUTED, CheckedBy.CLAUSES)
    assert "has a model" in check.message
