"""The solver's own call for each encoding x backend, grouped by backend.

tox -e bench -- benchmarks/test_solving.py
"""

from dataclasses import asdict

import pytest
from peers import textbook_pairwise
from pysat.solvers import Solver

from nqbench.backends.base import Backend
from nqbench.encodings.base import Encoding
from nqbench.measure.search import Search
from nqbench.problems.queens import Queens

ENCODINGS = ["pairwise", "alo-row", "product", "sequential", "commander"]
BACKENDS = ["glucose4", "minisat22", "cadical195", "cryptominisat", "pyeda"]


@pytest.fixture
def problem(scaled):
    return Queens(scaled(16, 4))


@pytest.mark.parametrize("backend", ["glucose4", "minisat22", "cadical195"])
def test_textbook_clauses_given_to_pysat(benchmark, backend, problem):
    """The peer of each group: the same board without nqbench."""
    benchmark.group = f"n = {problem.n}, {backend}"
    clauses = textbook_pairwise(problem.n)

    def fresh():
        return (Solver(name=backend, bootstrap_with=clauses),), {}

    assert benchmark.pedantic(lambda holding: holding.solve(), setup=fresh, rounds=7)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_solve(benchmark, backend, encoding, problem):
    benchmark.group = f"n = {problem.n}, {backend}"
    written, solver = Encoding.named(encoding), Backend.named(backend)
    cnf = written.encode(problem)
    loaded = []

    def fresh():
        loaded.append(solver.load(cnf))
        return (loaded[-1],), {}

    benchmark.pedantic(lambda holding: holding.solve(), setup=fresh, rounds=7)
    found = Search(problem, written, solver, cnf).first()
    assert problem.violation(found.solution) is None
    counted = {k: v for k, v in asdict(loaded[-1].counters()).items() if v is not None}
    benchmark.extra_info |= {
        "variables": cnf.num_variables,
        "clauses": cnf.num_clauses,
        "literals": cnf.num_literals,
        "verdict": "verified",
        **counted,
    }
