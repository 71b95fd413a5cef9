"""Proofs and exhaustive counts, made in separate processes."""

import os
from types import SimpleNamespace

import pytest
from places import CSPLIB
from programs import write_program

from nqbench.backends.base import Backend
from nqbench.checking.verify import Knowledge, ProofState
from nqbench.clauses.cnf import CNFBuilder
from nqbench.common.limits import Limits, ProofLimits
from nqbench.common.vocabulary import CheckedBy
from nqbench.encodings.base import Encoding
from nqbench.measure.run_judge import certifier
from nqbench.problems import board_files
from nqbench.problems.queens import Queens

HOPELESS = board_files.read(CSPLIB / "diag-8-4-1.param", 8)
IN_A_ROW = Queens(40, placed=((0, 0), (0, 9)))


@pytest.fixture(scope="module")
def cnf():
    return Encoding.named("pairwise").clauses(HOPELESS)


@pytest.mark.parametrize(
    ("proofs", "limits"),
    [(None, Limits(time_s=1e-4)), (ProofLimits(time_s=1e-4), Limits(time_s=1000.0))],
    ids=["of the run", "of proofs"],
)
def test_a_proof_that_takes_too_long_is_not_checked(cnf, proofs, limits):
    found = certifier(proofs=proofs).proof(Backend.named("cadical195"), cnf, limits)
    assert found.state is ProofState.NOT_CHECKED
    assert "stopped at the time limit of 0.000" in found.message


@pytest.mark.parametrize(
    ("command", "state"),
    [
        ("echo 0", ProofState.CHECKED),
        ("yes 1 2 0 | head -n 40000", ProofState.NOT_CHECKED),
    ],
)
def test_the_bound_on_proofs_is_not_one_on_formulas(command, state, tmp_path, monkeypatch):
    """Programs read the formula from a file, which may be larger than a proof."""
    write_program(
        tmp_path / "cadical",
        f"for file; do :; done\n{command} > $file\necho 's UNSATISFIABLE'\nexit 20\n",
    )
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    formula = CNFBuilder(num_main=2)
    formula.add([[1], [-1]])
    formula.add([[1, 2]] * 30_000)
    cnf = formula.build()
    small = certifier(proofs=ProofLimits(size_bytes=2**16))
    found = small.proof(Backend.named("cadical"), cnf, Limits())
    assert found.state is state, found.message
    assert state is ProofState.CHECKED or "longer than" in found.message


def test_a_full_disk_is_no_fault_of_the_proof(cnf, monkeypatch):
    full = SimpleNamespace(f_bavail=0)
    monkeypatch.setattr(os, "fstatvfs", lambda _: full)
    found = certifier().proof(Backend.named("cadical195"), cnf, Limits())
    assert found.state is ProofState.NOT_CHECKED
    assert "no space left in" in found.message


@pytest.mark.usefixtures("called_directly")
def test_a_solver_that_proves_nothing_is_not_asked(cnf):
    found = certifier().proof(Backend.named("minisat22"), cnf, Limits())
    assert found.state is ProofState.NONE


@pytest.mark.usefixtures("called_directly")
def test_a_proof_is_made_once(cnf, monkeypatch):
    backend, once = Backend.named("cadical195"), certifier()
    first = once.proof(backend, cnf, Limits())
    monkeypatch.setattr(backend, "prove", None)
    assert once.proof(backend, cnf, Limits()) is first


@pytest.mark.usefixtures("called_directly")
@pytest.mark.parametrize(
    ("problem", "known"),
    [
        (Queens(3), Knowledge(False, CheckedBy.THEOREM)),
        (Queens(1000), Knowledge(True, CheckedBy.THEOREM)),
        (HOPELESS, Knowledge(False, CheckedBy.ORACLE)),
        (Queens(8, placed=((0, 0),)), Knowledge(True, CheckedBy.ORACLE)),
        (Queens(40, placed=((0, 0),)), Knowledge(True, CheckedBy.BOARD)),
        (IN_A_ROW, Knowledge(False, CheckedBy.PROOF, "by cadical195 on the rules")),
        (
            Queens(71, placed=((0, 0),)),
            Knowledge(None, message="the problem has more than 5000 options"),
        ),
    ],
)
def test_what_is_known_of_a_problem(problem, known):
    """By a theorem, by a search of small ones, or by a checked answer to the rules."""
    once = certifier()
    assert once.decide_problem(problem, Limits()) == known
    assert once.decide_problem(problem, Limits()) is once.decide_problem(problem, Limits()) or (
        known.source is CheckedBy.THEOREM
    )


def test_a_count_out_of_reach_is_not_known():
    assert certifier().count(Queens(8)) == (92, CheckedBy.ORACLE)
    assert certifier().count(Queens(20))[0] is None
