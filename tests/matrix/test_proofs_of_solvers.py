"""Proofs of solvers that use resolution asymmetric tautologies."""

import io
import random
import subprocess

import pytest
from programs import needs
from proofs import random_formula

from nqbench.checking import proof
from nqbench.clauses import dimacs


@needs("cadical")
@pytest.mark.parametrize("option", ["--binary=0", "--block=1", "--cover=1", "--condition=1"])
def test_proofs_with_resolution_asymmetric_tautologies_hold(option, tmp_path):
    """Techniques whose clauses need not follow by unit propagation."""
    source = random.Random(2)
    checked = 0
    while checked < 20:
        cnf = random_formula(source)
        file, content = tmp_path / "a.cnf", tmp_path / "a.drat"
        with file.open("wb") as out:
            dimacs.write(cnf, out)
        done = subprocess.run(
            ["cadical", "-q", option, str(file), str(content)], stdout=subprocess.DEVNULL
        )
        if done.returncode == 20:
            assert proof.flaw(cnf, io.BytesIO(content.read_bytes())) is None
            checked += 1
