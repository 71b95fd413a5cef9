"""Solvers read the texts of the corpus as it says: as nqbench does, or not at all."""

import subprocess

import pytest
from formula_corpus import LENIENT, READ, content, others
from programs import READERS_OF_DIMACS, needs
from pysat.solvers import Minisat22


def expected(clauses):
    with Minisat22(bootstrap_with=clauses) as solver:
        return 10 if solver.solve() and [] not in clauses else 20


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=needs(name)) for name in READERS_OF_DIMACS]
)
def test_a_solver_reads_the_corpus_as_nqbench_does(name, tmp_path):
    file = tmp_path / "a.cnf"
    for case in READ + LENIENT:
        if "misread_by" in case or case["variables"] > 10**6:
            continue
        file.write_bytes(content(case))
        status = subprocess.run([*READERS_OF_DIMACS[name], file], capture_output=True).returncode
        if others(case, name):
            assert status == expected(case["clauses"]), case
        else:
            assert status not in (10, 20), case
