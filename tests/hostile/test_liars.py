"""Solvers that give wrong answers, from the command that runs them to the recorded verdict."""

import pytest
from lying_programs import lying_program, measured
from measuring import HOPELESS, without_notes_on_time

from nqbench.checking.verify import PROOF_HOLDS
from nqbench.common.limits import Checking, ProofLimits
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Task, Verdict
from nqbench.problems.queens import Queens

pytestmark = pytest.mark.usefixtures("faulty_plugin")


@pytest.mark.parametrize(
    ("backend", "problem", "checked_by", "message"),
    [
        ("faulty-liar-sat", Queens(6), CheckedBy.BOARD, "queens on (0, 0) and (0, 1) share a row"),
        ("faulty-liar-short", Queens(6), CheckedBy.BOARD, "a model of 3 variables"),
        ("faulty-liar-unsat", Queens(6), CheckedBy.THEOREM, "queens n=6 has a solution"),
        (
            "faulty-liar-unsat",
            Queens(6, "completion", placed=((0, 1),)),
            CheckedBy.ORACLE,
            "completion placed=1 4b792aa9 n=6 has a solution",
        ),
        ("faulty-liar-always-sat", Queens(3), CheckedBy.BOARD, "share a"),
        ("faulty-proof-cut", HOPELESS, CheckedBy.PROOF, "the proof ends without the empty clause"),
        ("faulty-proof-other", HOPELESS, CheckedBy.PROOF, "does not follow"),
    ],
)
def test_a_lying_solver_is_refuted(backend, problem, checked_by, message):
    record = measured(backend, problem)
    assert (record.outcome, record.verdict) == (Outcome.FINISHED, Verdict.REFUTED)
    assert record.checked_by is checked_by
    assert message in record.message


def test_an_honest_solver_proves_the_same_board():
    record = measured("cadical195", HOPELESS)
    assert (record.answer, record.checked_by) == (Answer.UNSAT, CheckedBy.ORACLE)
    assert without_notes_on_time(record.message) == PROOF_HOLDS
    assert record.conflicts > 0


@pytest.mark.parametrize(
    ("backend", "message"),
    [
        ("faulty-skips", "3 solutions, but queens n=6 has 4"),
        ("faulty-repeats", "4 solutions, of which 3 are different"),
    ],
)
def test_a_wrong_list_of_all_solutions_is_refuted(backend, message):
    record = measured(backend, Queens(6), task=Task.ALL)
    assert record.verdict is Verdict.REFUTED
    assert message in record.message


def test_an_endless_proof_is_bounded_and_the_answer_checked_otherwise():
    checking = Checking(proofs=ProofLimits(size_bytes=64 * 2**20))
    record = measured("faulty-proof-long", HOPELESS, checking=checking)
    assert (record.verdict, record.checked_by) == (Verdict.VERIFIED, CheckedBy.ORACLE)
    assert without_notes_on_time(record.message) == "proof not checked: longer than 64 MiB"


@pytest.mark.parametrize(
    ("name", "outcome", "verdict", "message"),
    [
        ("contradicts itself", Outcome.CRASHED, Verdict.UNCHECKED, "'sat' and exits with 20"),
        ("says nothing", Outcome.CRASHED, Verdict.UNCHECKED, "no answer: expected 's SATISFIABLE'"),
        ("gives no model", Outcome.CRASHED, Verdict.UNCHECKED, "without a model"),
        ("prints a gigabyte", Outcome.CRASHED, Verdict.UNCHECKED, "printed more than 67108864"),
        ("lies", Outcome.FINISHED, Verdict.REFUTED, "the model falsifies the clause"),
        ("denies", Outcome.FINISHED, Verdict.REFUTED, "has a solution"),
    ],
)
def test_a_lying_program_is_caught(tmp_path, name, outcome, verdict, message):
    record = measured(f"exe:{lying_program(tmp_path, name)}", Queens(6))
    assert (record.outcome, record.verdict) == (outcome, verdict), record.message
    assert message in record.message
    assert record.answer in (None, Answer.SAT, Answer.UNSAT)
