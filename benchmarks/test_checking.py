"""What the check of a proof costs, beside finding it and beside dratify.

tox -e bench -- benchmarks/test_checking.py
"""

import tempfile

import dratify
import pytest

from nqbench.backends.base import Backend
from nqbench.checking import by_dratify, proof
from nqbench.common.vocabulary import Answer, ProofForm
from nqbench.encodings.base import Encoding
from nqbench.problems.families.base import Family

SOLVERS = ["glucose4", "cadical195"]


@pytest.fixture(scope="module")
def cnf(scaled):
    """A random board of excluded diagonals without a solution."""
    size = scaled(18, 12)
    (problem,) = Family.named("excluded-diagonals").drawn([size], [1.0], instances=1, seed=1)
    return Encoding.named("pairwise").encode(problem)


@pytest.fixture(params=SOLVERS)
def proven(request, cnf, tmp_path):
    """A solver, its proof, and the format."""
    backend, form = Backend.named(request.param), ProofForm.DRAT
    with (tmp_path / "proof").open("wb+") as file:
        if backend.capabilities.lrat:
            backend.prove_with_hints(cnf, file)
            form = ProofForm.LRAT
        else:
            backend.prove(cnf, file)
        file.seek(0)
        return request.param, file.read(), form


@pytest.mark.parametrize("name", SOLVERS)
def test_solve(benchmark, name, cnf):
    benchmark.group = f"check a proof of {name}"

    def fresh():
        return (Backend.named(name).load(cnf),), {}

    assert benchmark.pedantic(lambda solver: solver.solve(), setup=fresh, rounds=5) is Answer.UNSAT


def test_check(benchmark, proven, cnf):
    name, content, form = proven
    benchmark.group = f"check a proof of {name}"
    benchmark.extra_info |= {"bytes": len(content), "form": form}
    with tempfile.TemporaryFile() as source:
        source.write(content)

        def check():
            source.seek(0)
            if form is ProofForm.LRAT:
                return proof.replay_lrat(cnf, source, cnf.num_variables)
            with tempfile.TemporaryFile() as hinted:
                found = proof.write_lrat(cnf, source, hinted)
                hinted.seek(0)
                return proof.replay_lrat(cnf, hinted, found.variables)

        assert benchmark.pedantic(check, rounds=5).flaw is None


def test_check_by_dratify(benchmark, proven, cnf):
    """The peer, for which an LRAT proof loses its hints; with its Rust engine, if installed."""
    name, content, form = proven
    benchmark.group = f"check a proof of {name}"
    benchmark.extra_info["engine"] = "Rust" if by_dratify.is_native() else "Python"
    formula = dratify.CNF(cnf.num_variables)
    for clause in cnf.clauses():
        formula.add_dimacs(clause)
    text = by_dratify.text(content, form)
    assert benchmark.pedantic(lambda: dratify.check_proof(formula, text).ok, rounds=5)
