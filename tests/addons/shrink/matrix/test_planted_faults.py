"""One planted fault of each kind, in a process of its own and judged, as the command does it.
`unit/test_shrink.py` shrinks all wrong answers in its own process.
"""

import importlib.util
from pathlib import Path

import pytest

import nqbench

UNIT = Path(__file__).parents[1] / "unit" / "test_shrink.py"
SPEC = importlib.util.spec_from_file_location("shrinking_by_hand", UNIT)
BY_HAND = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(BY_HAND)

import planted_faults  # noqa: E402


@pytest.mark.parametrize(
    "fault",
    [
        *("wrong_unsat_after_conflicts", "forgets_binary_clauses", "aborts_on_conflicts"),
        *("crashes_on_resolvents", "proof_lacks_a_lemma"),
    ],
)
def test_a_planted_fault_becomes_small_and_its_program_shows_it(fault, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(BY_HAND.FAULTS))
    is_of_proof = fault == "proof_lacks_a_lemma"
    clauses = BY_HAND.start(1, is_satisfiable=not is_of_proof)
    path = BY_HAND.dimacs(clauses, tmp_path / "start.cnf")
    backend = f"{BY_HAND.PLANTED}:{planted_faults.class_name(fault)}"
    shrunk = nqbench.shrink(path, backends=backend, budget="15m")
    assert (shrunk.clauses <= 10, shrunk.runs <= 200) == (True, True), str(shrunk)
    assert shrunk.is_minimal
    # Of a solver in a file, only nqbench can ask for a proof.
    assert shrunk.needs_nqbench == is_of_proof
    if not is_of_proof:
        assert BY_HAND.shown_alone(shrunk.program, tmp_path / "alone")


@pytest.mark.parametrize(
    ("fault", "found", "is_alone"),
    [
        ("hang", "does not end: stopped at the time limit of 1 s", True),
        ("open", "the model leaves", False),
        ("status", "says 'sat' and exits with 20", False),
        ("proof", "writes a wrong proof: it is wrong", False),
        ("no-proof", "writes a wrong proof: it wrote no proof", False),
        ("no-end", "writes a wrong proof: its proof ends without the empty clause", False),
    ],
)
def test_a_program_that_fails_in_another_way(tmp_path, monkeypatch, fault, found, is_alone):
    """Named by where it is from here: the program shows it from every folder."""
    monkeypatch.chdir(BY_HAND.FAULTS)
    clauses = [[3, 4, 5], [-3, 4, 5], [-4, 6], [1, 2, -6]]
    if "no" in fault or "proof" in fault:
        clauses = [[1, 2], [1, -2], [-1, 2], [-1, -2], [2, 3], [3, 4]]
    path = BY_HAND.dimacs(clauses, tmp_path / "wrong.cnf")
    backend = f"exe:./failing_program.py {fault} {{cnf}} {{proof}}"
    shrunk = nqbench.shrink(path, backends=backend, time_limit="1s" if is_alone else "30s")
    assert found in shrunk.found
    assert shrunk.clauses < len(clauses)
    assert shrunk.needs_nqbench != is_alone
    if fault in {"hang", "status", "no-end"}:  # one of each kind of program
        assert BY_HAND.exit_status_elsewhere(shrunk, tmp_path / "elsewhere") == 1
