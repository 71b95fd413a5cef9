"""Every solver that can prove does, within its limits, and a certificate is open beyond them."""

import time

import pytest
from places import CSPLIB
from programs import needs

from nqbench.addons.certify.certificate import Result
from nqbench.addons.certify.examiner import certificates
from nqbench.backends.base import Backend
from nqbench.checking import proof
from nqbench.checking.verify import Knowledge, ProofState
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import CheckedBy
from nqbench.encodings.base import Encoding
from nqbench.measure.run_judge import certifier
from nqbench.plugins import backend_names
from nqbench.problems import board_files
from nqbench.problems.queens import Queens

HOPELESS = board_files.read(CSPLIB / "diag-8-4-1.param", 8)
PROGRAMS = ("cadical", "glucose")
"""Those that no package installs."""

PROVING = [name for name in backend_names() if Backend.named(name).capabilities.proof]


@pytest.fixture(scope="module")
def cnf():
    return Encoding.named("pairwise").clauses(HOPELESS)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=needs(n)) if n in PROGRAMS else n for n in PROVING],
)
def test_every_solver_that_can_prove_proves_a_board_of_csplib(name, cnf):
    found = certifier().proof(Backend.named(name), cnf, Limits())
    assert found.state is ProofState.CHECKED, found.message


def test_a_proof_may_take_four_times_the_processor_time_of_a_run(cnf, monkeypatch):
    def toil(*_):
        until = time.process_time() + 0.8
        while time.process_time() < until:
            pass
        return proof.Reading(None)

    monkeypatch.setattr(proof, "replay_lrat", toil)
    limits = Limits(time_s=10.0, cpu_s=0.5)
    found = certifier().proof(Backend.named("cadical195"), cnf, limits)
    assert found.state is ProofState.CHECKED, found.message
    known = certifier().decide_formula(cnf, limits)
    assert known == Knowledge(False, CheckedBy.PROOF)


def test_limits_leave_the_question_open():
    (found,) = certificates(Encoding.named("log"), [Queens(9)], Limits(time_s=0.005))
    assert found.result is Result.OPEN
    assert "the time limit" in found.messages["count"]
